-- Title:   A name belongs to a term of its release and occurs once per scope
-- When:    audit
-- Grain:   release_id, term_id, scope, name
select
    vocabulary_name.release_id,
    vocabulary_name.term_id,
    vocabulary_name.scope,
    vocabulary_name.name,
    'the release lacks the term, or the name occurs more than once' as reason
from vocabulary_name
left join vocabulary_term using (release_id, term_id)
group by
    vocabulary_name.release_id,
    vocabulary_name.term_id,
    vocabulary_name.scope,
    vocabulary_name.name
having count(*) > 1 or count(vocabulary_term.term_id) = 0
