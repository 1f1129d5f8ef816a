-- Title:   Predictions and hits by part of a slate
-- Formula: predictions of prediction_part, and those that are hits
-- Units:   counts; a part without predictions of the population has no row
-- Grain:   slate_id, part
select
    slate_id,
    part_kind,
    part_start,
    part_end,
    part,
    evidence_window,
    population,
    count(distinct disease_id) as n_diseases,
    count(*) as n_predictions,
    count(*) filter (where is_hit) as n_hits
from prediction_part
group by slate_id, part_kind, part_start, part_end, part, evidence_window, population
