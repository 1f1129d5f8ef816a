-- Title:      Terms that vocabularies call the same, from either side
-- Reads:      current_identifier, identifier_spelling, indication, release, vocabulary_mapping
-- Creates:    term_link
-- Note:       Strength 1 is a typed exact match, 2 an untyped cross-reference between vocabularies
--             of diseases, 3 a row of ChEMBL's indications, which pairs EFO with MeSH.
with stated_link as (
    select
        term_id,
        object_id,
        if(predicate = 'skos:exactMatch', 1, 2) as strength,
        release_id
    from vocabulary_mapping
    where
        predicate = 'skos:exactMatch'
        or (
            predicate = 'oboInOwl:hasDbXref'
            and split_part(object_id, ':', 1) in ('DOID', 'EFO', 'MESH', 'MONDO', 'ORDO')
        )
    union all
    select
        efo.identifier as term_id,
        mesh.identifier as object_id,
        3 as strength,
        indication.release_id
    from indication
    inner join identifier_spelling as efo on indication.efo_id = efo.given
    inner join identifier_spelling as mesh on indication.mesh_id = mesh.given
),

current_link as (
    select
        coalesce(subject.term_id, stated_link.term_id) as term_id,
        coalesce(counterpart.term_id, stated_link.object_id) as object_id,
        stated_link.strength,
        greatest(release.ingested_at, subject.known_since, counterpart.known_since) as known_since
    from stated_link
    inner join release on stated_link.release_id = release.release_id
    left join current_identifier as subject on stated_link.term_id = subject.old_id
    left join current_identifier as counterpart on stated_link.object_id = counterpart.old_id
),

either_side as (
    select
        term_id,
        object_id,
        strength,
        known_since
    from current_link
    union all
    select
        object_id as term_id,
        term_id as object_id,
        strength,
        known_since
    from current_link
)

select
    term_id,
    object_id,
    strength,
    regexp_extract(term_id, '^[A-Za-z.]+') as prefix,
    regexp_extract(object_id, '^[A-Za-z.]+') as object_prefix,
    min(known_since) as known_since
from either_side
where term_id <> object_id
group by term_id, object_id, strength
