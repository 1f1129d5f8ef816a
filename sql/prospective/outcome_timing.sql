-- Title:   Outcome timing
-- Formula: the event date, then the first public date, against the slate's freeze date
-- Source:  METRICS section 1, timing
-- Units:   timing is one of retrospective, coincident, announced, prospective, unverified, undated
-- Grain:   outcome_id
-- Portability: getvariable('as_of') is DuckDB's; outcomes written down after it are left out
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
        when outcome.first_public_on is null then 'unverified'
        when outcome.first_public_on <= slate.frozen_on then 'announced'
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
where
    outcome.observed_at
    <= coalesce(cast(getvariable('as_of') as timestamptz), cast('infinity' as timestamptz))
