-- Title:   Diseases that are at or above others
-- Formula: of the diseases of disease_term those whose term is an ancestor of the disease's, at any
--          distance; of two that are the same term, or each above the other, the first by name
-- Units:   also of diseases that the slate does not predict for
-- Grain:   slate_id, disease_id, broader_disease_id
with recursive above as (
    select distinct
        release_id,
        term_id,
        term_id as broader_term_id
    from disease_term
    union
    select
        above.release_id,
        above.term_id,
        vocabulary_parent.parent_term_id
    from above
    inner join vocabulary_parent
        on
            above.release_id = vocabulary_parent.release_id
            and above.broader_term_id = vocabulary_parent.term_id
),

broader as (
    select distinct
        own.slate_id,
        own.disease_id,
        other.disease_id as broader_disease_id
    from disease_term as own
    inner join above using (release_id, term_id)
    inner join disease_term as other
        on own.slate_id = other.slate_id and above.broader_term_id = other.term_id
    where own.disease_id <> other.disease_id
)

select broader.*
from broader
inner join disease on broader.disease_id = disease.disease_id
inner join disease as broader_name on broader.broader_disease_id = broader_name.disease_id
left join broader as reverse
    on
        broader.slate_id = reverse.slate_id
        and broader.disease_id = reverse.broader_disease_id
        and broader.broader_disease_id = reverse.disease_id
where
    reverse.disease_id is null
    or (broader_name.name, broader_name.disease_id) < (disease.name, disease.disease_id)
