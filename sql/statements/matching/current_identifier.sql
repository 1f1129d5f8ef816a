-- Title:      The term in force for which an old or merged identifier stands
-- Reads:      known_term_name, release, vocabulary_mapping, vocabulary_term
-- Creates:    current_identifier
-- Note:       Successors are followed to the last, into other vocabularies, too; a circle has none.
with recursive succession as (
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
),

successor as (
    select
        succession.old_id,
        min(succession.term_id) as term_id,
        min(release.ingested_at) as known_since
    from succession
    inner join release on succession.release_id = release.release_id
    anti join known_term_name on succession.old_id = known_term_name.term_id
    group by succession.old_id
    having count(distinct succession.term_id) = 1
),

followed as (
    select
        old_id,
        term_id,
        known_since
    from successor
    union
    select
        followed.old_id,
        successor.term_id,
        greatest(followed.known_since, successor.known_since) as known_since
    from followed
    inner join successor on followed.term_id = successor.old_id
)

select
    followed.old_id,
    followed.term_id,
    followed.known_since
from followed
anti join successor on followed.term_id = successor.old_id
