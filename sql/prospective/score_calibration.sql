-- Title:   Score calibration
-- Formula: mean score of hits, mean score of non-hits, and hits minus non-hits
-- Source:  docs/metrics.md#score_calibration
-- Units:   score units; NULL where the tier has no hit or no miss
-- Grain:   slate_id, evidence_window, population, tier
-- Portability: avg(... order by score) adds in one order, whatever the number of threads
with tier_pair as (
    select
        slate_id,
        evidence_window,
        unnest([tier, 'all']) as tier,
        is_novel,
        score,
        is_hit
    from pair_outcome
),

population_mean as (
    select
        slate_id,
        evidence_window,
        tier,
        avg(score order by score) filter (where is_hit) as mean_hits,
        avg(score order by score) filter (where not is_hit) as mean_misses,
        avg(score order by score) filter (where is_hit and is_novel) as mean_novel_hits,
        avg(score order by score) filter (where not is_hit and is_novel) as mean_novel_misses
    from tier_pair
    group by slate_id, evidence_window, tier
),

population_calibration as (
    select
        population_mean.slate_id,
        population_mean.evidence_window,
        population.population,
        population_mean.tier,
        case population.population
            when 'all' then population_mean.mean_hits
            else population_mean.mean_novel_hits
        end as mean_score_hits,
        case population.population
            when 'all' then population_mean.mean_misses
            else population_mean.mean_novel_misses
        end as mean_score_misses
    from population_mean
    cross join (values ('all'), ('novel')) as population (population)
)

select
    slate_id,
    evidence_window,
    population,
    tier,
    mean_score_hits,
    mean_score_misses,
    mean_score_hits - mean_score_misses as score_gap,
    case
        when mean_score_hits is null and mean_score_misses is null then 'no predictions in the tier'
        when mean_score_hits is null then 'no hits in the tier'
        when mean_score_misses is null then 'every prediction of the tier is a hit'
    end as reason
from population_calibration
