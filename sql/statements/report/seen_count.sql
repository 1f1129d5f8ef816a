-- Title:      How many drugs and diseases of each slate some source names
-- Reads:      slate_coverage
-- Note:       A slate has no row while the store has no release.
with entity as (
    select
        slate_id,
        entity_kind,
        entity_id,
        max(strength) > 0 as is_seen
    from slate_coverage
    group by slate_id, entity_kind, entity_id
)

select
    slate_id,
    count(*) filter (where entity_kind = 'drug') as n_drugs,
    count(*) filter (where entity_kind = 'drug' and is_seen) as n_seen_drugs,
    count(*) filter (where entity_kind = 'disease') as n_diseases,
    count(*) filter (where entity_kind = 'disease' and is_seen) as n_seen_diseases
from entity
group by slate_id
order by slate_id
