-- Title:      Drugs of the store whose molecules the newest release of ChEMBL lacks
-- Reads:      drug, drug_alias, molecule_bearer, molecule_identity, release_order
-- Note:       Those that the release before had; of a release without a list of molecules nothing
--             can be said.
with newest as (
    select max(position) as position
    from release_order
    where source = 'chembl'
),

drug_molecule as (
    select
        drug_id,
        value as chembl_id
    from drug_alias
    where kind = 'chembl_id'
    union
    select
        drug_alias.drug_id,
        molecule_identity.same_chembl_id as chembl_id
    from drug_alias
    inner join molecule_identity on drug_alias.value = molecule_identity.chembl_id
    where drug_alias.kind = 'chembl_id'
),

shown_drug as (
    select
        drug_molecule.drug_id,
        bool_or(molecule_bearer.position = newest.position) as is_shown,
        max(molecule_bearer.position) >= any_value(newest.position) - 1 as was_shown
    from drug_molecule
    inner join molecule_bearer on drug_molecule.chembl_id = molecule_bearer.chembl_id
    cross join newest
    where molecule_bearer.kind = 'chembl_id'
    group by drug_molecule.drug_id
)

select drug.name
from shown_drug
inner join drug on shown_drug.drug_id = drug.drug_id
where
    shown_drug.was_shown
    and not shown_drug.is_shown
    and (
        select bool_and(molecule_bearer.is_whole)
        from molecule_bearer
        inner join newest on molecule_bearer.position = newest.position
    )
order by drug.name
