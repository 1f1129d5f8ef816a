-- Title:      The pieces of each text: the whole, and what is outside and inside its parentheses
-- Reads:      other_plain, registry_text
-- Creates:    text_piece
-- Parameters: none
-- Note:       A placebo for a drug is not the drug. Of a disease's name an aside goes only if its
--             letters are the initials of the words outside: '(copd)', never '(type 2)'.
with plain_text as (
    select distinct
        registry_text.entity_kind,
        coalesce(other_plain.plain, registry_text.folded_text) as plain
    from registry_text
    left join other_plain on registry_text.folded_text = other_plain.folded
),

spoken as (
    select
        entity_kind,
        plain,
        case
            when
                entity_kind = 'disease'
                or not regexp_matches(plain, 'placebo|sham|vehicle|dummy')
                then plain
            when regexp_matches(plain, '[(\[] *(matching )?placebos? *[)\]]') then 'placebo'
            else regexp_replace(
                plain,
                '\b(placebos?|sham|vehicle|dummy)\b[^+;,&)]{0,16}?'
                || '\b(for|of|to|match\w*)\b[^+;,&)]*',
                'placebo',
                'g'
            )
        end as spoken
    from plain_text
),

aside as (
    select
        entity_kind,
        plain,
        spoken,
        trim(
            regexp_replace(
                regexp_replace(spoken, '[(\[{][^()\[\]{}]*[)\]}]', ' ', 'g'), '\s+', ' ', 'g'
            )
        ) as outside,
        regexp_extract_all(spoken, '[(\[{]([^()\[\]{}]*)[)\]}]', 1) as asides
    from spoken
    where regexp_matches(spoken, '[(\[{][^()\[\]{}]*[)\]}]')
),

piece as (
    select
        entity_kind,
        plain,
        spoken as part,
        'whole' as place
    from spoken
    union all
    select
        entity_kind,
        plain,
        outside as part,
        'outside' as place
    from aside
    where
        outside <> ''
        and (
            entity_kind = 'drug'
            or (
                len(asides) = 1
                and list_sort(
                    string_split(regexp_replace(asides[1], '[^a-z0-9]', '', 'g'), '')
                ) in (
                    list_sort(regexp_extract_all(outside, '\b[a-z0-9]')),
                    list_sort(
                        regexp_extract_all(
                            regexp_replace(outside, '\b(of|the|and|in)\b', ' ', 'g'),
                            '\b[a-z0-9]'
                        )
                    )
                )
            )
        )
    union all
    select
        entity_kind,
        plain,
        unnest(asides) as part,
        'inside' as place
    from aside
    where entity_kind = 'drug'
)

select
    entity_kind,
    plain,
    part,
    place
from piece
