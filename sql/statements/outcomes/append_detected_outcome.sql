-- Title:      Appends detected outcomes, observed when they are recorded
-- Reads:      detected_outcome
-- Writes:     outcome
-- Parameters: recorded_at, first_id
select
    :first_id - 1 + row_number() over (
        order by
            slate_id, release_id, disease_id, drug_id, outcome_type, source, event_date, detail
    ) as outcome_id,
    slate_id,
    disease_id,
    drug_id,
    outcome_type,
    event_date,
    first_public_on,
    source,
    release_id,
    detail,
    cast(:recorded_at as timestamptz) as observed_at,
    cast(:recorded_at as timestamptz) as recorded_at,
    'detected' as outcome_origin
from detected_outcome
