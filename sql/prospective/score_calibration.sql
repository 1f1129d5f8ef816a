-- Title:   Score calibration
-- Result:  Scores and probabilities
-- Formula: mean score of hits, mean score of non-hits, and hits minus non-hits
-- Units:   score units; NULL where the tier has no hit or no miss
-- Grain:   slate_id, evidence_window, population, tier
-- Portability: avg(... order by score) adds in one order, whatever the number of threads
with tier_pair as (
    select
        * exclude (tier),
        unnest([tier, 'all']) as tier
    from pair_outcome
),

population_mean as (
    select
        slate_id,
        evidence_window,
        unnest(['all', 'novel']) as population,
        tier,
        unnest([
            avg(score order by score) filter (where is_hit),
            avg(score order by score) filter (where is_hit and is_novel)
        ]) as mean_score_hits,
        unnest([
            avg(score order by score) filter (where not is_hit),
            avg(score order by score) filter (where not is_hit and is_novel)
        ]) as mean_score_misses
    from tier_pair
    group by slate_id, evidence_window, tier
)

select
    *,
    mean_score_hits - mean_score_misses as score_gap,
    case
        when mean_score_hits is null and mean_score_misses is null then 'no predictions in the tier'
        when mean_score_hits is null then 'no hits in the tier'
        when mean_score_misses is null then 'every prediction of the tier is a hit'
    end as reason
from population_mean
