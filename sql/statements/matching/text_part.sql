-- Title:      The parts of each text that may be a name: its pieces, the members of combinations,
--             and the heads of diseases' names
-- Reads:      text_without_dose, match_word, text_piece
-- Creates:    text_part
-- Note:       Up to three letters are a name only alone. A part that speaks of a placebo is none.
--             A head is what follows the first words, as 'thyroid cancer' does in 'papillary
--             thyroid cancer', but after no guard.
with guard as (
    select
        list(word) filter (where usage = 'before') as just_before,
        list(word) filter (where usage = 'earlier') as earlier
    from match_word
    where entity_kind = 'disease'
),

-- The words of a piece, and of 'carcinoma, thyroid' those of 'thyroid carcinoma'.
piece_word as (
    select
        plain,
        regexp_extract_all(
            unnest([part, regexp_replace(part, '^([^,]+),(.+)$', '\2 \1')]), '[\p{L}\p{M}\p{N}'']+'
        ) as words
    from text_piece
    where entity_kind = 'disease'
),

piece_start as (
    select
        plain,
        words,
        unnest(range(2, len(words) + 1)) as starts_at
    from piece_word
),

head as (
    select
        piece_start.plain,
        array_to_string(piece_start.words[piece_start.starts_at:], ' ') as part
    from piece_start
    cross join guard
    where
        not list_contains(guard.just_before, piece_start.words[piece_start.starts_at - 1])
        and not list_has_any(guard.earlier, piece_start.words[1:piece_start.starts_at])
),

member as (
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
                coalesce(text_without_dose.text_without_dose, text_piece.part),
                '\s*([+/,;&:]|\b(and/or|and|or|plus|with|versus|followed by|combined with'
                || '|in combination|then|to match)\b|\bvs\b\.?|\s-\s)\s*'
            )
        ) as part
    from text_piece
    left join text_without_dose on text_piece.part = text_without_dose.plain
    where
        text_piece.entity_kind = 'drug'
        and text_piece.place <> 'class'
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
    union all
    select
        'disease' as entity_kind,
        plain,
        part,
        'head' as place
    from head
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
            (place not in ('whole', 'class') and regexp_full_match(part, '[a-z]{1,3}'))
            or regexp_matches(part, '\b(placebos?|sham|vehicle|dummy|mimic|matching)\b')
        )
    )
