-- Title:   Hit rate by score decile
-- Formula: NTILE(10) over (score, disease_id, drug_id), then hits / predictions in each decile
-- Source:  docs/metrics.md#score_decile_hit_rate
-- Units:   fraction 0..1; decile 10 has the highest scores
-- Grain:   slate_id, evidence_window, population, score_decile
-- Portability: avg(... order by score) adds in one order, whatever the number of threads
with ranked_pair as (
    -- Deciles do not depend on the window, so the pairs are ranked once for both.
    select
        slate_id,
        disease_id,
        drug_id,
        score,
        is_novel,
        ntile(10) over (partition by slate_id order by score, disease_id, drug_id) as all_decile,
        ntile(10) over (
            partition by slate_id, is_novel
            order by score, disease_id, drug_id
        ) as novel_decile
    from pair_outcome
    where evidence_window = 'all'
),

decile_pair as (
    select
        slate_id,
        disease_id,
        drug_id,
        score,
        unnest(if(is_novel, ['all', 'novel'], ['all'])) as population,
        unnest(if(is_novel, [all_decile, novel_decile], [all_decile])) as score_decile
    from ranked_pair
),

decile_score as (
    select
        slate_id,
        population,
        score_decile,
        count(*) as n_predictions,
        avg(score order by score) as mean_score
    from decile_pair
    group by slate_id, population, score_decile
),

decile_event as (
    select
        slate_id,
        pair_event.evidence_window,
        decile_pair.population,
        decile_pair.score_decile,
        count(*) as n_hits
    from decile_pair
    inner join pair_event using (slate_id, disease_id, drug_id)
    where pair_event.is_hit
    group by
        slate_id, pair_event.evidence_window, decile_pair.population, decile_pair.score_decile
)

select
    slate_id,
    evidence.evidence_window,
    population,
    score_decile,
    decile_score.n_predictions,
    coalesce(decile_event.n_hits, 0) as n_hits,
    decile_score.mean_score,
    coalesce(decile_event.n_hits, 0) / nullif(decile_score.n_predictions, 0) as hit_rate
from decile_score
cross join (values ('all'), ('prospective')) as evidence (evidence_window)
left join decile_event using (slate_id, evidence_window, population, score_decile)
