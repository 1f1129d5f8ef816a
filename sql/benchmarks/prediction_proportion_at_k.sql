-- Title:   Share of the predictions by label frequency
-- Result:  Benchmarks
-- Formula: predictions of the decile in the first k / (k x instances), of a tie through which k
--          cuts the mean over all orders
-- Units:   fraction 0..1; below 1 in sum where lists are shorter than k
-- Grain:   submission_id, k, decile
with decile_tie as (
    select
        label_tie.submission_id,
        label_decile.decile_number,
        label_tie.tie_start,
        label_tie.tie_end,
        any_value(label_decile.decile) as decile,
        count(*) as n_predictions
    from label_tie
    inner join label_decile using (label_id)
    group by
        label_tie.submission_id,
        label_decile.decile_number,
        label_tie.tie_start,
        label_tie.tie_end
),

cut as (
    select
        decile_tie.submission_id,
        cutoff.k,
        decile_tie.decile,
        sum(
            decile_tie.n_predictions
            * (least(decile_tie.tie_end, cutoff.k) - decile_tie.tie_start + 1)
            / (decile_tie.tie_end - decile_tie.tie_start + 1)
            order by decile_tie.tie_start, decile_tie.tie_end
        ) as predictions
    from decile_tie
    inner join cutoff on decile_tie.tie_start <= cutoff.k
    group by decile_tie.submission_id, cutoff.k, decile_tie.decile
)

select
    multilabel_decile.submission_id,
    cutoff.k,
    multilabel_decile.decile,
    coalesce(cut.predictions, 0) as predictions,
    coalesce(cut.predictions, 0) / nullif(cutoff.k * counted.n_instances, 0)
        as prediction_proportion
from multilabel_decile
inner join multilabel_instance_count as counted using (submission_id)
cross join cutoff
left join cut
    on
        multilabel_decile.submission_id = cut.submission_id
        and cutoff.k = cut.k
        and multilabel_decile.decile = cut.decile
