-- Title:   Evidence of an outcome
-- Result:  Hits, pair by pair
-- Formula: the outcome with its pair, what it counts as for the slate, its source row, its release
--          and the release's hash, the texts that matched it to the pair and how, and whether its
--          evidence was withdrawn since
-- Units:   counts_as is 'hit' of a high-signal prospective outcome of a predicted pair by the end
--          of the horizon, else why it is none: 'not predicted', its timing, 'low signal', 'later
--          hit'; rank and tier are NULL of a pair that is not predicted; dates as in
--          outcome_timing, and what dates them; reference_types are those that ChEMBL gives for an
--          indication; record is the source's own key of the row, other_numbers those that other
--          registries have of the study; recorded_at is the store's own timestamp,
--          claimed_observed_at the one that a file claims; failure as in
--          pair_failure, drug_withdrawn as in drug_safety, unreported as in unreported_study,
--          of the study that is the record
-- Grain:   slate_id, disease_id, drug_id, outcome_id
with numbered_study as (
    select
        study_number.nct_id as record,
        string_agg(study_number.number, ', ' order by study_number.number) as other_numbers
    from study_number
    inner join release_order using (release_id)
    where
        study_number.number <> study_number.nct_id
        and not starts_with(study_number.number, 'ICTRP ')
    group by study_number.nct_id
)

select
    outcome_timing.outcome_id,
    outcome_timing.slate_id,
    outcome_timing.disease_id,
    outcome_timing.drug_id,
    disease.name as disease_name,
    drug.name as drug_name,
    prediction.rank,
    prediction.tier,
    outcome_timing.outcome_type,
    case
        when prediction.rank is null then 'not predicted'
        when outcome_timing.timing <> 'prospective' then outcome_timing.timing
        when outcome_timing.signal <> 'high' then 'low signal'
        when outcome_timing.is_after_horizon then 'later hit'
        else 'hit'
    end as counts_as,
    outcome_timing.signal,
    outcome_timing.timing,
    outcome_timing.is_after_horizon,
    outcome_timing.event_date,
    outcome_timing.first_public_on,
    outcome_timing.public_after,
    outcome_timing.public_by,
    outcome_timing.dated_by,
    outcome_timing.reference_types,
    outcome_timing.undated_reason,
    slate_date.frozen_on,
    slate_date.counted_from,
    outcome_timing.observed_at,
    outcome_timing.recorded_at,
    outcome_timing.outcome_origin,
    nullif(outcome_timing.observed_at, outcome_timing.recorded_at) as claimed_observed_at,
    outcome_timing.source,
    release.version,
    release.released_on,
    release.origin,
    release.sha256,
    outcome_timing.record,
    numbered_study.other_numbers,
    event.drug_alias,
    event.disease_alias,
    event.match_kind,
    cast(event.detail as varchar) as detail,
    outcome_withdrawn.withdrawal,
    pair_failure.failure,
    drug_safety.drug_withdrawn,
    unreported_study.unreported
from outcome_timing
inner join event on outcome_timing.outcome_id = event.event_id
inner join slate_date on outcome_timing.slate_id = slate_date.slate_id
inner join disease on outcome_timing.disease_id = disease.disease_id
inner join drug on outcome_timing.drug_id = drug.drug_id
left join prediction
    on
        outcome_timing.slate_id = prediction.slate_id
        and outcome_timing.disease_id = prediction.disease_id
        and outcome_timing.drug_id = prediction.drug_id
left join release on outcome_timing.release_id = release.release_id
left join outcome_withdrawn
    on
        outcome_timing.slate_id = outcome_withdrawn.slate_id
        and outcome_timing.disease_id = outcome_withdrawn.disease_id
        and outcome_timing.drug_id = outcome_withdrawn.drug_id
        and outcome_timing.outcome_id = outcome_withdrawn.outcome_id
left join pair_failure
    on
        outcome_timing.slate_id = pair_failure.slate_id
        and outcome_timing.disease_id = pair_failure.disease_id
        and outcome_timing.drug_id = pair_failure.drug_id
left join numbered_study on outcome_timing.record = numbered_study.record
left join drug_safety on outcome_timing.drug_id = drug_safety.drug_id
left join unreported_study
    on
        outcome_timing.slate_id = unreported_study.slate_id
        and outcome_timing.disease_id = unreported_study.disease_id
        and outcome_timing.drug_id = unreported_study.drug_id
        and outcome_timing.record = unreported_study.record
