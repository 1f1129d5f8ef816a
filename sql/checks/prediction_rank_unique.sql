-- Title:   A rank occurs once in a disease of a slate
-- When:    write
-- Grain:   slate_id, disease_id, rank
select
    slate_id,
    disease_id,
    rank,
    'two predictions of the disease have this rank' as reason
from prediction
group by slate_id, disease_id, rank
having count(*) > 1
