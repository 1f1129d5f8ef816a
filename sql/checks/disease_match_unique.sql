-- Title:   A matching writes a match of a text with a disease once per kind; both are known
-- When:    audit
-- Grain:   matching_id, folded_text, is_mesh_term, mesh_key, disease_id, match_kind
select
    disease_match.matching_id,
    disease_match.folded_text,
    disease_match.is_mesh_term,
    coalesce(disease_match.mesh_id, '') as mesh_key,
    disease_match.disease_id,
    disease_match.match_kind,
    'the match repeats, or its matching or disease is unknown' as reason
from disease_match
left join matching on disease_match.matching_id = matching.matching_id
left join disease on disease_match.disease_id = disease.disease_id
group by
    disease_match.matching_id,
    disease_match.folded_text,
    disease_match.is_mesh_term,
    coalesce(disease_match.mesh_id, ''),
    disease_match.disease_id,
    disease_match.match_kind
having
    count(*) > 1
    or count(matching.matching_id) < count(*)
    or count(disease.disease_id) < count(*)
