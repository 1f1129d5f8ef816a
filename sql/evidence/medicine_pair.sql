-- Title:   Medicines resolved to pairs
-- Formula: the substance is a text of the drug and a therapeutic area one of the disease; not where
--          the text of the substance joins several, of which the drug is one
-- Units:   a row for each version of a medicine; area is EMA's term; the other columns as in
--          trial_pair
-- Grain:   disease_id, drug_id, medicine_id, drug_alias, disease_alias, level, known_since,
--          is_shared
-- Note:    of several texts the strongest, and a weaker one where it was known earlier; then the
--          first by value
with named_text as (
    select
        medicine_text.medicine_id,
        medicine_text.entity_kind,
        entity_text.entity_id,
        medicine_text.value,
        medicine_text.name,
        entity_text.level,
        entity_text.strength,
        entity_text.known_since,
        entity_text.is_shared
    from medicine_text
    inner join entity_text using (entity_kind, value)
    inner join match_kind using (strength)
    where match_kind.match_kind <> 'combination_member'
    qualify
        entity_text.known_since < coalesce(
            min(entity_text.known_since) over (
                partition by
                    medicine_text.entity_kind,
                    entity_text.entity_id,
                    medicine_text.medicine_id,
                    entity_text.is_shared
                order by entity_text.level, entity_text.known_since, medicine_text.value
                rows between unbounded preceding and 1 preceding
            ),
            'infinity'
        )
),

named_drug as (
    select * from named_text
    where entity_kind = 'drug'
),

named_disease as (
    select * from named_text
    where entity_kind = 'disease'
),

named_pair as (
    select
        named_disease.entity_id as disease_id,
        named_drug.entity_id as drug_id,
        named_drug.medicine_id,
        named_disease.name as area,
        named_drug.value as drug_alias,
        named_disease.value as disease_alias,
        greatest(named_drug.level, named_disease.level) as level,
        greatest(named_drug.strength, named_disease.strength) as strength,
        greatest(named_drug.known_since, named_disease.known_since) as known_since,
        named_drug.is_shared or named_disease.is_shared as is_shared
    from named_drug
    inner join named_disease using (medicine_id)
)

select
    named_pair.disease_id,
    named_pair.drug_id,
    named_pair.medicine_id,
    named_pair.area,
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
                named_pair.medicine_id,
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
