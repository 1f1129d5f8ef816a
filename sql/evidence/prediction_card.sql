-- Title:   Prediction with its status and evidence
-- Result:  Hits, pair by pair
-- Formula: a prediction with the names of its pair, what was known at the freeze, of a near-known
--          pair its closest relative that was known (nearness), the date by which its criterion
--          must be met, the first event that makes it a prospective hit (of a day, an approval
--          before a first trial before a phase), and the evidence: the pair's outcomes on record,
--          earliest first, each with its date, timing, source, record, the study's numbers
--          elsewhere, the day it was recorded, the day a file claims it was observed, and any
--          withdrawal since
-- Units:   status as in falsification_status, and monitored for what cannot be falsified; the event
--          of a hit, its date, source and record are NULL without a prospective hit; evidence is
--          text, outcomes separated by '; ' and one without a date last, NULL where nothing is on
--          record; failure as in pair_failure, drug_withdrawn as in drug_safety
-- Grain:   slate_id, disease_id, drug_id
-- Portability: make_timestamp(epoch_us(x)) is DuckDB's, a time in UTC
with first_hit as (
    select
        slate_id,
        disease_id,
        drug_id,
        outcome_type,
        event_date,
        source,
        record
    from outcome_timing
    where timing = 'prospective' and signal = 'high' and not is_after_horizon
    qualify
        row_number() over (
            partition by slate_id, disease_id, drug_id
            order by event_date, outcome_type, outcome_id
        ) = 1
),

near as (
    select
        nearness.slate_id,
        nearness.disease_id,
        nearness.drug_id,
        case
            when nearness.relation = 'same molecule' then 'same molecule: ' || known_drug.name
            when nearness.known_drug_id = nearness.drug_id
                then nearness.relation || ': ' || known_disease.name
            else nearness.relation || ': ' || known_disease.name || ', as ' || known_drug.name
        end as near_known
    from nearness
    inner join disease as known_disease on nearness.known_disease_id = known_disease.disease_id
    inner join drug as known_drug on nearness.known_drug_id = known_drug.drug_id
    where not nearness.is_known
),

told_outcome as (
    select
        outcome_id,
        slate_id,
        disease_id,
        drug_id,
        outcome_timing.event_date,
        concat(
            replace(outcome_timing.outcome_type, '_', ' '),
            ' (',
            coalesce(cast(outcome_timing.event_date as varchar), 'no date'),
            ', ',
            outcome_timing.timing,
            ', ',
            concat_ws(' ', outcome_timing.source, nullif(outcome_card.record, '')),
            ', also ' || outcome_card.other_numbers,
            ', ',
            outcome_card.outcome_origin,
            ' ',
            cast(make_timestamp(epoch_us(outcome_card.recorded_at)) as date),
            ', claimed as observed '
            || cast(make_timestamp(epoch_us(outcome_card.claimed_observed_at)) as date),
            '; since withdrawn: ' || outcome_card.withdrawal,
            ')'
        ) as description
    from outcome_timing
    inner join outcome_card using (slate_id, disease_id, drug_id, outcome_id)
),

told_pair as (
    select
        slate_id,
        disease_id,
        drug_id,
        string_agg(description, '; ' order by event_date nulls last, outcome_id) as evidence
    from told_outcome
    group by slate_id, disease_id, drug_id
)

select
    prediction.slate_id,
    prediction.disease_id,
    prediction.drug_id,
    disease.name as disease_name,
    drug.name as drug_name,
    prediction.rank,
    prediction.tier,
    prediction.score,
    prediction.known_label,
    prediction.known_max_phase,
    falsification_status.due_date,
    if(falsification_status.due_date is null, 'monitored', falsification_status.status) as status,
    pair_outcome.is_novel,
    near.near_known,
    pair_outcome.is_hit as is_prospective_hit,
    first_hit.outcome_type as hit_event,
    first_hit.event_date as hit_date,
    first_hit.source as hit_source,
    first_hit.record as hit_record,
    pair_failure.failure,
    drug_safety.drug_withdrawn,
    told_pair.evidence
from prediction
inner join disease using (disease_id)
inner join drug using (drug_id)
inner join falsification_status using (slate_id, disease_id, drug_id)
inner join pair_outcome using (slate_id, disease_id, drug_id)
left join first_hit using (slate_id, disease_id, drug_id)
left join pair_failure using (slate_id, disease_id, drug_id)
left join drug_safety using (drug_id)
left join near using (slate_id, disease_id, drug_id)
left join told_pair using (slate_id, disease_id, drug_id)
where pair_outcome.evidence_window = 'prospective'
