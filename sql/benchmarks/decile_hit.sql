-- Title:   Correct predictions within their decile's list
-- Formula: the instance's list is split by decile; ties, their hits and the length are counted
--          within the decile's part. hit_number counts the hits down to this one, tie_hit_number
--          those of its tie; n_true, the instance's true labels in the decile
-- Units:   positions from 1 within the decile's part
-- Grain:   submission_id, item_id, label_id
with decile_true_count as (
    select
        truth_label.item_id,
        label_decile.decile,
        count(*) as n_true
    from truth_label
    inner join label_decile using (label_id)
    group by truth_label.item_id, label_decile.decile
),

hit_list as (
    select distinct
        submission_id,
        item_id,
        decile,
        decile_number
    from ranked_hit
),

decile_prediction as (
    select
        label_tie.submission_id,
        label_tie.item_id,
        label_tie.label_id,
        label_tie.tie_start as list_tie_start,
        hit_list.decile,
        row_number() over decile_list as decile_position,
        count(*) over (
            partition by label_tie.submission_id, label_tie.item_id, label_decile.decile_number
        ) as n_predictions
    from label_tie
    inner join label_decile using (label_id)
    inner join hit_list using (submission_id, item_id, decile_number)
    window decile_list as (
        partition by label_tie.submission_id, label_tie.item_id, label_decile.decile_number
        order by label_tie.position
    )
),

tied as (
    select
        *,
        min(decile_position) over decile_tie as tie_start,
        max(decile_position) over decile_tie as tie_end
    from decile_prediction
    window decile_tie as (partition by submission_id, item_id, decile, list_tie_start)
)

select
    tied.submission_id,
    tied.item_id,
    tied.label_id,
    tied.decile,
    tied.tie_start,
    tied.tie_end,
    tied.n_predictions,
    decile_true_count.n_true,
    row_number() over (
        partition by tied.submission_id, tied.item_id, tied.decile
        order by tied.decile_position
    ) as hit_number,
    row_number() over hit_tie as tie_hit_number,
    count(*) over (
        partition by tied.submission_id, tied.item_id, tied.decile, tied.tie_start
    ) as n_tie_hits
from tied
inner join truth_label using (item_id, label_id)
inner join decile_true_count using (item_id, decile)
window hit_tie as (
    partition by tied.submission_id, tied.item_id, tied.decile, tied.tie_start
    order by tied.decile_position
)
