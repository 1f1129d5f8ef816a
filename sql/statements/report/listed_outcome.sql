-- Title:      The outcomes of a slate as tracker outcome list shows them
-- Reads:      outcome_card
-- Parameters: slate_id, drug_id, disease_id, only_hits
-- Note:       Of any drug or disease where its id is NULL.
select
    outcome_id,
    rank,
    disease_name,
    drug_name,
    outcome_type,
    event_date,
    counts_as,
    record,
    timing,
    failure,
    drug_withdrawn,
    source,
    tier,
    version,
    withdrawal,
    outcome_origin,
    recorded_at,
    claimed_observed_at
from outcome_card
where
    slate_id = :slate_id
    and drug_id = coalesce(:drug_id, drug_id)
    and disease_id = coalesce(:disease_id, disease_id)
    and (counts_as = 'hit' or not :only_hits)
order by outcome_id
