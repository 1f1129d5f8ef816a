-- Title:   Diseases closely related to those of a slate
-- Formula: of the diseases that the slate predicts for, the diseases of the store whose terms are
--          related to theirs (related_term), the closest relation: the same, ancestor, descendant,
--          sibling
-- Units:   relation is what related_disease_id is to disease_id; distance is 1 to 4 in that order;
--          class_size, of equally close relations the least, as in related_term
-- Grain:   slate_id, disease_id, related_disease_id
with predicted as (
    select distinct
        slate_id,
        disease_id
    from prediction
),

related as (
    select
        own.slate_id,
        own.disease_id,
        other.disease_id as related_disease_id,
        related_term.relation,
        list_position(
            ['same disease', 'ancestor', 'descendant', 'sibling'], related_term.relation
        ) as distance,
        related_term.class_size
    from disease_term as own
    semi join predicted
        on own.slate_id = predicted.slate_id and own.disease_id = predicted.disease_id
    inner join related_term
        on own.release_id = related_term.release_id and own.term_id = related_term.term_id
    inner join disease_term as other
        on own.slate_id = other.slate_id and related_term.related_term_id = other.term_id
    where own.disease_id <> other.disease_id
)

select
    slate_id,
    disease_id,
    related_disease_id,
    arg_min(relation, distance) as relation,
    min(distance) as distance,
    arg_min(class_size, row(distance, class_size)) as class_size
from related
group by slate_id, disease_id, related_disease_id
