-- Title:   Texts by which studies name drugs and diseases
-- Formula: interventions, their other names and conditions as registered, and the MeSH terms that
--          the registry derived, of past versions as in inherited_term; of a condition's term the
--          name and the id as well; not what stands in comparator arms alone
-- Source:  docs/metrics.md#trial_text
-- Units:   value is folded text, that of a MeSH term with its id in brackets
-- Grain:   trial_id, entity_kind, value
with condition_text as (
    select
        trial_id,
        folded_name,
        is_mesh_term,
        mesh_id
    from trial_condition
    union all
    select
        trial_id,
        folded_name,
        true as is_mesh_term,
        mesh_id
    from inherited_term
    where entity_kind = 'disease'
),

intervention_text as (
    select
        trial_id,
        folded_name,
        is_mesh_term,
        mesh_id
    from trial_intervention
    where arm_role is distinct from 'comparator'
    union all
    select
        trial_id,
        folded_name,
        true as is_mesh_term,
        mesh_id
    from inherited_term
    where entity_kind = 'drug'
),

named_text as (
    select
        trial_id,
        'disease' as entity_kind,
        unnest(
            if(
                is_mesh_term,
                [folded_name, mesh_id, concat(folded_name, ' [', coalesce(mesh_id, 'MeSH'), ']')],
                [folded_name]
            )
        ) as value
    from condition_text
    union all
    select
        trial_id,
        'drug' as entity_kind,
        if(
            is_mesh_term,
            concat(folded_name, ' [', coalesce(mesh_id, 'MeSH'), ']'),
            folded_name
        ) as value
    from intervention_text
)

select distinct
    trial_id,
    entity_kind,
    value
from named_text
where value is not null
