-- Title:   Names and ids by which evidence refers to a slate's diseases
-- Formula: the aliases in the store when the slate was recorded; a value shared by two diseases
--          matches neither
-- Source:  docs/metrics.md#slate_disease_key
-- Units:   value is an EFO, MONDO or MeSH id or a folded name; strength as in match_kind;
--          known_since is when the alias was first added
-- Grain:   slate_id, disease_id, value
with slate_alias as (
    select
        slate.slate_id,
        disease_alias.disease_id,
        disease_alias.value,
        min(disease_alias.kind) as kind,
        min(disease_alias.added_at) as known_since
    from slate
    inner join disease_alias on slate.recorded_at >= disease_alias.added_at
    group by slate.slate_id, disease_alias.disease_id, disease_alias.value
)

select
    slate_id,
    disease_id,
    value,
    kind,
    case kind
        when 'name' then 2
        when 'synonym' then 3
        else 1
    end as strength,
    known_since
from slate_alias
qualify count(*) over (partition by slate_id, value) = 1
