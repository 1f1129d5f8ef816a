-- Title:      The outcomes of a slate as tracker outcome list shows them
-- Reads:      outcome_card
-- Parameters: slate_id
select
    outcome_id,
    disease_name,
    drug_name,
    outcome_type,
    timing,
    event_date,
    source,
    version,
    record,
    withdrawal,
    outcome_origin,
    recorded_at,
    claimed_observed_at
from outcome_card
where slate_id = :slate_id
order by outcome_id
