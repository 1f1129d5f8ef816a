-- Title:      Every prediction of the store, those of a drug next to each other
-- Reads:      prediction_card, slate
-- Parameters: none
-- Note:       Every prediction of the store, those of one page next to each other.
select
    prediction_card.slate_id,
    prediction_card.disease_id,
    prediction_card.drug_id,
    prediction_card.disease_name,
    prediction_card.drug_name,
    prediction_card.rank,
    prediction_card.tier,
    prediction_card.score,
    prediction_card.known_label,
    prediction_card.known_max_phase,
    prediction_card.due_date,
    prediction_card.status,
    prediction_card.is_prospective_hit,
    prediction_card.evidence,
    prediction_card.drug_id as entity_id
from prediction_card
inner join slate using (slate_id)
order by entity_id, slate.recorded_at, slate_id, prediction_card.rank, prediction_card.disease_id
