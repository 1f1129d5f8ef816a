-- Title:   A term occurs once in a release and has the label that its names give it
-- When:    audit
-- Grain:   release_id, term_id
with label_name as (
    select
        release_id,
        term_id,
        name
    from vocabulary_name
    where scope = 'label'
)

select
    vocabulary_term.release_id,
    vocabulary_term.term_id,
    'the term occurs more than once, or its label is not the one among its names' as reason
from vocabulary_term
left join label_name using (release_id, term_id)
group by vocabulary_term.release_id, vocabulary_term.term_id
having
    count(*) > 1
    or count(*) filter (where vocabulary_term.label is distinct from label_name.name) > 0
