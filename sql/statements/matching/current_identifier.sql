-- Title:      The term in force for which an old or merged identifier stands
-- Reads:      known_term_name, release, vocabulary_mapping, vocabulary_term
-- Creates:    current_identifier
-- Parameters: none
with succession as (
    select
        object_id as old_id,
        term_id,
        release_id
    from vocabulary_mapping
    where predicate = 'oboInOwl:hasAlternativeId'
    union all
    select
        term_id as old_id,
        replaced_by as term_id,
        release_id
    from vocabulary_term
    where is_obsolete and replaced_by is not null
)

select
    succession.old_id,
    min(succession.term_id) as term_id,
    min(release.ingested_at) as known_since
from succession
inner join release on succession.release_id = release.release_id
anti join known_term_name on succession.old_id = known_term_name.term_id
group by succession.old_id
having count(distinct succession.term_id) = 1
