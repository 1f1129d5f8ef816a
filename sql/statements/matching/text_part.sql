-- Title:      The parts of each text that may be a name: the whole, what is outside and inside its
--             parentheses, the members of a combination
-- Reads:      other_plain, registry_text
-- Creates:    text_part
-- Parameters: none
-- Note:       A placebo for a drug is not the drug. Up to three letters are a name only alone. Of a
--             disease's name an aside goes only if its letters are the initials of the words outside:
--             '(copd)', never '(type 2)'.
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
                '\b(placebos?|sham|vehicle|dummy)\b[^+;,&)]{0,16}?\b(for|of|to|match\w*)\b[^+;,&)]*',
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
                and list_sort(string_split(regexp_replace(asides[1], '[^a-z0-9]', '', 'g'), '')) in (
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
),

member as (
    select
        entity_kind,
        plain,
        unnest(
            string_split_regex(
                part,
                '\s*(/|;|\band/or\b|\band\b|\bor\b|&)\s*'
            )
        ) as part,
        'member' as place
    from piece
    where entity_kind = 'disease' and regexp_matches(part, '[/;&]|\band\b|\bor\b')
    union all
    select
        entity_kind,
        plain,
        unnest(
            string_split_regex(
                if(
                    regexp_matches(part, '[0-9]'),
                    regexp_replace(
                        part,
                        '(^|[^a-z0-9])\d[\d.,]*(\s*[-/x+]\s*\d[\d.,]*)*\s*-?(mgs?|milligrams?|mcgs?|micrograms?|μg|ug|ng|g|gm|grams?|kg|mls?|l|cc|dl|iu|miu|mu|units?|u|mmol|meq|mci|mbq|gy|cgy|mm|ppm|%)(\s*/\s*(kg|m\^?2|m²|day|d|h|hr|hour|week|wk|ml|dl|dose|min|sq\.?\s*m|actuation|puff))*($|[^a-z0-9])',
                        '\1 \6',
                        'g'
                    ),
                    part
                ),
                '\s*([+/,;&:]|\b(and/or|and|or|plus|with|versus|followed by|combined with|in combination|then|to match)\b|\bvs\b\.?|\s-\s)\s*'
            )
        ) as part,
        'member' as place
    from piece
    where
        entity_kind = 'drug'
        and regexp_matches(
            part,
            '[+/,;&:]|\b(and|or|plus|with|versus|followed by|in combination|then|to match|vs)\b|\s-\s'
        )
)

select distinct
    entity_kind,
    plain,
    regexp_replace(trim(part, ' -.'), '\s+', ' ', 'g') as part,
    place
from (
    select
        entity_kind,
        plain,
        part,
        place
    from piece
    union all
    select
        entity_kind,
        plain,
        part,
        place
    from member
)
where
    trim(part, ' -.') <> ''
    and (
        entity_kind = 'disease'
        or not (
            (place <> 'whole' and regexp_full_match(trim(part, ' -.'), '[a-z]{1,3}'))
            or regexp_matches(part, '\b(placebos?|sham|vehicle|dummy|mimic|matching)\b')
        )
    )
