-- Title:   Texts by which studies name drugs and diseases
-- Formula: interventions, their other names and conditions as registered, and the MeSH terms that
--          the registry derived, of past versions as in inherited_term; of a condition's term the
--          name and the id as well; not what stands in comparator arms alone, and no condition of
--          two or three letters where another condition of the version spells them out
-- Units:   value is folded text, that of a MeSH term with its id in brackets
-- Grain:   trial_id, entity_kind, value
-- Note:    'gc' is spelled out by 'advanced gastric cordoma', whose words begin so, and by any
--          condition with '(gc)'
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

short_text as (
    select distinct
        trial_id,
        folded_name
    from condition_text
    where not is_mesh_term and regexp_full_match(folded_name, '[a-z][a-z0-9]{1,2}')
),

spelled_out as (
    select distinct
        short_text.trial_id,
        short_text.folded_name
    from short_text
    inner join condition_text using (trial_id)
    where
        contains(
            array_to_string(regexp_extract_all(condition_text.folded_name, '\b[a-z0-9]'), ''),
            short_text.folded_name
        )
        or contains(
            array_to_string(
                regexp_extract_all(
                    regexp_replace(
                        condition_text.folded_name, '\b(of|the|and|in)\b', ' ', 'g'
                    ),
                    '\b[a-z0-9]'
                ),
                ''
            ),
            short_text.folded_name
        )
        or contains(condition_text.folded_name, concat('(', short_text.folded_name, ')'))
),

named_condition as (
    select *
    from condition_text
    where
        is_mesh_term
        or (trial_id, folded_name) not in (
            select (spelled_out.trial_id, spelled_out.folded_name) from spelled_out
        )
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
    from named_condition
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
