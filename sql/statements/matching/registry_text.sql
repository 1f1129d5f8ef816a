-- Title:      Each distinct text of the conditions and interventions of later studies
-- Reads:      trial_condition, trial_intervention
-- Creates:    registry_text
-- Parameters: after_trial_id
select distinct
    'disease' as entity_kind,
    folded_name as folded_text,
    is_mesh_term,
    mesh_id
from trial_condition
where trial_id > :after_trial_id
union all
select distinct
    'drug' as entity_kind,
    folded_name as folded_text,
    is_mesh_term,
    mesh_id
from trial_intervention
where trial_id > :after_trial_id
