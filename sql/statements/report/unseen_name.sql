-- Title:      Drugs and diseases that no source names, each with the nearest text of the evidence
-- Reads:      candidate, disease, disease_alias, drug, drug_alias, entity_coverage,
--             slate_coverage, source_text
-- Note:       Of a slate's predictions or of a set of candidates: one parameter is NULL. Texts
--             are compared by the Jaro-Winkler similarity if they begin with the same two letters;
--             they are suggestions for a person to judge, and never match.
with subject as (
    select
        entity_kind,
        entity_id
    from slate_coverage
    where slate_id = cast(:slate_id as uuid)
    group by entity_kind, entity_id
    having max(strength) = 0
    union all
    select
        entity_coverage.entity_kind,
        entity_coverage.entity_id
    from entity_coverage
    where
        (entity_coverage.entity_kind = 'drug' and entity_coverage.entity_id in (
            select candidate.drug_id
            from candidate
            where candidate.candidate_set_id = cast(:candidate_set_id as integer)
        ))
        or (entity_coverage.entity_kind = 'disease' and entity_coverage.entity_id in (
            select candidate.disease_id
            from candidate
            where candidate.candidate_set_id = cast(:candidate_set_id as integer)
        ))
    group by entity_coverage.entity_kind, entity_coverage.entity_id
    having max(entity_coverage.strength) = 0
),

named as (
    select
        subject.entity_kind,
        subject.entity_id,
        drug.name,
        drug_alias.value
    from subject
    inner join drug on subject.entity_id = drug.drug_id
    left join drug_alias on drug.drug_id = drug_alias.drug_id and drug_alias.kind = 'name'
    where subject.entity_kind = 'drug'
    union all
    select
        subject.entity_kind,
        subject.entity_id,
        disease.name,
        disease_alias.value
    from subject
    inner join disease on subject.entity_id = disease.disease_id
    left join disease_alias
        on disease.disease_id = disease_alias.disease_id and disease_alias.kind = 'name'
    where subject.entity_kind = 'disease'
),

near as (
    select
        named.entity_kind,
        named.entity_id,
        source_text.value,
        jaro_winkler_similarity(named.value, source_text.value) as similarity
    from named
    inner join source_text
        on
            named.entity_kind = source_text.entity_kind
            and left(named.value, 2) = left(source_text.value, 2)
    where
        source_text.value not like '% [%]'
        and jaro_winkler_similarity(named.value, source_text.value) >= :least_similarity
    qualify
        row_number() over (
            partition by named.entity_kind, named.entity_id
            order by similarity desc, source_text.value asc
        ) = 1
)

select
    named.entity_kind,
    named.name,
    any_value(near.value) as nearest_text,
    any_value(near.similarity) as similarity
from named
left join near using (entity_kind, entity_id)
group by named.entity_kind, named.entity_id, named.name
order by named.entity_kind, named.name
