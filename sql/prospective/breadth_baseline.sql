-- Title:   Candidate hit rate by breadth group
-- Formula: hits / candidates among all candidates of the slate's diseases, by decile, by cohort
--          and by decile of the positive breadth
-- Units:   fraction 0..1; NULL for a group without candidates of the population
-- Grain:   slate_id, evidence_window, population, grouping_kind, breadth_group
with drug_group as (
    select
        slate_id,
        drug_id,
        unnest(['decile', 'cohort', 'positive_decile']) as grouping_kind,
        unnest([breadth_decile, breadth_cohort, positive_decile]) as breadth_group
    from drug_breadth
),

group_count as (
    select
        slate_id,
        candidate_drug_count.evidence_window,
        candidate_drug_count.population,
        drug_group.grouping_kind,
        drug_group.breadth_group,
        cast(sum(candidate_drug_count.n_candidates) as bigint) as n_candidates,
        cast(sum(candidate_drug_count.n_candidate_hits) as bigint) as n_candidate_hits
    from candidate_drug_count
    inner join drug_group using (slate_id, drug_id)
    group by all
)

select
    *,
    n_candidate_hits / nullif(n_candidates, 0) as baseline_hit_rate,
    if(n_candidates = 0, 'no candidate of this population in the group', null) as reason
from group_count
