-- Title:      The predictions of a slate, best ranks first
-- Reads:      prediction, prediction_card
-- Note:       Within a rank, predictions are in the order of the canonical bytes.
select
    prediction.rank,
    prediction_card.disease_name,
    prediction.disease_identifier,
    prediction_card.drug_name,
    prediction.drug_identifier,
    prediction.tier,
    prediction.score,
    prediction.known_label,
    prediction.known_max_phase,
    prediction_card.is_novel,
    prediction_card.near_known,
    prediction_card.is_prospective_hit as is_hit,
    prediction_card.hit_event,
    prediction_card.hit_date,
    prediction_card.hit_source,
    prediction_card.hit_record,
    prediction_card.failure,
    prediction_card.drug_withdrawn,
    prediction_card.due_date,
    prediction_card.status,
    prediction_card.evidence
from prediction_card
inner join prediction using (slate_id, disease_id, drug_id)
where slate_id = :slate_id and (prediction_card.is_prospective_hit or not :only_hits)
order by prediction.rank, prediction.disease_identifier, prediction.drug_identifier
limit :most
