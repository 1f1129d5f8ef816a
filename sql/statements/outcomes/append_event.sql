-- Title:      Appends the events that the evidence shows, observed when they are recorded
-- Reads:      new_event
-- Writes:     event
select
    :first_id - 1 + row_number() over (
        order by
            release_id,
            source,
            event_type,
            disease_id,
            drug_id,
            record,
            event_date,
            phase,
            public_by,
            drug_alias,
            disease_alias,
            cast(detail as varchar)
    ) as event_id,
    disease_id,
    drug_id,
    event_type,
    phase,
    event_date,
    public_after,
    public_by,
    source,
    release_id,
    record,
    drug_alias,
    disease_alias,
    match_kind,
    detail,
    cast(:recorded_at as timestamptz) as observed_at,
    cast(:recorded_at as timestamptz) as recorded_at,
    'detected' as event_origin
from new_event
