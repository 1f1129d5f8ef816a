-- Title:   Ties with correct predictions
-- Formula: number of ties from tie_start to tie_end with n_hits correct predictions, in lists of a
--          length, of instances with a number of true labels
-- Units:   counts; every sum over instances is a sum over these few rows
-- Grain:   submission_id, tie_start, tie_end, n_hits, n_predictions, n_true
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
),

hit_tie as (
    select
        submission_id,
        item_id,
        tie_start,
        tie_end,
        count(*) as n_hits
    from ranked_hit
    group by submission_id, item_id, tie_start, tie_end
)

select
    hit_tie.submission_id,
    hit_tie.tie_start,
    hit_tie.tie_end,
    hit_tie.n_hits,
    list_length.n_predictions,
    true_count.n_true,
    count(*) as n_ties
from hit_tie
inner join list_length using (submission_id, item_id)
inner join true_count using (item_id)
group by
    hit_tie.submission_id,
    hit_tie.tie_start,
    hit_tie.tie_end,
    hit_tie.n_hits,
    list_length.n_predictions,
    true_count.n_true
