-- Title:   Correct predictions by position
-- Formula: correct predictions at a position of lists of a length, of instances with a number of
--          true labels
-- Source:  docs/metrics.md#hit_position_count
-- Units:   counts; every sum over instances is a sum over these few rows
-- Grain:   submission_id, position, n_predictions, n_true
with list_length as (
    select
        submission_id,
        item_id,
        count(*) as n_predictions
    from ranked_prediction
    group by submission_id, item_id
),

true_count as (
    select
        item_id,
        count(*) as n_true
    from truth_label
    group by item_id
)

select
    ranked_hit.submission_id,
    ranked_hit.position,
    list_length.n_predictions,
    true_count.n_true,
    count(*) as n_hits
from ranked_hit
inner join list_length using (submission_id, item_id)
inner join true_count using (item_id)
group by
    ranked_hit.submission_id, ranked_hit.position, list_length.n_predictions, true_count.n_true
