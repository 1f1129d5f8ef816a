-- Title:   Drugs that are one molecule
-- Formula: another drug that has a ChEMBL id of the drug, or of its parent molecule, for its own or
--          for that of its parent: a parent and its salts, and salts of one parent
-- Source:  docs/metrics.md#same_molecule
-- Units:   ids that came after the as-of instant are left out
-- Grain:   drug_id, same_drug_id
with drug_molecule as materialized (
    select distinct
        drug_id,
        value as chembl_id
    from drug_alias
    where
        kind in ('chembl_id', 'parent_chembl_id')
        and added_at <= (select report_instant.as_of from report_instant)
)

select distinct
    drug_molecule.drug_id,
    other.drug_id as same_drug_id
from drug_molecule
inner join drug_molecule as other on drug_molecule.chembl_id = other.chembl_id
where drug_molecule.drug_id <> other.drug_id
