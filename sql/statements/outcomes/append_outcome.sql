-- Title:      Appends the outcomes of a file that the slate's ledger lacks
-- Reads:      incoming_outcome, outcome
-- Writes:     outcome
-- Parameters: slate_id, recorded_at, outcome_origin, first_id
-- Note:       An outcome is identified by everything except the times at which it was observed and
--             recorded and its origin: the same event seen again is not a new row.
with distinct_outcome as (
    select
        disease_id,
        drug_id,
        outcome_type,
        event_date,
        first_public_on,
        source,
        detail,
        min(coalesce(observed_at, cast(:recorded_at as timestamptz))) as observed_at
    from incoming_outcome
    group by all
)

select
    :first_id - 1 + row_number() over (
        order by
            observed_at,
            disease_id,
            drug_id,
            outcome_type,
            event_date,
            first_public_on,
            source,
            detail
    ) as outcome_id,
    cast(:slate_id as uuid) as slate_id,
    disease_id,
    drug_id,
    outcome_type,
    event_date,
    first_public_on,
    source,
    cast(detail as json) as detail,
    observed_at,
    cast(:recorded_at as timestamptz) as recorded_at,
    cast(:outcome_origin as varchar) as outcome_origin
from distinct_outcome
where
    not exists (
        select outcome.outcome_id
        from outcome
        where
            outcome.slate_id = :slate_id
            and outcome.disease_id = distinct_outcome.disease_id
            and outcome.drug_id = distinct_outcome.drug_id
            and outcome.outcome_type = distinct_outcome.outcome_type
            and outcome.event_date is not distinct from distinct_outcome.event_date
            and outcome.first_public_on is not distinct from distinct_outcome.first_public_on
            and outcome.source = distinct_outcome.source
            and cast(outcome.detail as varchar) is not distinct from distinct_outcome.detail
    )
