-- Title:      The pairs of a published slate, each once, with what was known of it
-- Reads:      published_row
-- Creates:    prediction_row
with labeled_row as (
    select
        disease_id,
        drug_id,
        score,
        rank,
        case known_at_freeze ->> 'label'
            when 'negative' then 0
            when 'approved' then 4
            when 'positive' then greatest(
                1, cast(floor(try_cast(known_at_freeze ->> 'max_phase' as double)) as integer)
            )
        end as known_label,
        try_cast(known_at_freeze ->> 'max_phase' as double) as known_max_phase,
        cast(try_cast(known_at_freeze ->> 'first_approval' as double) as integer)
            as first_approval_year
    from published_row
    where repeat_number = 1
)

-- What evidence showed was known to the publisher, whose file says what was.
select
    *,
    greatest(coalesce(known_label, 0), coalesce(known_max_phase, 0), 0) as known_phase,
    known_phase > 0 as is_known,
    known_phase >= 4 as is_approved
from labeled_row
