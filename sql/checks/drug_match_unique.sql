-- Title:   A matching writes a match of a text with a drug once per kind; both are known
-- When:    audit
-- Grain:   matching_id, folded_text, is_mesh_term, mesh_key, drug_id, match_kind
select
    drug_match.matching_id,
    drug_match.folded_text,
    drug_match.is_mesh_term,
    coalesce(drug_match.mesh_id, '') as mesh_key,
    drug_match.drug_id,
    drug_match.match_kind,
    'the match repeats, or its matching or drug is unknown' as reason
from drug_match
left join matching on drug_match.matching_id = matching.matching_id
left join drug on drug_match.drug_id = drug.drug_id
group by
    drug_match.matching_id,
    drug_match.folded_text,
    drug_match.is_mesh_term,
    coalesce(drug_match.mesh_id, ''),
    drug_match.drug_id,
    drug_match.match_kind
having
    count(*) > 1
    or count(matching.matching_id) < count(*)
    or count(drug.drug_id) < count(*)
