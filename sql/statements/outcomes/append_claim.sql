-- Title:      Appends the events that a file claims and the ledger lacks
-- Reads:      event, incoming_outcome
-- Writes:     event
-- Note:       A claim is identified by everything except the times at which it was observed and
--             recorded and its origin: the same claim made again is not a new row.
with named_outcome as (
    select
        disease_id,
        drug_id,
        outcome_type,
        if(
            outcome_type in ('fda_approved', 'ema_approved'),
            4,
            try_cast(json_extract_string(cast(detail as json), '$.phase') as double)
        ) as named_phase,
        event_date,
        coalesce(public_after, cast(first_public_on - 1 as date)) as public_after,
        coalesce(public_by, first_public_on) as public_by,
        source,
        json_extract_string(cast(detail as json), '$.record') as record,
        detail,
        coalesce(observed_at, cast(:recorded_at as timestamptz)) as observed_at
    from incoming_outcome
),

distinct_outcome as (
    select
        disease_id,
        drug_id,
        outcome_type as event_type,
        if(
            outcome_type not in (
                'status_transition', 'trial_failed', 'approval_refused', 'approval_withdrawn'
            )
            and named_phase between 0 and 4,
            named_phase,
            null
        ) as phase,
        event_date,
        public_after,
        public_by,
        source,
        record,
        detail,
        min(observed_at) as observed_at
    from named_outcome
    group by all
)

select
    :first_id - 1 + row_number() over (
        order by
            observed_at,
            disease_id,
            drug_id,
            event_type,
            event_date,
            public_by,
            public_after,
            source,
            detail
    ) as event_id,
    cast(:slate_id as uuid) as slate_id,
    disease_id,
    drug_id,
    event_type,
    phase,
    event_date,
    public_after,
    public_by,
    source,
    record,
    cast(detail as json) as detail,
    observed_at,
    cast(:recorded_at as timestamptz) as recorded_at,
    cast(:event_origin as varchar) as event_origin
from distinct_outcome
where
    not exists (
        select event.event_id
        from event
        where
            event.slate_id is not distinct from cast(:slate_id as uuid)
            and event.disease_id = distinct_outcome.disease_id
            and event.drug_id = distinct_outcome.drug_id
            and event.event_type = distinct_outcome.event_type
            and event.event_date is not distinct from distinct_outcome.event_date
            and event.public_after is not distinct from distinct_outcome.public_after
            and event.public_by is not distinct from distinct_outcome.public_by
            and event.source = distinct_outcome.source
            and cast(event.detail as varchar) is not distinct from distinct_outcome.detail
    )
