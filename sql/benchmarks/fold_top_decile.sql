-- Title:   Top-decile recall of one fold
-- Formula: |top k predicted and top k true| / k, k = floor(n / 10); the top k are the last k in
--          ascending order of gain and item name; expected_recall is its mean over all ways of
--          breaking ties, those of predictions and of truth independently
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

-- An item is in the top by its value alone, or tied where the cut goes through its tie.
placed_item as (
    select
        submission_id,
        target_id,
        fold,
        k,
        predicted_rank <= k and actual_rank <= k as is_recalled,
        predicted_tie_rank + n_predicted_ties - 1 <= k as is_predicted,
        predicted_tie_rank <= k and not is_predicted as is_predicted_tied,
        actual_tie_rank + n_actual_ties - 1 <= k as is_actual,
        actual_tie_rank <= k and not is_actual as is_actual_tied,
        n_predicted_ties,
        n_actual_ties,
        (k + 1 - predicted_tie_rank) / n_predicted_ties as predicted_share,
        (k + 1 - actual_tie_rank) / n_actual_ties as actual_share
    from ranked_item
),

overlap as (
    select
        submission_id,
        target_id,
        fold,
        count(*) as n,
        any_value(k) as k,
        count(*) filter (where is_recalled) as n_recalled,
        coalesce(max(n_predicted_ties) filter (where is_predicted_tied), 0) as n_tied_at_cut,
        coalesce(max(n_actual_ties) filter (where is_actual_tied), 0) as n_true_tied_at_cut,
        -- The share of the places left below the items above the tie; without a tie 0 of 0 items.
        coalesce(max(predicted_share) filter (where is_predicted_tied), 0) as share_of_tied,
        coalesce(max(actual_share) filter (where is_actual_tied), 0) as share_of_true_tied,
        count(*) filter (where is_predicted and is_actual)
        + count(*) filter (where is_predicted_tied and is_actual) * share_of_tied
        + count(*) filter (where is_predicted and is_actual_tied) * share_of_true_tied
        + count(*) filter (where is_predicted_tied and is_actual_tied)
        * share_of_tied * share_of_true_tied as n_expected
    from placed_item
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
    overlap.n_expected / nullif(overlap.k, 0) as expected_recall,
    case
        when overlap.n is null then 'no item has a true value'
        when overlap.k = 0 then 'fewer than ten items have a true value'
    end as reason
from submission_fold
left join overlap using (submission_id, target_id, fold)
