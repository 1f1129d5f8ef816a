-- Title:   Share of the predictions by label frequency
-- Formula: predictions of the decile in the first k / (k x instances)
-- Source:  docs/metrics.md#prediction_proportion_at_k
-- Units:   fraction 0..1; below 1 in sum where lists are shorter than k
-- Grain:   submission_id, k, decile
with decile_position_count as (
    select
        ranked_prediction.submission_id,
        label_decile.decile_number,
        ranked_prediction.position,
        any_value(label_decile.decile) as decile,
        count(*) as n_predictions
    from ranked_prediction
    inner join label_decile using (label_id)
    group by
        ranked_prediction.submission_id, label_decile.decile_number, ranked_prediction.position
),

cut as (
    select
        decile_position_count.submission_id,
        cutoff.k,
        decile_position_count.decile,
        cast(sum(decile_position_count.n_predictions) as bigint) as n_predictions
    from decile_position_count
    inner join cutoff on decile_position_count.position <= cutoff.k
    group by decile_position_count.submission_id, cutoff.k, decile_position_count.decile
)

select
    multilabel_decile.submission_id,
    cutoff.k,
    multilabel_decile.decile,
    coalesce(cut.n_predictions, 0) as n_predictions,
    coalesce(cut.n_predictions, 0) / nullif(cutoff.k * counted.n_instances, 0)
        as prediction_proportion
from multilabel_decile
inner join multilabel_instance_count as counted using (submission_id)
cross join cutoff
left join cut
    on
        multilabel_decile.submission_id = cut.submission_id
        and cutoff.k = cut.k
        and multilabel_decile.decile = cut.decile
