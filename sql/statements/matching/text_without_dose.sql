-- Title:      Names and pieces of texts about drugs without the amounts in them
-- Reads:      entity_name, text_piece
-- Creates:    text_without_dose
-- Note:       An amount is a number with its unit, never a bare digit: 'il-2' and 'xl 300' stay.
--             A name without an amount has no row.
with numbered_name as (
    select plain from entity_name
    where entity_kind = 'drug' and regexp_matches(plain, '[0-9]')
    union
    select part as plain from text_piece
    where entity_kind = 'drug' and regexp_matches(part, '[0-9]')
),

cleaned as (
    select
        plain,
        trim(
            regexp_replace(
                regexp_replace(
                    plain,
                    '(^|[^a-z0-9])\d[\d.,]*(\s*[-/x+]\s*\d[\d.,]*)*\s*-?(mgs?|milligrams?|'
                    || 'mcgs?|micrograms?|μg|ug|ng|g|gm|grams?|kg|mls?|l|cc|dl|iu|miu|mu|'
                    || 'units?|u|mmol|meq|mci|mbq|gy|cgy|mm|ppm|%)(\s*/\s*(kg|m\^?2|m²|day|d|h|'
                    || 'hr|hour|week|wk|ml|dl|dose|min|sq\.?\s*m|actuation|puff))*($|'
                    || '[^a-z0-9])',
                    '\1 \6',
                    'g'
                ),
                '\s+',
                ' ',
                'g'
            )
        ) as text_without_dose
    from numbered_name
)

select
    plain,
    text_without_dose
from cleaned
where text_without_dose <> plain
