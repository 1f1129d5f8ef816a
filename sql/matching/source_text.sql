-- Title:   Texts and ids by which the sources name drugs and diseases
-- Formula: those of all interventional studies, of all indications, and of all approved products in
--          the store, each once
-- Source:  docs/metrics.md#source_text
-- Units:   value as in trial_text, or an identifier; an indication has its terms with their ids too
-- Grain:   source, entity_kind, value
with indicated_text as (
    select
        'drug' as entity_kind,
        unnest([chembl_id, parent_chembl_id]) as value
    from indication
    union all
    select
        'disease' as entity_kind,
        unnest(
            [
                efo_id,
                mesh_id,
                folded_efo_term,
                folded_mesh_heading,
                folded_efo_term || ' [' || efo_id || ']',
                folded_mesh_heading || ' [' || mesh_id || ']'
            ]
        ) as value
    from indication
)

select distinct
    'ctgov' as source,
    trial_text.entity_kind,
    trial_text.value
from trial_text
inner join trial using (trial_id)
where coalesce(trial.study_type, 'INTERVENTIONAL') = 'INTERVENTIONAL'
union all
select distinct
    'chembl' as source,
    entity_kind,
    value
from indicated_text
where value is not null
union all
select distinct
    'fda' as source,
    'drug' as entity_kind,
    name as value
from approval_action
