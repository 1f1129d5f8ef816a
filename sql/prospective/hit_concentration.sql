-- Title:   Concentration of hits
-- Formula: hits of the disease, or of the drug, with most hits / hits of the slate
-- Source:  docs/metrics.md#hit_concentration
-- Units:   fraction 0..1, 1 = every hit is of one disease or drug; NULL without hits; among
--          equals the first by name is named
-- Grain:   slate_id, evidence_window, population, entity_kind
with disease_count as (
    select
        slate_id,
        evidence_window,
        population,
        disease_id,
        count(*) filter (where is_hit) as n_hits
    from population_pair
    group by slate_id, evidence_window, population, disease_id
),

drug_count as (
    select
        slate_id,
        evidence_window,
        population,
        drug_id,
        count(*) filter (where is_hit) as n_hits
    from population_pair
    group by slate_id, evidence_window, population, drug_id
),

entity_hit as (
    select
        slate_id,
        evidence_window,
        population,
        'disease' as entity_kind,
        disease_id as entity_id,
        n_hits
    from disease_count
    union all
    select
        slate_id,
        evidence_window,
        population,
        'drug' as entity_kind,
        drug_id as entity_id,
        n_hits
    from drug_count
),

named_hit as (
    select
        entity_hit.slate_id,
        entity_hit.evidence_window,
        entity_hit.population,
        entity_hit.entity_kind,
        entity_hit.entity_id,
        entity_hit.n_hits,
        if(entity_hit.entity_kind = 'disease', disease.name, drug.name) as name,
        coalesce(
            if(
                entity_hit.entity_kind = 'disease',
                disease_tie_name.folded_name,
                drug_tie_name.folded_name
            ),
            ''
        ) as folded_name
    from entity_hit
    left join disease on entity_hit.entity_id = disease.disease_id
    left join drug on entity_hit.entity_id = drug.drug_id
    left join disease_tie_name
        on
            entity_hit.entity_id = disease_tie_name.disease_id
            and disease_tie_name.named_until is null
    left join drug_tie_name
        on entity_hit.entity_id = drug_tie_name.drug_id and drug_tie_name.named_until is null
),

kind_hit as (
    select
        slate_id,
        evidence_window,
        population,
        entity_kind,
        cast(sum(n_hits) as bigint) as n_hits,
        count(*) as n_entities,
        count(*) filter (where n_hits > 0) as n_entities_with_hits,
        max(n_hits) as n_most_hits,
        arg_min(name, row(-n_hits, folded_name, entity_id)) as entity_name
    from named_hit
    group by slate_id, evidence_window, population, entity_kind
)

select
    kind_hit.slate_id,
    kind_hit.evidence_window,
    kind_hit.population,
    kind_hit.entity_kind,
    kind_hit.n_hits,
    kind_hit.n_entities,
    kind_hit.n_entities_with_hits,
    if(kind_hit.n_hits = 0, null, kind_hit.entity_name) as entity_name,
    kind_hit.n_most_hits,
    kind_hit.n_most_hits / nullif(kind_hit.n_hits, 0) as largest_share,
    if(kind_hit.n_hits = 0, 'no hits in this window and population', null) as reason
from kind_hit
