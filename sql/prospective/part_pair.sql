-- Title:   Predictions by part of a slate, as the primary endpoint counts them
-- Formula: predictions of prediction_part in the window and population of the primary endpoint
-- Units:   is_hit as in population_pair; parts as in prediction_part
-- Grain:   slate_id, part, disease_id, drug_id
select
    slate_id,
    prediction_part.part_kind,
    prediction_part.part_start,
    prediction_part.part_end,
    prediction_part.part,
    evidence_window,
    population,
    disease_id,
    drug_id,
    population_pair.is_hit
from population_pair
inner join primary_endpoint using (slate_id, evidence_window, population)
inner join prediction_part using (slate_id, disease_id, drug_id)
