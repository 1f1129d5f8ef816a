-- Title:   Top-decile recall
-- Result:  Benchmarks
-- Formula: |top k predicted and top k true| / k, k = floor(n / 10), lower-is-better targets
--          sign-flipped, in the mean over all ways of breaking ties, those of predictions and of
--          truth independently: the sum over items of P(predicted top) x P(true top) / k;
--          optimistic and pessimistic: the ways with the most and the fewest items in common;
--          'average' is the mean of the folds
-- Source:  docs/metrics.md#top_decile_recall; McSherry and Najork 2008 for the mean over ties
-- Units:   fraction 0..1; NULL where k = 0; n_tied_at_cut and n_true_tied_at_cut: items in a tie,
--          predicted or true, that the cut goes through
-- Grain:   submission_id, fold, target
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
        *,
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
),

part as (
    select
        submission_fold.submission_id,
        submission_fold.target,
        submission_fold.fold as part_fold,
        -- A fold is both a row and part of the average, so the ranks are computed once.
        unnest(if(part_fold = 'aggregated', [part_fold], [part_fold, 'average'])) as fold,
        coalesce(recalled.n, 0) as n,
        coalesce(recalled.k, 0) as k,
        coalesce(recalled.n_tied_at_cut, 0) as n_tied_at_cut,
        coalesce(recalled.n_true_tied_at_cut, 0) as n_true_tied_at_cut,
        recalled.expected / nullif(recalled.k, 0) as top_decile_recall,
        recalled.most / nullif(recalled.k, 0) as top_decile_recall_optimistic,
        recalled.fewest / nullif(recalled.k, 0) as top_decile_recall_pessimistic,
        case
            when recalled.n is null then 'no item has a true value'
            when recalled.k = 0 then 'fewer than ten items have a true value'
        end as reason
    from submission_fold
    left join recalled using (submission_id, target_id, fold)
)

select
    submission_id,
    fold,
    target,
    cast(sum(n) as bigint) as n,
    cast(sum(k) as bigint) as k,
    cast(sum(n_tied_at_cut) as bigint) as n_tied_at_cut,
    cast(sum(n_true_tied_at_cut) as bigint) as n_true_tied_at_cut,
    if(count(top_decile_recall) = count(*), avg(top_decile_recall order by part_fold), null)
        as top_decile_recall,
    if(
        count(top_decile_recall) = count(*),
        avg(top_decile_recall_optimistic order by part_fold),
        null
    ) as top_decile_recall_optimistic,
    if(
        count(top_decile_recall) = count(*),
        avg(top_decile_recall_pessimistic order by part_fold),
        null
    ) as top_decile_recall_pessimistic,
    case
        when fold <> 'average' then any_value(reason)
        when count(top_decile_recall) < count(*) then 'a fold has no recall'
    end as reason
from part
group by submission_id, fold, target
