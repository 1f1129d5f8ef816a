-- Title:   Indications resolved to pairs
-- Formula: molecule or parent, under any identifier that it had, is a key of the drug, and an id or
--          a term is a key of the disease, or a term with its id was resolved to it
-- Units:   level, known_since and is_shared as in trial_pair
-- Grain:   disease_id, drug_id, indication_id, drug_alias, disease_alias, level, known_since,
--          is_shared
-- Note:    of several keys and terms the strongest, and a weaker one where it was known earlier;
--          then the first by value
with named_molecule as (
    select
        indication_id,
        unnest(list_distinct([chembl_id, coalesce(parent_chembl_id, chembl_id)])) as value
    from indication
),

indicated_molecule as (
    select
        indication_id,
        value
    from named_molecule
    union
    select
        named_molecule.indication_id,
        molecule_identity.same_chembl_id as value
    from named_molecule
    inner join molecule_identity on named_molecule.value = molecule_identity.chembl_id
),

indicated_disease as (
    select
        indication_id,
        unnest(
            list_distinct(
                [
                    efo_id,
                    mesh_id,
                    folded_efo_term,
                    folded_mesh_heading,
                    folded_efo_term || ' [' || efo_id || ']',
                    folded_mesh_heading || ' [' || mesh_id || ']'
                ]
            )
        ) as value
    from indication
),

named_drug as (
    select
        entity_key.entity_id as drug_id,
        indicated_molecule.indication_id,
        entity_key.is_shared,
        min_by(entity_key.value, (entity_key.known_since, entity_key.value)) as drug_alias,
        min(entity_key.known_since) as known_since,
        min_by(entity_key.strength, (entity_key.known_since, entity_key.value)) as strength
    from indicated_molecule
    inner join entity_key using (value)
    where entity_key.entity_kind = 'drug'
    group by entity_key.entity_id, entity_key.is_shared, indicated_molecule.indication_id
),

-- What a text of the registry means says nothing of a term without its id.
named_disease as (
    select
        entity_text.entity_id as disease_id,
        indicated_disease.indication_id,
        entity_text.value as disease_alias,
        entity_text.level,
        entity_text.strength,
        entity_text.known_since,
        entity_text.is_shared
    from indicated_disease
    inner join entity_text using (value)
    where
        entity_text.entity_kind = 'disease'
        and (entity_text.level = 0 or suffix(entity_text.value, ']'))
    qualify
        entity_text.known_since < coalesce(
            min(entity_text.known_since) over (
                partition by
                    entity_text.entity_id,
                    indicated_disease.indication_id,
                    entity_text.is_shared
                order by entity_text.level, entity_text.known_since, entity_text.value
                rows between unbounded preceding and 1 preceding
            ),
            'infinity'
        )
),

named_pair as (
    select
        named_disease.disease_id,
        named_drug.drug_id,
        named_drug.indication_id,
        named_drug.drug_alias,
        named_disease.disease_alias,
        named_disease.level,
        greatest(named_drug.strength, named_disease.strength) as strength,
        greatest(named_drug.known_since, named_disease.known_since) as known_since,
        named_drug.is_shared or named_disease.is_shared as is_shared
    from named_drug
    inner join named_disease using (indication_id)
)

select
    named_pair.disease_id,
    named_pair.drug_id,
    named_pair.indication_id,
    named_pair.drug_alias,
    named_pair.disease_alias,
    named_pair.level,
    match_kind.match_kind,
    named_pair.known_since,
    named_pair.is_shared
from named_pair
inner join match_kind using (strength)
qualify
    named_pair.known_since < coalesce(
        min(named_pair.known_since) over (
            partition by
                named_pair.disease_id,
                named_pair.drug_id,
                named_pair.indication_id,
                named_pair.is_shared
            order by
                named_pair.level,
                named_pair.known_since,
                named_pair.drug_alias,
                named_pair.disease_alias
            rows between unbounded preceding and 1 preceding
        ),
        'infinity'
    )
