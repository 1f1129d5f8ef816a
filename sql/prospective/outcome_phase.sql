-- Title:   Phase that an outcome proves
-- Formula: an approval proves phase 4, any other high-signal outcome the phase its detail names
-- Source:  docs/metrics.md#outcome_phase
-- Units:   phase 0..4; NULL where the detail names none on the scale, or the signal is low
-- Grain:   outcome_id
-- Portability: the JSON function is DuckDB's; detail.phase may be a number or a text of one
with named_phase as (
    select
        outcome_timing.outcome_id,
        case
            when outcome_timing.outcome_type = 'fda_approved' then 4
            when outcome_timing.signal = 'high'
                then try_cast(json_extract_string(outcome.detail, '$.phase') as double)
        end as phase
    from outcome_timing
    inner join outcome using (outcome_id)
)

select
    outcome_id,
    outcome_timing.slate_id,
    outcome_timing.disease_id,
    outcome_timing.drug_id,
    outcome_timing.event_date,
    outcome_timing.timing,
    if(named_phase.phase between 0 and 4, named_phase.phase, null) as phase
from outcome_timing
inner join named_phase using (outcome_id)
