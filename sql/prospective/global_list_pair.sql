-- Title:   The first 500 predictions over all diseases
-- Formula: place 1 has the highest score; equal scores are in the order of rank within the
--          disease, then of disease_id, then of drug_id
-- Source:  docs/metrics.md#global_list_pair
-- Units:   scores as frozen; n_predictions are all those of the population, n_tied those of them
--          with the same score, n_tied_so_far those of these up to this place; expected_hits as in
--          matched_expectation, NULL where it is NULL
-- Grain:   slate_id, evidence_window, population, disease_id, drug_id
with scored_pair as materialized (
    select
        matched_expectation.slate_id,
        matched_expectation.evidence_window,
        matched_expectation.population,
        matched_expectation.disease_id,
        matched_expectation.drug_id,
        prediction.score,
        prediction.rank,
        matched_expectation.is_hit,
        matched_expectation.expected_hits
    from matched_expectation
    inner join prediction
        on
            matched_expectation.slate_id = prediction.slate_id
            and matched_expectation.disease_id = prediction.disease_id
            and matched_expectation.drug_id = prediction.drug_id
),

score_count as (
    select
        slate_id,
        evidence_window,
        population,
        score,
        count(*) as n_tied
    from scored_pair
    group by slate_id, evidence_window, population, score
),

population_count as (
    select
        slate_id,
        evidence_window,
        population,
        cast(sum(n_tied) as bigint) as n_predictions
    from score_count
    group by slate_id, evidence_window, population
),

listed_pair as (
    select
        *,
        -- One struct in place of four columns, so that the millions behind are not sorted.
        row_number() over (
            partition by slate_id, evidence_window, population
            order by row(-score, rank, disease_id, drug_id)
        ) as place
    from scored_pair
    qualify place <= 500
)

select
    slate_id,
    evidence_window,
    population,
    listed_pair.disease_id,
    listed_pair.drug_id,
    listed_pair.place,
    score,
    population_count.n_predictions,
    score_count.n_tied,
    row_number() over (
        partition by slate_id, evidence_window, population, score
        order by listed_pair.place
    ) as n_tied_so_far,
    listed_pair.is_hit,
    listed_pair.expected_hits
from listed_pair
inner join score_count using (slate_id, evidence_window, population, score)
inner join population_count using (slate_id, evidence_window, population)
