-- Title:   Concentration of hits
-- Result:  Hits, pair by pair
-- Formula: hits of the disease, drug or record with most hits / hits of the slate; a hit is of the
--          first record that shows it
-- Units:   fraction 0..1, 1 = every hit is of one disease, drug or record; NULL without hits;
--          among equals the first by name is named; entities of kind 'record' are those with hits,
--          without a row where no hit has a record
-- Grain:   slate_id, evidence_window, population, entity_kind
with entity_hit as (
    select
        slate_id,
        evidence_window,
        population,
        if(drug_id is null, 'disease', 'drug') as entity_kind,
        coalesce(disease_id, drug_id) as entity_id,
        cast(null as varchar) as record,
        count(*) filter (where is_hit) as n_hits
    from population_pair
    group by slate_id, evidence_window, population, grouping sets ((disease_id), (drug_id))
    union all
    select
        slate_id,
        evidence_window,
        population,
        'record' as entity_kind,
        null as entity_id,
        first_record as record,
        count(*) as n_hits
    from population_pair
    where is_hit
    group by slate_id, evidence_window, population, first_record
),

-- A claim may have no record, and no name here; it is one of the hits all the same.
named_hit as (
    select
        entity_hit.*,
        case entity_hit.entity_kind
            when 'disease' then disease.name
            when 'drug' then drug.name
            else entity_hit.record
        end as name,
        coalesce(entity_tie_name.folded_name, entity_hit.record, '') as folded_name
    from entity_hit
    cross join report_instant
    left join disease on entity_hit.entity_id = disease.disease_id
    left join drug on entity_hit.entity_id = drug.drug_id
    left join entity_tie_name
        on
            entity_hit.entity_kind = entity_tie_name.entity_kind
            and entity_hit.entity_id = entity_tie_name.entity_id
            and (
                entity_tie_name.name_number = 1
                or report_instant.as_of >= entity_tie_name.named_since
            )
            and coalesce(report_instant.as_of < entity_tie_name.named_until, true)
),

kind_hit as (
    select
        slate_id,
        evidence_window,
        population,
        entity_kind,
        cast(sum(n_hits) as bigint) as n_hits,
        count(name) as n_entities,
        count(name) filter (where n_hits > 0) as n_entities_with_hits,
        arg_min(name, row(-n_hits, folded_name, entity_id))
        filter (where n_hits > 0) as entity_name,
        max(n_hits) filter (where name is not null) as n_most_hits
    from named_hit
    group by slate_id, evidence_window, population, entity_kind
    having count(name) > 0
)

select
    *,
    n_most_hits / nullif(n_hits, 0) as largest_share,
    if(n_hits = 0, 'no hits in this window and population', null) as reason
from kind_hit
