-- Title:   Prediction with its status and evidence
-- Formula: a prediction with the names of its pair, what was known at the freeze, the date by which
--          its criterion must be met, and the evidence on record
-- Source:  docs/metrics.md#prediction_card
-- Units:   status as in falsification_status, and monitored for what cannot be falsified; evidence
--          is text, NULL where nothing is on record
-- Grain:   slate_id, disease_id, drug_id
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
    coalesce(pair_event.is_hit, false) as is_prospective_hit,
    pair_evidence.evidence
from prediction
inner join disease using (disease_id)
inner join drug using (drug_id)
inner join falsification_status using (slate_id, disease_id, drug_id)
left join pair_evidence using (slate_id, disease_id, drug_id)
left join pair_event
    on
        prediction.slate_id = pair_event.slate_id
        and prediction.disease_id = pair_event.disease_id
        and prediction.drug_id = pair_event.drug_id
        and pair_event.evidence_window = 'prospective'
