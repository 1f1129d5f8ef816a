-- Title:      Names that match none of a slate's or a set's drugs and diseases, since others claim
--             them too, each with the alias that settles it
-- Reads:      ambiguous_name, candidate, disease, disease_alias, prediction, release,
--             vocabulary_name, vocabulary_term
-- Note:       Of a slate's predictions or of a set of candidates: one parameter is NULL. A disease
--             without an identifier whose name two terms of one vocabulary have is neither of them;
--             the identifier of the right one settles it. Another shared name becomes a synonym,
--             unless its other claimant is in the store as well.
with subject as (
    select
        'disease' as entity_kind,
        disease_id as entity_id
    from prediction
    where slate_id = cast(:slate_id as uuid)
    union
    select
        'drug' as entity_kind,
        drug_id as entity_id
    from prediction
    where slate_id = cast(:slate_id as uuid)
    union
    select
        'disease' as entity_kind,
        disease_id as entity_id
    from candidate
    where candidate_set_id = cast(:candidate_set_id as integer)
    union
    select
        'drug' as entity_kind,
        drug_id as entity_id
    from candidate
    where candidate_set_id = cast(:candidate_set_id as integer)
),

nameless as (
    select
        subject.entity_id as disease_id,
        disease.name,
        disease_alias.value
    from subject
    inner join disease on subject.entity_id = disease.disease_id
    inner join disease_alias on disease.disease_id = disease_alias.disease_id
    where
        subject.entity_kind = 'disease'
        and disease_alias.kind = 'name'
        and disease.disease_id not in (
            select identified.disease_id from disease_alias as identified
            where identified.kind in ('efo_id', 'mondo_id', 'mesh_id')
        )
),

term as (
    select
        vocabulary_term.term_id,
        arg_max(vocabulary_term.label, (release.released_on, release.release_id)) as label
    from vocabulary_term
    inner join release on vocabulary_term.release_id = release.release_id
    where vocabulary_term.label is not null
    group by vocabulary_term.term_id
    having not arg_max(vocabulary_term.is_obsolete, (release.released_on, release.release_id))
),

bearer as (
    select
        nameless.disease_id,
        nameless.name,
        nameless.value,
        term.term_id,
        term.label,
        split_part(term.term_id, ':', 1) as prefix,
        max(vocabulary_name.scope) as scope
    from nameless
    inner join vocabulary_name on nameless.value = vocabulary_name.folded_name
    inner join term on vocabulary_name.term_id = term.term_id
    where vocabulary_name.scope in ('label', 'exact')
    group by nameless.disease_id, nameless.name, nameless.value, term.term_id, term.label
),

-- A label comes before a synonym.
rival as (
    select *
    from bearer
    qualify scope = max(scope) over (partition by disease_id, prefix)
),

split_name as (
    select
        'disease' as entity_kind,
        name,
        value,
        concat(term_id, ' "', label, '"') as claimant,
        case prefix when 'MONDO' then 'mondo_id' when 'MESH' then 'mesh_id' else 'efo_id' end
            as alias_kind,
        term_id as alias_value
    from rival
    qualify count(distinct term_id) over (partition by disease_id, prefix) > 1
),

shared as (
    select
        ambiguous_name.entity_kind,
        ambiguous_name.claimant_name as name,
        ambiguous_name.value,
        if(
            other.entity_id is null, other.claimant, other.claimant_name
        ) as claimant,
        if(other.entity_id is null, 'synonym', null) as alias_kind,
        if(other.entity_id is null, ambiguous_name.value, null) as alias_value
    from ambiguous_name
    inner join subject
        on
            ambiguous_name.entity_kind = subject.entity_kind
            and ambiguous_name.entity_id = subject.entity_id
    inner join ambiguous_name as other
        on
            ambiguous_name.entity_kind = other.entity_kind
            and ambiguous_name.claim_kind = other.claim_kind
            and ambiguous_name.value = other.value
            and ambiguous_name.claimant <> other.claimant
)

select
    entity_kind,
    name,
    value,
    claimant,
    alias_kind,
    alias_value
from split_name
union
select
    entity_kind,
    name,
    value,
    claimant,
    alias_kind,
    alias_value
from shared
order by entity_kind, name, value, claimant
