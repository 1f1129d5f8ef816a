-- Title:   Correct predictions within their decile's list
-- Formula: the instance's list is split by decile; position, hit number and length are counted
--          within the decile's part
-- Source:  docs/metrics.md#decile_hit
-- Units:   positions from 1
-- Grain:   submission_id, item_id, label_id
with hit_list as (
    select distinct
        submission_id,
        item_id,
        decile,
        decile_number
    from ranked_hit
),

decile_prediction as (
    select
        ranked_prediction.submission_id,
        ranked_prediction.item_id,
        ranked_prediction.label_id,
        hit_list.decile,
        row_number() over decile_list as decile_position,
        count(*) over (
            partition by
                ranked_prediction.submission_id,
                ranked_prediction.item_id,
                label_decile.decile_number
        ) as n_predictions
    from ranked_prediction
    inner join label_decile using (label_id)
    inner join hit_list using (submission_id, item_id, decile_number)
    window decile_list as (
        partition by
            ranked_prediction.submission_id,
            ranked_prediction.item_id,
            label_decile.decile_number
        order by ranked_prediction.position
    )
)

select
    decile_prediction.submission_id,
    decile_prediction.item_id,
    decile_prediction.label_id,
    decile_prediction.decile,
    decile_prediction.decile_position,
    decile_prediction.n_predictions,
    decile_true_count.n_true,
    row_number() over (
        partition by
            decile_prediction.submission_id, decile_prediction.item_id, decile_prediction.decile
        order by decile_prediction.decile_position
    ) as hit_number
from decile_prediction
inner join truth_label using (item_id, label_id)
inner join decile_true_count using (item_id, decile)
