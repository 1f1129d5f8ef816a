-- Title:   Names and ids by which evidence refers to diseases
-- Formula: the aliases of all diseases; a value that another disease had already, or got at the
--          same time, is none of its keys
-- Source:  docs/metrics.md#disease_key
-- Units:   value is an EFO, MONDO or MeSH id or a folded name; strength as in match_kind;
--          known_since is when the alias was first added; is_shared where the value has since
--          become another disease's too, so that it means neither to slates recorded after that
-- Grain:   disease_id, value
with stored_alias as (
    select
        disease_id,
        value,
        min(kind) as kind,
        min(added_at) as known_since
    from disease_alias
    group by disease_id, value
),

claim as (
    select
        *,
        count(*) over (partition by value) as n_claims,
        count(*) over (partition by value order by known_since) as n_claims_by_then
    from stored_alias
)

select
    disease_id,
    value,
    kind,
    case kind
        when 'name' then 2
        when 'synonym' then 3
        else 1
    end as strength,
    known_since,
    n_claims > 1 as is_shared
from claim
where n_claims_by_then = 1
