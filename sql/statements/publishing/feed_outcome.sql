-- Title:      The outcomes of predicted pairs that were recorded last
-- Reads:      outcome_card, outcome_timing, prediction, slate
select
    outcome_card.outcome_id,
    slate_id,
    slate.is_replay,
    disease_id,
    drug_id,
    outcome_card.disease_name,
    outcome_card.drug_name,
    outcome_card.outcome_type,
    outcome_card.timing,
    outcome_card.event_date,
    outcome_card.source,
    outcome_card.record,
    outcome_card.outcome_origin,
    outcome_card.recorded_at,
    outcome_card.claimed_observed_at
from outcome_card
inner join outcome_timing using (slate_id, disease_id, drug_id, outcome_id)
inner join prediction using (slate_id, disease_id, drug_id)
inner join slate using (slate_id)
order by
    outcome_card.recorded_at desc,
    outcome_card.event_date desc nulls last,
    prediction.disease_identifier asc,
    prediction.drug_identifier asc,
    outcome_card.outcome_type asc,
    outcome_card.record asc,
    outcome_card.outcome_id desc,
    slate_id asc
limit :most
