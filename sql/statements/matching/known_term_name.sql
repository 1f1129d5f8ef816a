-- Title:      The labels and exact synonyms of terms in force, and since when they are known
-- Reads:      identifier_spelling, indication, molecule_name, release, vocabulary_name,
--             vocabulary_term
-- Creates:    known_term_name
-- Note:       The headings of ChEMBL's indications and the names of its molecules count as names
--             of terms. A term is obsolete if the newest release that labels it says so.
with obsolete_term as (
    select vocabulary_term.term_id
    from vocabulary_term
    inner join release on vocabulary_term.release_id = release.release_id
    where vocabulary_term.label is not null
    group by vocabulary_term.term_id
    having arg_max(vocabulary_term.is_obsolete, (release.released_on, release.release_id))
),

stated_name as (
    select
        vocabulary_name.term_id,
        vocabulary_name.scope,
        vocabulary_name.folded_name,
        vocabulary_name.release_id
    from vocabulary_name
    anti join obsolete_term on vocabulary_name.term_id = obsolete_term.term_id
    where vocabulary_name.scope in ('label', 'exact')
    union all
    select
        identifier_spelling.identifier as term_id,
        'label' as scope,
        indication.folded_efo_term as folded_name,
        indication.release_id
    from indication
    inner join identifier_spelling on indication.efo_id = identifier_spelling.given
    where indication.folded_efo_term is not null
    union all
    select
        identifier_spelling.identifier as term_id,
        'label' as scope,
        indication.folded_mesh_heading as folded_name,
        indication.release_id
    from indication
    inner join identifier_spelling on indication.mesh_id = identifier_spelling.given
    where indication.folded_mesh_heading is not null
    union all
    select
        chembl_id as term_id,
        if(kind = 'name', 'label', 'exact') as scope,
        folded_name,
        release_id
    from molecule_name
)

select
    stated_name.term_id,
    regexp_extract(stated_name.term_id, '^[A-Za-z.]+') as prefix,
    stated_name.scope,
    stated_name.folded_name,
    min(release.ingested_at) as known_since
from stated_name
inner join release on stated_name.release_id = release.release_id
where stated_name.folded_name <> ''
group by stated_name.term_id, stated_name.scope, stated_name.folded_name
