-- Title:      Whether a release of ChEMBL was kept with the names of all its molecules
-- Reads:      drug_alias, indication, molecule, molecule_name
-- Note:       Earlier versions kept those of the families of indicated molecules and of drugs of
--             the store: a name of any other molecule shows that all were kept. Where a file has
--             no other, both come to the same.
with family as (
    select distinct coalesce(parent_chembl_id, chembl_id) as family_chembl_id from indication
),

parent as (
    select
        chembl_id,
        max(parent_chembl_id) as parent_chembl_id
    from molecule
    group by chembl_id
)

select count(*) > 0 as keeps_every_name
from molecule_name
left join parent using (chembl_id)
anti join drug_alias as by_id on molecule_name.chembl_id = by_id.value
anti join drug_alias as by_name on molecule_name.folded_name = by_name.value
anti join family
    on coalesce(parent.parent_chembl_id, molecule_name.chembl_id) = family.family_chembl_id
where molecule_name.release_id = :release_id
