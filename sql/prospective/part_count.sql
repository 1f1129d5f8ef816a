-- Title:   Predictions and hits by part of a slate
-- Formula: predictions of prediction_part in the window and population of the primary endpoint, and
--          those that are hits
-- Source:  docs/metrics.md#part_count
-- Units:   counts; a part without predictions of the population has no row
-- Grain:   slate_id, part
select
    population_pair.slate_id,
    prediction_part.part_kind,
    prediction_part.part_start,
    prediction_part.part_end,
    prediction_part.part,
    population_pair.evidence_window,
    population_pair.population,
    count(distinct population_pair.disease_id) as n_diseases,
    count(*) as n_predictions,
    count(*) filter (where population_pair.is_hit) as n_hits
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
group by
    population_pair.slate_id,
    prediction_part.part_kind,
    prediction_part.part_start,
    prediction_part.part_end,
    prediction_part.part,
    population_pair.evidence_window,
    population_pair.population
