-- Title:      The predictions of a slate, the best ranks first
-- Reads:      prediction_card
-- Parameters: slate_id, most
select
    rank,
    disease_name,
    drug_name,
    tier,
    score,
    known_label,
    known_max_phase,
    due_date,
    status,
    evidence
from prediction_card
where slate_id = :slate_id
order by rank, disease_id, drug_id
limit :most
