-- Title:   A matching lists a claim on a shared name once
-- When:    audit
-- Grain:   matching_id, entity_kind, claim_kind, value, claimant
select
    shared_name.matching_id,
    shared_name.entity_kind,
    shared_name.claim_kind,
    shared_name.value,
    shared_name.claimant,
    'the claim repeats, or its matching is unknown' as reason
from shared_name
left join matching on shared_name.matching_id = matching.matching_id
group by
    shared_name.matching_id,
    shared_name.entity_kind,
    shared_name.claim_kind,
    shared_name.value,
    shared_name.claimant
having count(*) > 1 or count(matching.matching_id) = 0
