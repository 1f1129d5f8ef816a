-- Title:      Appends the identifiers of tied drugs as aliases
-- Reads:      drug_tie
-- Writes:     drug_alias
-- Note:       A molecule that already is another drug of the store stays that drug's; the family
--             is shared.
select
    'chembl_id' as kind,
    chembl_id as value,
    drug_id,
    cast(:added_at as timestamptz) as added_at
from drug_tie
where is_own
union all
select
    'parent_chembl_id' as kind,
    family_chembl_id as value,
    drug_id,
    cast(:added_at as timestamptz) as added_at
from drug_tie
where not is_own
