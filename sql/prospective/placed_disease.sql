-- Title:   Diseases of a slate by what its vocabulary has of them
-- Formula: the diseases that the slate predicts for; whether one is a term of the slate's
--          vocabulary (disease_term), and whether such a term has relatives there (related_term)
-- Units:   flags
-- Grain:   slate_id, disease_id
-- Stored:  evidence
with predicted as (
    select distinct
        slate_id,
        disease_id
    from prediction
),

term as (
    select distinct
        slate_id,
        disease_id
    from disease_term
),

related as (
    select distinct
        disease_term.slate_id,
        disease_term.disease_id
    from disease_term
    semi join related_term
        on
            disease_term.release_id = related_term.release_id
            and disease_term.term_id = related_term.term_id
            and disease_term.term_id <> related_term.related_term_id
)

select
    slate_id,
    disease_id,
    term.disease_id is not null as has_term,
    related.disease_id is not null as has_relatives
from predicted
left join term using (slate_id, disease_id)
left join related using (slate_id, disease_id)
