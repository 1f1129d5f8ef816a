-- Title:      The pairs of a published slate, each once, with what was known of it
-- Reads:      published_row
-- Creates:    prediction_row
-- Parameters: none
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
