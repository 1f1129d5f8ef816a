-- Title:   Outcomes by type and timing
-- Formula: outcomes on record and the distinct pairs they belong to, predicted pairs counted
--          separately; also outcomes detected in evidence, loaded from files, and imported with
--          the slate
-- Source:  docs/metrics.md#outcome_count
-- Units:   counts
-- Grain:   slate_id, outcome_type, timing
select
    outcome_timing.slate_id,
    outcome_timing.outcome_type,
    outcome_timing.timing,
    any_value(outcome_timing.signal) as signal,
    count(*) as n_outcomes,
    count(distinct row(outcome_timing.disease_id, outcome_timing.drug_id)) as n_pairs,
    count(distinct row(prediction.disease_id, prediction.drug_id)) filter (
        where prediction.rank is not null
    ) as n_predicted_pairs,
    count(*) filter (where outcome_timing.outcome_origin = 'detected') as n_detected,
    count(*) filter (where outcome_timing.outcome_origin = 'loaded') as n_loaded,
    count(*) filter (where outcome_timing.outcome_origin = 'imported') as n_imported
from outcome_timing
left join prediction using (slate_id, disease_id, drug_id)
group by outcome_timing.slate_id, outcome_timing.outcome_type, outcome_timing.timing
