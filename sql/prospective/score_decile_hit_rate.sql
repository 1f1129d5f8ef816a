-- Title:   Hit rate by score decile
-- Formula: NTILE(10) over (score, disease_id, drug_id), then hits / predictions in each decile
-- Source:  METRICS section 1, score_decile_hit_rate
-- Units:   fraction 0..1; decile 10 holds the highest scores
-- Grain:   slate_id, evidence_window, population, score_decile
with population_prediction as (
    select
        slate_id,
        disease_id,
        drug_id,
        score,
        is_hit,
        evidence_window,
        unnest(if(is_novel, ['all', 'novel'], ['all'])) as population
    from pair_outcome
),

ranked_pair as (
    select
        slate_id,
        evidence_window,
        population,
        score,
        is_hit,
        ntile(10) over (
            partition by slate_id, evidence_window, population
            order by score, disease_id, drug_id
        ) as score_decile
    from population_prediction
)

select
    slate_id,
    evidence_window,
    population,
    score_decile,
    count(*) as n_predictions,
    count(*) filter (where is_hit) as n_hits,
    avg(score order by score) as mean_score,
    count(*) filter (where is_hit) / nullif(count(*), 0) as hit_rate
from ranked_pair
group by slate_id, evidence_window, population, score_decile
