-- Title:   ChEMBL's warnings resolved to drugs
-- Formula: molecule or parent, under any identifier that it had, is a key of the drug
-- Units:   type, class, country and year as ChEMBL states them, NULL where it does not; previous_on
--          is the date of the release before among those with warnings, next_release_id the one
--          after, both NULL without one; drug_alias is an unshared key, then the one known first
-- Grain:   drug_id, release_id, record
with warning_release as (
    select
        release_order.release_id,
        release_order.version,
        release_order.position,
        release_order.released_on,
        lag(release_order.released_on) over (order by release_order.position) as previous_on,
        lead(release_order.release_id) over (order by release_order.position) as next_release_id
    from release_order
    semi join drug_warning using (release_id)
),

named_molecule as (
    select
        release_id,
        record,
        unnest(list_distinct([chembl_id, coalesce(parent_chembl_id, chembl_id)])) as value
    from drug_warning
),

warned_molecule as (
    select
        release_id,
        record,
        value
    from named_molecule
    union
    select
        named_molecule.release_id,
        named_molecule.record,
        molecule_identity.same_chembl_id as value
    from named_molecule
    inner join molecule_identity on named_molecule.value = molecule_identity.chembl_id
),

named_drug as (
    select
        entity_key.entity_id as drug_id,
        warned_molecule.release_id,
        warned_molecule.record,
        min_by(
            entity_key.value, (entity_key.is_shared, entity_key.known_since, entity_key.value)
        ) as drug_alias,
        min_by(
            entity_key.strength, (entity_key.is_shared, entity_key.known_since, entity_key.value)
        ) as strength
    from warned_molecule
    inner join entity_key on warned_molecule.value = entity_key.value
    where entity_key.entity_kind = 'drug'
    group by entity_key.entity_id, warned_molecule.release_id, warned_molecule.record
)

select
    named_drug.drug_id,
    named_drug.release_id,
    named_drug.record,
    named_drug.drug_alias,
    named_drug.strength,
    warning_release.version,
    warning_release.position,
    warning_release.released_on,
    warning_release.previous_on,
    warning_release.next_release_id,
    drug_warning.warning_type,
    drug_warning.warning_class,
    drug_warning.warning_country,
    drug_warning.warning_year
from named_drug
inner join warning_release using (release_id)
inner join drug_warning using (release_id, record)
