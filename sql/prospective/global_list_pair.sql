-- Title:   The first 500 predictions over all diseases
-- Formula: place 1 has the highest score; equal scores are in the order of rank within the
--          disease, then of disease_id, then of drug_id
-- Source:  docs/metrics.md#global_list_pair
-- Units:   scores as frozen; n_predictions are all those of the population, n_tied those of them
--          with the same score, n_tied_so_far those of these up to this place
-- Grain:   slate_id, evidence_window, population, disease_id, drug_id
with scored_pair as materialized (
    -- Places do not depend on the window, so the pairs are ranked once for both.
    select
        slate_id,
        unnest(if(is_novel, ['all', 'novel'], ['all'])) as population,
        disease_id,
        drug_id,
        score,
        rank
    from pair_outcome
    where evidence_window = 'all'
),

listed_pair as materialized (
    select
        *,
        -- One struct in place of four columns, so that the millions behind are not sorted.
        row_number() over (
            partition by slate_id, population
            order by row(-score, rank, disease_id, drug_id)
        ) as place
    from scored_pair
    qualify place <= 500
),

listed_score as (
    select distinct
        slate_id,
        population,
        score
    from listed_pair
),

score_count as (
    select
        slate_id,
        population,
        score,
        count(*) as n_tied
    from scored_pair
    semi join listed_score using (slate_id, population, score)
    group by slate_id, population, score
),

population_count as (
    select
        slate_id,
        population,
        count(*) as n_predictions
    from scored_pair
    group by slate_id, population
)

select
    slate_id,
    population_pair.evidence_window,
    population,
    listed_pair.disease_id,
    listed_pair.drug_id,
    listed_pair.place,
    listed_pair.score,
    population_count.n_predictions,
    score_count.n_tied,
    row_number() over (
        partition by slate_id, population_pair.evidence_window, population, score
        order by listed_pair.place
    ) as n_tied_so_far,
    population_pair.is_hit
from listed_pair
inner join score_count using (slate_id, population, score)
inner join population_count using (slate_id, population)
inner join population_pair using (slate_id, population, disease_id, drug_id)
