-- Title:   Share of the predictions by label frequency
-- Formula: predictions of the decile in the first k / (k x instances)
-- Source:  METRICS section 4.4, prediction_proportion_at_k
-- Units:   fraction 0..1; below 1 in sum where lists are shorter than k
-- Grain:   submission_id, k, decile
with label_position_count as (
    select
        submission_id,
        label_id,
        position,
        count(*) as n_predictions
    from ranked_prediction
    group by submission_id, label_id, position
),

cut as (
    select
        label_position_count.submission_id,
        cutoff.k,
        label_decile.decile,
        cast(sum(label_position_count.n_predictions) as bigint) as n_predictions
    from label_position_count
    inner join label_decile using (label_id)
    inner join cutoff on label_position_count.position <= cutoff.k
    group by label_position_count.submission_id, cutoff.k, label_decile.decile
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
