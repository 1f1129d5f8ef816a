-- Title:   Names and ids by which evidence refers to drugs and diseases
-- Formula: the aliases of all drugs and diseases; a value that another of the kind had already, or
--          got at the same time, is none of its keys, unless it is the ChEMBL id of drugs
-- Units:   value is a ChEMBL, EFO, MONDO or MeSH id or a folded name; strength as in match_kind;
--          known_since is when the alias was first added; is_shared where the value has since
--          become another's of the kind too, so that it means neither to slates recorded after that
-- Grain:   entity_kind, entity_id, value
with stored_alias as (
    select
        'drug' as entity_kind,
        drug_id as entity_id,
        value,
        min(kind) as kind,
        min(added_at) as known_since
    from drug_alias
    group by drug_id, value
    union all
    select
        'disease' as entity_kind,
        disease_id as entity_id,
        value,
        min(kind) as kind,
        min(added_at) as known_since
    from disease_alias
    group by disease_id, value
),

claim as (
    select
        *,
        kind in ('chembl_id', 'parent_chembl_id') as is_drug_id,
        count(*) over (partition by value, entity_kind) as n_claims,
        count(*) over (
            partition by value, entity_kind order by known_since
        ) as n_claims_by_then
    from stored_alias
)

select
    entity_kind,
    entity_id,
    value,
    kind,
    case kind
        when 'name' then 2
        when 'synonym' then 3
        else 1
    end as strength,
    known_since,
    not is_drug_id and n_claims > 1 as is_shared
from claim
where is_drug_id or n_claims_by_then = 1
