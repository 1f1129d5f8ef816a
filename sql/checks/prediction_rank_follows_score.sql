-- Title:   A better rank never has a lower score
-- When:    write
-- Grain:   slate_id, disease_id, drug_id
with neighbour as (
    select
        prediction.slate_id,
        prediction.disease_id,
        prediction.drug_id,
        prediction.score,
        lag(prediction.score) over (
            partition by prediction.slate_id, prediction.disease_id
            order by prediction.rank
        ) as better_score
    from prediction
)

select
    slate_id,
    disease_id,
    drug_id,
    'the score is above that of the rank before it' as reason
from neighbour
where score > better_score
