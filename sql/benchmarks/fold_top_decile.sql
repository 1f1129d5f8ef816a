-- Title:   Top-decile recall of one fold
-- Formula: |top k predicted and top k true| / k, k = floor(n / 10); the top k are the last k in
--          ascending order of gain and item name
-- Source:  docs/metrics.md#fold_top_decile
-- Units:   fraction 0..1; NULL for fewer than ten items
-- Grain:   submission_id, target_id, fold
with ranked_item as (
    select
        submission_id,
        target_id,
        fold,
        row_number() over (
            partition by submission_id, target_id, fold_number
            order by predicted_gain desc, item desc
        ) as predicted_rank,
        row_number() over (
            partition by submission_id, target_id, fold_number order by actual_gain desc, item desc
        ) as actual_rank,
        rank() over (
            partition by submission_id, target_id, fold_number order by predicted_gain desc
        ) as predicted_tie_rank,
        rank() over (
            partition by submission_id, target_id, fold_number order by actual_gain desc
        ) as actual_tie_rank,
        count(*) over (partition by submission_id, target_id, fold_number, predicted_gain)
            as n_predicted_ties,
        count(*) over (partition by submission_id, target_id, fold_number, actual_gain)
            as n_actual_ties,
        count(*) over (partition by submission_id, target_id, fold_number) // 10 as k
    from fold_value
),

-- A tie counts only if the cut goes through it.
overlap as (
    select
        submission_id,
        target_id,
        fold,
        count(*) as n,
        any_value(k) as k,
        count(*) filter (where predicted_rank <= k and actual_rank <= k) as n_recalled,
        coalesce(
            max(n_predicted_ties) filter (
                where predicted_rank = k and predicted_tie_rank + n_predicted_ties - 1 > k
            ),
            0
        ) as n_tied_at_cut,
        coalesce(
            max(n_actual_ties) filter (
                where actual_rank = k and actual_tie_rank + n_actual_ties - 1 > k
            ),
            0
        ) as n_true_tied_at_cut
    from ranked_item
    group by submission_id, target_id, fold
)

select
    submission_fold.submission_id,
    submission_fold.target_id,
    submission_fold.fold,
    submission_fold.target,
    coalesce(overlap.n, 0) as n,
    coalesce(overlap.k, 0) as k,
    coalesce(overlap.n_recalled, 0) as n_recalled,
    coalesce(overlap.n_tied_at_cut, 0) as n_tied_at_cut,
    coalesce(overlap.n_true_tied_at_cut, 0) as n_true_tied_at_cut,
    overlap.n_recalled / nullif(overlap.k, 0) as top_decile_recall,
    case
        when overlap.n is null then 'no item has a true value'
        when overlap.k = 0 then 'fewer than ten items have a true value'
    end as reason
from submission_fold
left join overlap using (submission_id, target_id, fold)
