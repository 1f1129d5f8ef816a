-- Title:      What the sources can see of a set of candidates, as of now
-- Reads:      candidate, entity_coverage
with member as (
    select
        'drug' as entity_kind,
        drug_id as entity_id,
        count(*) as n_candidates
    from candidate
    where candidate_set_id = :candidate_set_id
    group by drug_id
    union all
    select
        'disease' as entity_kind,
        disease_id as entity_id,
        count(*) as n_candidates
    from candidate
    where candidate_set_id = :candidate_set_id
    group by disease_id
)

select
    entity_kind,
    entity_coverage.source,
    entity_coverage.strength,
    entity_coverage.match_kind,
    count(*) as n_entities,
    count(*) / sum(count(*)) over (partition by entity_kind, entity_coverage.source) as share,
    cast(sum(member.n_candidates) as bigint) as n_candidates
from member
inner join entity_coverage using (entity_kind, entity_id)
group by entity_kind, entity_coverage.source, entity_coverage.strength, entity_coverage.match_kind
order by entity_kind, entity_coverage.source, entity_coverage.strength
