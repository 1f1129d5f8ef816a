-- Title:   Top-decile recall of one fold
-- Formula: |top k predicted and top k true| / k, k = floor(n / 10), in the mean over all ways of
--          breaking ties, those of predictions and of truth independently: the sum over items of
--          P(predicted top) x P(true top) / k; optimistic and pessimistic are the breaks with the
--          most and the fewest items in common
-- Source:  docs/metrics.md#fold_top_decile; McSherry and Najork 2008 for the mean over ties
-- Units:   fraction 0..1; NULL for fewer than ten items
-- Grain:   submission_id, target_id, fold
with ranked_item as (
    select
        submission_id,
        target_id,
        fold,
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
        predicted_tie_rank + n_predicted_ties - 1 <= k as is_predicted,
        predicted_tie_rank <= k and not is_predicted as is_predicted_tied,
        actual_tie_rank + n_actual_ties - 1 <= k as is_actual,
        actual_tie_rank <= k and not is_actual as is_actual_tied,
        n_predicted_ties,
        n_actual_ties,
        k + 1 - predicted_tie_rank as n_predicted_places,
        k + 1 - actual_tie_rank as n_actual_places
    from ranked_item
),

-- Of the items: those certainly in both tops, in one with a tie for the other, and tied for both.
overlap as (
    select
        submission_id,
        target_id,
        fold,
        count(*) as n,
        any_value(k) as k,
        coalesce(max(n_predicted_ties) filter (where is_predicted_tied), 0) as n_tied_at_cut,
        coalesce(max(n_actual_ties) filter (where is_actual_tied), 0) as n_true_tied_at_cut,
        -- The places left below the items above the tie.
        coalesce(max(n_predicted_places) filter (where is_predicted_tied), 0) as n_places,
        coalesce(max(n_actual_places) filter (where is_actual_tied), 0) as n_true_places,
        count(*) filter (where is_predicted and is_actual) as n_certain,
        count(*) filter (where is_predicted_tied and is_actual) as n_tied,
        count(*) filter (where is_predicted and is_actual_tied) as n_true_tied,
        count(*) filter (where is_predicted_tied and is_actual_tied) as n_both_tied
    from placed_item
    group by submission_id, target_id, fold
),

-- At worst, the places go to the items of the tie that the other top does not have, and what is
-- left of them to different items that are tied for both.
recalled as (
    select
        submission_id,
        target_id,
        fold,
        coalesce(n_places / nullif(n_tied_at_cut, 0), 0) as share,
        coalesce(n_true_places / nullif(n_true_tied_at_cut, 0), 0) as true_share,
        n_certain + n_tied * share + n_true_tied * true_share + n_both_tied * share * true_share
            as expected,
        n_certain + least(n_places, n_tied) + least(n_true_places, n_true_tied)
        + least(
            greatest(n_places - n_tied, 0), greatest(n_true_places - n_true_tied, 0), n_both_tied
        ) as most,
        n_certain + greatest(
            greatest(n_places - (n_tied_at_cut - n_tied - n_both_tied), 0)
            + greatest(n_true_places - (n_true_tied_at_cut - n_true_tied - n_both_tied), 0)
            - n_both_tied,
            0
        ) as fewest
    from overlap
)

select
    submission_fold.submission_id,
    submission_fold.target_id,
    submission_fold.fold,
    submission_fold.target,
    coalesce(overlap.n, 0) as n,
    coalesce(overlap.k, 0) as k,
    coalesce(overlap.n_tied_at_cut, 0) as n_tied_at_cut,
    coalesce(overlap.n_true_tied_at_cut, 0) as n_true_tied_at_cut,
    recalled.expected / nullif(overlap.k, 0) as top_decile_recall,
    recalled.most / nullif(overlap.k, 0) as top_decile_recall_optimistic,
    recalled.fewest / nullif(overlap.k, 0) as top_decile_recall_pessimistic,
    case
        when overlap.n is null then 'no item has a true value'
        when overlap.k = 0 then 'fewer than ten items have a true value'
    end as reason
from submission_fold
left join overlap using (submission_id, target_id, fold)
left join recalled using (submission_id, target_id, fold)
