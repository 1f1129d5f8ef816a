-- Title:   A parent is given once to a term of its release
-- When:    audit
-- Grain:   release_id, term_id, parent_term_id
-- Note:    the parent itself need not be in the release
select
    vocabulary_parent.release_id,
    vocabulary_parent.term_id,
    vocabulary_parent.parent_term_id,
    'the release lacks the term, or the parent occurs more than once' as reason
from vocabulary_parent
left join vocabulary_term using (release_id, term_id)
group by
    vocabulary_parent.release_id,
    vocabulary_parent.term_id,
    vocabulary_parent.parent_term_id
having count(*) > 1 or count(vocabulary_term.term_id) = 0
