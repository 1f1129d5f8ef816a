-- Title:   Variants of a name
-- Formula: predicted drugs, or diseases, of one slate whose names are equal once case, marks and
--          a salt at the end are left out
-- Source:  docs/metrics.md#name_variant
-- Units:   names as text; the entities stay separate in every metric
-- Grain:   slate_id, entity_kind, name_stem
-- Salts:   the counter-ions and hydrates with which drug names most often end, in one pattern that
--          is compiled once rather than for every name
with slate_entity as (
    select distinct
        prediction.slate_id,
        'drug' as entity_kind,
        prediction.drug_id as entity_id,
        drug.name
    from prediction
    inner join drug using (drug_id)
    union all
    select distinct
        prediction.slate_id,
        'disease' as entity_kind,
        prediction.disease_id as entity_id,
        disease.name
    from prediction
    inner join disease using (disease_id)
),

stemmed_entity as (
    select
        slate_id,
        entity_kind,
        entity_id,
        name,
        regexp_replace(
            if(
                entity_kind = 'drug',
                regexp_replace(
                    lower(name),
                    '( (acetate|bromide|calcium|chloride|citrate|fumarate|hydrobromide'
                    || '|hydrochloride|maleate|mesylate|monohydrate|nitrate|phosphate|potassium'
                    || '|sodium|succinate|sulfate|sulphate|tartrate))+$',
                    ''
                ),
                lower(name)
            ),
            '[^\p{L}\p{N}]+',
            '',
            'g'
        ) as name_stem
    from slate_entity
)

select
    slate_id,
    entity_kind,
    name_stem,
    count(*) as n_names,
    string_agg(name, '; ' order by entity_id) as names
from stemmed_entity
group by slate_id, entity_kind, name_stem
having count(*) > 1 and name_stem <> ''
