-- Title:   Outcomes by type and timing
-- Result:  Verdict and overview
-- Formula: outcomes on record and the distinct pairs they belong to, predicted pairs counted
--          separately; also outcomes detected in evidence, loaded from files, and imported with
--          the slate
-- Units:   counts
-- Grain:   slate_id, outcome_type, timing
select
    slate_id,
    outcome.outcome_type,
    outcome.timing,
    any_value(outcome.signal) as signal,
    count(*) as n_outcomes,
    count(distinct row(disease_id, drug_id)) as n_pairs,
    count(distinct row(disease_id, drug_id)) filter (where prediction.rank is not null)
        as n_predicted_pairs,
    count(*) filter (where outcome.outcome_origin = 'detected') as n_detected,
    count(*) filter (where outcome.outcome_origin = 'loaded') as n_loaded,
    count(*) filter (where outcome.outcome_origin = 'imported') as n_imported
from outcome_timing as outcome
left join prediction using (slate_id, disease_id, drug_id)
group by all
