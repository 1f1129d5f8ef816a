-- Title:      The outcomes of a slate that the evidence shows and the ledger lacks
-- Reads:      new_outcome
-- Writes:     detected_outcome
-- Parameters: slate_id
select
    slate_id,
    disease_id,
    drug_id,
    outcome_type,
    event_date,
    first_public_on,
    source,
    release_id,
    detail
from new_outcome
where slate_id = :slate_id
