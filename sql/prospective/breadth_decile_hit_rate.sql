-- Title:   Hit rate by breadth decile
-- Result:  Hit rates and enrichment
-- Formula: hits / predictions among the slate's predictions, by breadth decile of the drug, and
--          the decile's rate among all candidates
-- Units:   fractions 0..1; NULL for a decile without predictions or without candidates
-- Grain:   slate_id, evidence_window, population, breadth_decile
with decile_count as (
    select
        slate_id,
        population_pair.evidence_window,
        population_pair.population,
        drug_breadth.breadth_decile,
        count(*) as n_predictions,
        count(*) filter (where population_pair.is_hit) as n_hits
    from population_pair
    inner join drug_breadth using (slate_id, drug_id)
    inner join slate_sets using (slate_id)
    where slate_sets.candidate_set_id is not null
    group by all
)

select
    slate_id,
    evidence_window,
    population,
    breadth_decile,
    coalesce(decile_count.n_predictions, 0) as n_predictions,
    coalesce(decile_count.n_hits, 0) as n_hits,
    decile_count.n_hits / nullif(decile_count.n_predictions, 0) as hit_rate,
    popularity_baseline.baseline_hit_rate,
    if(decile_count.n_predictions is null, 'no prediction in the decile', null) as reason
from popularity_baseline
full join decile_count using (slate_id, evidence_window, population, breadth_decile)
