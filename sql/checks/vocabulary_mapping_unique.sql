-- Title:   A mapping is given once to a term of its release
-- When:    audit
-- Grain:   release_id, term_id, predicate, object_id
select
    vocabulary_mapping.release_id,
    vocabulary_mapping.term_id,
    vocabulary_mapping.predicate,
    vocabulary_mapping.object_id,
    'the release lacks the term, or the mapping occurs more than once' as reason
from vocabulary_mapping
left join vocabulary_term using (release_id, term_id)
group by
    vocabulary_mapping.release_id,
    vocabulary_mapping.term_id,
    vocabulary_mapping.predicate,
    vocabulary_mapping.object_id
having count(*) > 1 or count(vocabulary_term.term_id) = 0
