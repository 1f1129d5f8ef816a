-- Title:   Outcomes by type and timing
-- Formula: outcomes on record and the distinct pairs they belong to, predicted pairs apart
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
    ) as n_predicted_pairs
from outcome_timing
left join prediction using (slate_id, disease_id, drug_id)
group by outcome_timing.slate_id, outcome_timing.outcome_type, outcome_timing.timing
