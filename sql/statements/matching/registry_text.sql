-- Title:      Each distinct text of the conditions and interventions of later studies, of the areas
--             and substances of later medicines, and the terms of indications
-- Reads:      indication, medicine, medicine_area, medicine_substance, trial_condition,
--             trial_intervention
-- Creates:    registry_text
-- Note:       A new release of ChEMBL has all texts compared again, so that its terms are needed
--             only then. A term that both have is one text. Of medicines those that make events.
with indicated_term as (
    select
        unnest([folded_efo_term, folded_mesh_heading]) as folded_text,
        unnest([efo_id, mesh_id]) as term_id
    from indication
    where :is_whole
),

later_medicine as (
    select
        medicine_id,
        n_substances
    from medicine
    where
        medicine_id > :after_medicine_id
        and category = 'human'
        and not is_generic
        and not is_biosimilar
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
union
select
    'disease' as entity_kind,
    medicine_area.folded_name as folded_text,
    true as is_mesh_term,
    cast(null as varchar) as mesh_id
from later_medicine
inner join medicine_area on later_medicine.medicine_id = medicine_area.medicine_id
union
select
    'drug' as entity_kind,
    folded_name as folded_text,
    is_mesh_term,
    mesh_id
from trial_intervention
where trial_id > :after_trial_id
union
select
    'drug' as entity_kind,
    medicine_substance.folded_name as folded_text,
    false as is_mesh_term,
    cast(null as varchar) as mesh_id
from later_medicine
inner join medicine_substance on later_medicine.medicine_id = medicine_substance.medicine_id
where later_medicine.n_substances = 1
