-- Title:      Each distinct text of the conditions and interventions of later studies, and the
--             terms of indications
-- Reads:      indication, trial_condition, trial_intervention
-- Creates:    registry_text
-- Parameters: after_trial_id
-- Note:       A new release of ChEMBL has all texts compared again, so that its terms are needed
--             only then. A term that both have is one text.
with indicated_term as (
    select
        unnest([folded_efo_term, folded_mesh_heading]) as folded_text,
        unnest([efo_id, mesh_id]) as term_id
    from indication
    where :after_trial_id = 0
)

select
    'disease' as entity_kind,
    folded_name as folded_text,
    is_mesh_term,
    mesh_id
from trial_condition
where trial_id > :after_trial_id
union
select
    'disease' as entity_kind,
    folded_text,
    true as is_mesh_term,
    term_id as mesh_id
from indicated_term
where folded_text is not null and term_id is not null
union all
select distinct
    'drug' as entity_kind,
    folded_name as folded_text,
    is_mesh_term,
    mesh_id
from trial_intervention
where trial_id > :after_trial_id
