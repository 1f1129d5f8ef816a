-- Title:      Appends the names that mean one drug as aliases
-- Reads:      name_claim
-- Writes:     drug_alias
select
    kind,
    folded_name as value,
    drug_id,
    cast(:added_at as timestamptz) as added_at
from name_claim
where not is_held and not is_ambiguous
