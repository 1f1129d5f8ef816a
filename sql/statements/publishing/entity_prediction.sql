-- Title:      Every prediction of the store, grouped by drug or by disease, as `kind` says
-- Reads:      prediction_card, slate
-- Note:       The predictions of one page are adjacent. Identifiers of slates are texts: a million
--             objects take seconds to make.
select
    cast(prediction_card.slate_id as varchar) as slate_id,
    if(:kind = 'drug', prediction_card.disease_id, prediction_card.drug_id) as other_id,
    prediction_card.rank,
    prediction_card.tier,
    prediction_card.score,
    prediction_card.known_label,
    prediction_card.known_max_phase,
    prediction_card.due_date,
    prediction_card.status,
    prediction_card.evidence,
    if(:kind = 'drug', prediction_card.drug_id, prediction_card.disease_id) as entity_id
from prediction_card
inner join slate using (slate_id)
order by
    entity_id,
    slate.recorded_at,
    slate.slate_id,
    prediction_card.rank,
    other_id
