-- Title:   Names that match no one because two drugs or diseases claim them equally
-- Result:  Evidence and matching
-- Formula: the claims of the strongest kind on a name or normalised name, as of the last matching
--          that compared everything; at least one claimant is in the store
-- Units:   a claimant without an entity_id is a term of a vocabulary
-- Grain:   entity_kind, claim_kind, value, claimant
select
    shared_name.entity_kind,
    shared_name.claim_kind,
    shared_name.value,
    shared_name.claimant,
    shared_name.entity_id,
    coalesce(drug.name, disease.name, shared_name.claimant) as claimant_name
from shared_name
left join drug on shared_name.entity_kind = 'drug' and shared_name.entity_id = drug.drug_id
left join disease
    on shared_name.entity_kind = 'disease' and shared_name.entity_id = disease.disease_id
where
    shared_name.matching_id in (
        select max(matching.matching_id) from matching
        where matching.is_whole
    )
