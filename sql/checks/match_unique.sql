-- Title:   A matching writes a match of a text with a drug or disease once per kind; all are known
-- When:    audit
-- Grain:   matching_id, folded_text, is_mesh_term, mesh_key, entity_kind, entity_id, match_kind
with resolved_text as (
    select
        'drug' as entity_kind,
        drug_match.drug_id as entity_id,
        drug.drug_id is not null as is_known,
        drug_match.matching_id,
        drug_match.folded_text,
        drug_match.is_mesh_term,
        coalesce(drug_match.mesh_id, '') as mesh_key,
        drug_match.match_kind
    from drug_match
    left join drug on drug_match.drug_id = drug.drug_id
    union all
    select
        'disease' as entity_kind,
        disease_match.disease_id as entity_id,
        disease.disease_id is not null as is_known,
        disease_match.matching_id,
        disease_match.folded_text,
        disease_match.is_mesh_term,
        coalesce(disease_match.mesh_id, '') as mesh_key,
        disease_match.match_kind
    from disease_match
    left join disease on disease_match.disease_id = disease.disease_id
)

select
    resolved_text.matching_id,
    resolved_text.folded_text,
    resolved_text.is_mesh_term,
    resolved_text.mesh_key,
    resolved_text.entity_kind,
    resolved_text.entity_id,
    resolved_text.match_kind,
    'the match repeats, or its matching, drug or disease is unknown' as reason
from resolved_text
left join matching on resolved_text.matching_id = matching.matching_id
group by all
having
    count(*) > 1
    or count(matching.matching_id) < count(*)
    or not bool_and(resolved_text.is_known)
