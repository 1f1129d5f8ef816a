-- Title:   Outcome timing
-- Formula: the event date, then the interval in which it became public, compared with counted_from
--          and the end of the horizon; the one day within the interval on which the FDA approved
--          the drug or a new use dates an approval from ChEMBL
-- Source:  docs/metrics.md#outcome_timing
-- Units:   timing is one of retrospective, coincident, announced, prospective, straddles,
--          unverified, undated; first_public_on is NULL where only an interval is known
-- Grain:   slate_id, disease_id, drug_id, outcome_id
with recorded_outcome as materialized (
    select
        outcome.*,
        slate_horizon.counted_from,
        slate_horizon.ends_on
    from outcome
    inner join slate_horizon using (slate_id)
),

-- docs/metrics.md#fda_approved
approval_date as (
    select
        recorded_outcome.slate_id,
        recorded_outcome.disease_id,
        recorded_outcome.drug_id,
        recorded_outcome.outcome_id,
        min(approval_action.status_date) as event_date
    from recorded_outcome
    inner join slate_drug_key
        on
            recorded_outcome.slate_id = slate_drug_key.slate_id
            and recorded_outcome.drug_id = slate_drug_key.drug_id
    inner join approval_action
        on
            slate_drug_key.value = approval_action.name
            and recorded_outcome.public_after < approval_action.status_date
            and recorded_outcome.public_by >= approval_action.status_date
    where
        recorded_outcome.outcome_type = 'fda_approved'
        and recorded_outcome.source = 'chembl'
        and recorded_outcome.release_id is not null
        and approval_action.is_current
    group by
        recorded_outcome.slate_id,
        recorded_outcome.disease_id,
        recorded_outcome.drug_id,
        recorded_outcome.outcome_id
    having count(distinct approval_action.status_date) = 1
),

dated_outcome as (
    select
        recorded_outcome.outcome_id,
        recorded_outcome.slate_id,
        recorded_outcome.disease_id,
        recorded_outcome.drug_id,
        recorded_outcome.outcome_type,
        recorded_outcome.counted_from,
        recorded_outcome.ends_on,
        recorded_outcome.phase,
        recorded_outcome.source,
        recorded_outcome.release_id,
        recorded_outcome.record,
        recorded_outcome.observed_at,
        recorded_outcome.recorded_at,
        recorded_outcome.outcome_origin,
        recorded_outcome.match_kind,
        recorded_outcome.match_strength,
        coalesce(approval_date.event_date, recorded_outcome.event_date) as event_date,
        coalesce(approval_date.event_date, recorded_outcome.first_public_on) as first_public_on,
        coalesce(
            cast(approval_date.event_date - 1 as date), recorded_outcome.public_after
        ) as public_after,
        coalesce(approval_date.event_date, recorded_outcome.public_by) as public_by
    from recorded_outcome
    left join approval_date
        on
            recorded_outcome.slate_id = approval_date.slate_id
            and recorded_outcome.disease_id = approval_date.disease_id
            and recorded_outcome.drug_id = approval_date.drug_id
            and recorded_outcome.outcome_id = approval_date.outcome_id
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
        when dated_outcome.event_date < dated_outcome.counted_from then 'retrospective'
        when dated_outcome.event_date = dated_outcome.counted_from then 'coincident'
        when dated_outcome.public_by <= dated_outcome.counted_from then 'announced'
        when dated_outcome.public_after is null then 'unverified'
        when dated_outcome.public_after >= dated_outcome.counted_from then 'prospective'
        else 'straddles'
    end as timing,
    coalesce(
        greatest(dated_outcome.event_date, dated_outcome.public_by) > dated_outcome.ends_on, false
    ) as is_after_horizon,
    dated_outcome.event_date,
    dated_outcome.first_public_on,
    dated_outcome.public_after,
    dated_outcome.public_by,
    dated_outcome.phase,
    dated_outcome.source,
    dated_outcome.release_id,
    dated_outcome.record,
    dated_outcome.observed_at,
    dated_outcome.recorded_at,
    dated_outcome.outcome_origin,
    dated_outcome.match_kind,
    dated_outcome.match_strength
from dated_outcome
inner join outcome_type on dated_outcome.outcome_type = outcome_type.name
