-- Title:      Every drug and disease that a slate predicts, by kind and name
-- Reads:      predicted_entity
select
    entity_kind,
    entity_id,
    name,
    identifier,
    n_slates,
    n_predictions,
    n_prospective_hits
from predicted_entity
order by entity_kind, lower(name), entity_id
