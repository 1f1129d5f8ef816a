-- Title:   Predictions in one list over all diseases
-- Formula: place 1 has the highest score; equal scores are in the order of rank within the
--          disease, then of disease_id, then of drug_id
-- Source:  docs/metrics.md#global_list_pair
-- Units:   scores as frozen; n_predictions are those of the population, n_tied those of them with
--          the same score, n_tied_so_far those of them up to this place; expected_hits as in
--          matched_expectation, NULL where it is NULL
-- Grain:   slate_id, evidence_window, population, disease_id, drug_id
select
    matched_expectation.slate_id,
    matched_expectation.evidence_window,
    matched_expectation.population,
    matched_expectation.disease_id,
    matched_expectation.drug_id,
    row_number() over (
        every_prediction
        order by
            prediction.score desc,
            prediction.rank asc,
            matched_expectation.disease_id asc,
            matched_expectation.drug_id asc
    ) as place,
    prediction.score,
    count(*) over every_prediction as n_predictions,
    count(*) over equal_score as n_tied,
    row_number() over (
        equal_score
        order by
            prediction.rank,
            matched_expectation.disease_id,
            matched_expectation.drug_id
    ) as n_tied_so_far,
    matched_expectation.is_hit,
    matched_expectation.expected_hits
from matched_expectation
inner join prediction
    on
        matched_expectation.slate_id = prediction.slate_id
        and matched_expectation.disease_id = prediction.disease_id
        and matched_expectation.drug_id = prediction.drug_id
window
    every_prediction as (
        partition by
            matched_expectation.slate_id,
            matched_expectation.evidence_window,
            matched_expectation.population
    ),
    equal_score as (
        partition by
            matched_expectation.slate_id,
            matched_expectation.evidence_window,
            matched_expectation.population,
            prediction.score
    )
