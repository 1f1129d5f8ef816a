-- Title:   Names and ids by which evidence refers to drugs
-- Formula: the aliases of all drugs; a name that another drug had already, or got at the same
--          time, is none of its keys
-- Source:  docs/metrics.md#drug_key
-- Units:   value is a ChEMBL id or a folded name; strength as in match_kind;
--          known_since is when the alias was first added; is_shared where the value has since
--          become another drug's too, so that it means neither to slates recorded after that
-- Grain:   drug_id, value
with stored_alias as (
    select
        drug_id,
        value,
        min(kind) as kind,
        min(added_at) as known_since
    from drug_alias
    group by drug_id, value
),

claim as (
    select
        *,
        kind in ('chembl_id', 'parent_chembl_id') as is_id,
        count(*) over (partition by value) as n_claims,
        count(*) over (partition by value order by known_since) as n_claims_by_then
    from stored_alias
)

select
    drug_id,
    value,
    kind,
    case kind
        when 'name' then 2
        when 'synonym' then 3
        else 1
    end as strength,
    known_since,
    not is_id and n_claims > 1 as is_shared
from claim
where is_id or n_claims_by_then = 1
