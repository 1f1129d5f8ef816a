-- Title:   A slate has as many predictions as were frozen
-- When:    write
-- Grain:   slate_id
select
    slate.slate_id,
    slate.n_predictions,
    count(prediction.rank) as n_stored,
    'predictions were added or removed' as reason
from slate
left join prediction using (slate_id)
group by slate.slate_id, slate.n_predictions
having slate.n_predictions <> count(prediction.rank)
