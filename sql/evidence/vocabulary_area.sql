-- Title:   Terms of vocabularies by area of disease
-- Formula: an area is a class directly below the class of all diseases, or below one that only says
--          by what diseases are divided there; in MeSH, a heading above which there is none
-- Units:   one row for each area above the term, or that the term is itself; of each vocabulary the
--          newest release that has areas and was ingested by the as-of instant
-- Grain:   release_id, term_id, area_id
with recursive known_release as (
    select
        release.release_id,
        release.source,
        release.released_on
    from vocabulary_release
    inner join release on vocabulary_release.release_id = release.release_id
    where release.ingested_at <= (select report_instant.as_of from report_instant)
),

-- Classes of all diseases, and classes that divide them by body system, mechanism and the like.
term as (
    select
        vocabulary_term.release_id,
        vocabulary_term.term_id,
        vocabulary_term.label,
        starts_with(vocabulary_term.term_id, 'MESH:') as is_heading,
        vocabulary_term.folded_label in ('disease', 'human disease', 'disease or disorder')
            as is_all_diseases,
        regexp_matches(
            vocabulary_term.folded_label,
            '^(human )?(disease|disorder) (by|of) '
            || '(.*\b(anatomical|body system|subcellular|cell type|etiolog\w*|mechanism|process)\b'
            || '|cellular (process|component)|molecular activity)'
        ) as is_divided
    from vocabulary_term
    inner join known_release on vocabulary_term.release_id = known_release.release_id
    where vocabulary_term.label is not null and not vocabulary_term.is_obsolete
),

term_parent as materialized (
    select
        vocabulary_parent.release_id,
        vocabulary_parent.term_id,
        vocabulary_parent.parent_term_id,
        term.label,
        term.is_all_diseases or term.is_divided as is_division
    from vocabulary_parent
    inner join term
        on
            vocabulary_parent.release_id = term.release_id
            and vocabulary_parent.term_id = term.term_id
),

division as (
    select
        release_id,
        term_id
    from term
    where is_all_diseases and not is_heading
    union
    select
        term_parent.release_id,
        term_parent.term_id
    from division
    inner join term_parent
        on
            division.release_id = term_parent.release_id
            and division.term_id = term_parent.parent_term_id
    where term_parent.is_division
),

area as (
    select
        term_parent.release_id,
        term_parent.term_id as area_id,
        term_parent.label as area
    from term_parent
    inner join division
        on
            term_parent.release_id = division.release_id
            and term_parent.parent_term_id = division.term_id
    anti join division as divided
        on
            term_parent.release_id = divided.release_id
            and term_parent.term_id = divided.term_id
    union
    select
        term.release_id,
        term.term_id as area_id,
        term.label as area
    from term
    semi join term_parent
        on
            term.release_id = term_parent.release_id
            and term.term_id = term_parent.parent_term_id
    anti join term_parent as below
        on
            term.release_id = below.release_id
            and term.term_id = below.term_id
    where term.is_heading
),

newest_area as (
    select
        area.release_id,
        known_release.source,
        area.area_id,
        area.area
    from area
    inner join known_release on area.release_id = known_release.release_id
    qualify
        dense_rank() over (
            partition by known_release.source
            order by known_release.released_on desc, area.release_id desc
        ) = 1
),

descendant as (
    select
        release_id,
        area_id as term_id,
        area_id
    from newest_area
    union
    select
        descendant.release_id,
        term_parent.term_id,
        descendant.area_id
    from descendant
    inner join term_parent
        on
            descendant.release_id = term_parent.release_id
            and descendant.term_id = term_parent.parent_term_id
)

select
    descendant.release_id,
    newest_area.source,
    descendant.term_id,
    descendant.area_id,
    newest_area.area
from descendant
inner join newest_area
    on
        descendant.release_id = newest_area.release_id
        and descendant.area_id = newest_area.area_id
