-- Title:      Every drug and disease that a slate predicts, by kind and name
-- Reads:      disease, disease_performance, drug, drug_performance
-- Note:       Predictions and prospective hits are added up over slates: a pair predicted by two
--             slates counts in both. The identifier is NULL for what is identified by its name.
with slate_entity as (
    select
        'disease' as entity_kind,
        disease_id as entity_id,
        n_predictions,
        n_hits
    from disease_performance
    where evidence_window = 'prospective' and population = 'all'
    union all
    select
        'drug' as entity_kind,
        drug_id as entity_id,
        n_predictions,
        n_hits
    from drug_performance
    where evidence_window = 'prospective' and population = 'all'
),

named_entity as (
    select
        'disease' as entity_kind,
        disease_id as entity_id,
        name,
        ontology_id as identifier
    from disease
    union all
    select
        'drug' as entity_kind,
        drug_id as entity_id,
        name,
        chembl_id as identifier
    from drug
)

select
    entity_kind,
    entity_id,
    any_value(named_entity.name) as name,
    any_value(named_entity.identifier) as identifier,
    count(*) as n_slates,
    cast(sum(slate_entity.n_predictions) as bigint) as n_predictions,
    cast(sum(slate_entity.n_hits) as bigint) as n_prospective_hits
from slate_entity
inner join named_entity using (entity_kind, entity_id)
group by entity_kind, entity_id
order by entity_kind, lower(any_value(named_entity.name)), entity_id
