-- Title:   Predictions by part of a slate, as the primary endpoint counts them
-- Formula: predictions of prediction_part in the window and population of the primary endpoint
-- Source:  docs/metrics.md#part_pair
-- Units:   is_hit as in population_pair; parts as in prediction_part
-- Grain:   slate_id, part, disease_id, drug_id
select
    population_pair.slate_id,
    prediction_part.part_kind,
    prediction_part.part_start,
    prediction_part.part_end,
    prediction_part.part,
    population_pair.evidence_window,
    population_pair.population,
    population_pair.disease_id,
    population_pair.drug_id,
    population_pair.is_hit
from population_pair
inner join primary_endpoint
    on
        population_pair.slate_id = primary_endpoint.slate_id
        and population_pair.evidence_window = primary_endpoint.evidence_window
        and population_pair.population = primary_endpoint.population
inner join prediction_part
    on
        population_pair.slate_id = prediction_part.slate_id
        and population_pair.disease_id = prediction_part.disease_id
        and population_pair.drug_id = prediction_part.drug_id
