-- Title:   Outcome timing
-- Formula: the event date, then the first public date, compared with the slate's freeze date; an
--          event without a first public date is public with its release if an earlier release was
--          in the store when the outcome was recorded; an FDA action dates an approval
-- Source:  docs/metrics.md#outcome_timing
-- Units:   timing is one of retrospective, coincident, announced, prospective, unverified, undated
-- Grain:   outcome_id
-- Note:    outcomes recorded after the as-of instant are left out
-- bounded_at: when the store first had an earlier release of the source.
with bounded_release as (
    select
        release.release_id,
        release.released_on,
        min(earlier.ingested_at) as bounded_at
    from release
    inner join release as earlier
        on release.source = earlier.source and release.released_on > earlier.released_on
    group by release.release_id, release.released_on
),

dated_outcome as (
    select
        outcome.outcome_id,
        outcome.slate_id,
        outcome.disease_id,
        outcome.drug_id,
        outcome.outcome_type,
        coalesce(approval_date.event_date, outcome.event_date) as event_date,
        coalesce(approval_date.event_date, outcome.first_public_on) as first_public_on,
        coalesce(
            approval_date.event_date,
            outcome.first_public_on,
            if(bounded_release.bounded_at <= outcome.recorded_at, bounded_release.released_on, null)
        ) as public_on,
        outcome.source,
        outcome.release_id,
        outcome.observed_at,
        outcome.recorded_at,
        outcome.outcome_origin
    from outcome
    left join bounded_release on outcome.release_id = bounded_release.release_id
    left join approval_date on outcome.outcome_id = approval_date.outcome_id
    where
        outcome.recorded_at <= (select report_instant.as_of from report_instant)
)

select
    dated_outcome.outcome_id,
    dated_outcome.slate_id,
    dated_outcome.disease_id,
    dated_outcome.drug_id,
    dated_outcome.outcome_type,
    outcome_type.signal,
    case
        when dated_outcome.event_date is null then 'undated'
        when dated_outcome.event_date < slate.frozen_on then 'retrospective'
        when dated_outcome.event_date = slate.frozen_on then 'coincident'
        when dated_outcome.public_on is null then 'unverified'
        when dated_outcome.public_on <= slate.frozen_on then 'announced'
        else 'prospective'
    end as timing,
    dated_outcome.event_date,
    dated_outcome.first_public_on,
    dated_outcome.source,
    dated_outcome.release_id,
    dated_outcome.observed_at,
    dated_outcome.recorded_at,
    dated_outcome.outcome_origin
from dated_outcome
inner join slate using (slate_id)
inner join outcome_type on dated_outcome.outcome_type = outcome_type.name
