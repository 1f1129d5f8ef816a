-- Title:      The parts of each text that may be a name: its pieces and the members of combinations
-- Reads:      amount_free, text_piece
-- Creates:    text_part
-- Parameters: none
-- Note:       Up to three letters are a name only alone. A part that speaks of a placebo is none.
with member as (
    select
        entity_kind,
        plain,
        unnest(string_split_regex(part, '\s*([/;&]|\b(and/or|and|or)\b)\s*')) as part
    from text_piece
    where entity_kind = 'disease' and regexp_matches(part, '[/;&]|\band\b|\bor\b')
    union all
    select
        text_piece.entity_kind,
        text_piece.plain,
        unnest(
            string_split_regex(
                coalesce(amount_free.amount_free, text_piece.part),
                '\s*([+/,;&:]|\b(and/or|and|or|plus|with|versus|followed by|combined with'
                || '|in combination|then|to match)\b|\bvs\b\.?|\s-\s)\s*'
            )
        ) as part
    from text_piece
    left join amount_free on text_piece.part = amount_free.plain
    where
        text_piece.entity_kind = 'drug'
        and regexp_matches(
            text_piece.part,
            '[+/,;&:]|\b(and|or|plus|with|versus|followed by|in combination|then|to match|vs)\b'
            || '|\s-\s'
        )
),

part as (
    select
        entity_kind,
        plain,
        trim(part, ' -.') as part,
        place
    from text_piece
    union all
    select
        entity_kind,
        plain,
        trim(part, ' -.') as part,
        'member' as place
    from member
)

select distinct
    entity_kind,
    plain,
    part,
    place
from part
where
    part <> ''
    and (
        entity_kind = 'disease'
        or not (
            (place <> 'whole' and regexp_full_match(part, '[a-z]{1,3}'))
            or regexp_matches(part, '\b(placebos?|sham|vehicle|dummy|mimic|matching)\b')
        )
    )
