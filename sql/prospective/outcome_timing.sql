-- Title:   Outcome timing
-- Formula: the event date, then the first public date, against the slate's freeze date; an event
--          without a first public date is public with its release if the release before lacks it
-- Source:  METRICS section 1, timing
-- Units:   timing is one of retrospective, coincident, announced, prospective, unverified, undated
-- Grain:   outcome_id
-- Portability: getvariable('as_of') is DuckDB's; outcomes written down after it are left out
with bounded_release as (
    select
        release.release_id,
        release.released_on
    from release
    where exists (
        select earlier.release_id
        from release as earlier
        where
            earlier.source = release.source
            and earlier.released_on < release.released_on
            and earlier.ingested_at
            <= coalesce(cast(getvariable('as_of') as timestamptz), cast('infinity' as timestamptz))
    )
)

select
    outcome.outcome_id,
    outcome.slate_id,
    outcome.disease_id,
    outcome.drug_id,
    outcome.outcome_type,
    outcome_type.signal,
    case
        when outcome.event_date is null then 'undated'
        when outcome.event_date < slate.frozen_on then 'retrospective'
        when outcome.event_date = slate.frozen_on then 'coincident'
        when coalesce(outcome.first_public_on, bounded_release.released_on) is null
            then 'unverified'
        when coalesce(outcome.first_public_on, bounded_release.released_on) <= slate.frozen_on
            then 'announced'
        else 'prospective'
    end as timing,
    outcome.event_date,
    outcome.first_public_on,
    outcome.source,
    outcome.release_id,
    outcome.observed_at
from outcome
inner join slate using (slate_id)
inner join outcome_type on outcome.outcome_type = outcome_type.name
left join bounded_release on outcome.release_id = bounded_release.release_id
where
    outcome.observed_at
    <= coalesce(cast(getvariable('as_of') as timestamptz), cast('infinity' as timestamptz))
