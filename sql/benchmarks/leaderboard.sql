-- Title:   Leaderboard of a benchmark
-- Result:  Benchmarks
-- Formula: each figure of a submission, and its place in the order of the submissions to the
--          benchmark on the track that complete the target, or every target; equal values share a
--          place. Of regression, 'average' of the folds on the cross-validation track, and
--          'aggregated' elsewhere
-- Units:   places from 1; NULL, with the reason, where something is not complete or has no value,
--          and of figures that are not ranked; target is NULL for all targets together, k for
--          figures without one
-- Grain:   submission_id, target, k, figure
with folded as (select distinct benchmark_id from benchmark_fold),

entry as (
    select
        submission.submission_id,
        submission.benchmark_id,
        benchmark.kind,
        submission.track,
        submission.submitter,
        submission.is_partial,
        submission.truth_sha256 is null as is_frozen_before_truth,
        if(
            submission.track = 'cv' and folded.benchmark_id is not null, 'average', 'aggregated'
        ) as fold
    from submission
    inner join benchmark using (benchmark_id)
    left join folded using (benchmark_id)
),

entry_figure as (
    select
        entry.*,
        completeness.target,
        cast(null as bigint) as k,
        cast(1 as bigint) as n_targets,
        unnest(['auroc', 'average_precision']) as figure,
        unnest([auroc.auroc, average_precision.average_precision]) as value,
        true as is_ranked,
        completeness.is_complete as is_eligible,
        coalesce(completeness.reason, auroc.reason) as obstacle
    from entry
    inner join target_completeness as completeness using (submission_id)
    left join auroc
        on
            entry.submission_id = auroc.submission_id
            and completeness.target = auroc.target
    left join average_precision
        on
            entry.submission_id = average_precision.submission_id
            and completeness.target = average_precision.target
            and average_precision.lowest_class = 0
            and average_precision.min_class = 1
    where entry.kind = 'binary'
    union all
    select
        entry.*,
        null as target,
        null as k,
        binary_summary.n_targets,
        unnest(['mean_auroc', 'mean_average_precision']) as figure,
        unnest([binary_summary.mean_auroc, binary_summary.mean_average_precision]) as value,
        true as is_ranked,
        completeness.is_complete as is_eligible,
        coalesce(
            completeness.reason,
            unnest([binary_summary.reason, binary_summary.average_precision_reason])
        ) as obstacle
    from entry
    inner join submission_completeness as completeness using (submission_id)
    inner join binary_summary using (submission_id)
    where entry.kind = 'binary'
    union all
    select
        entry.*,
        completeness.target,
        null as k,
        1 as n_targets,
        unnest([
            'spearman',
            'top_decile_recall',
            'top_decile_recall_optimistic',
            'top_decile_recall_pessimistic'
        ]) as figure,
        unnest([
            spearman.spearman,
            recall.top_decile_recall,
            recall.top_decile_recall_optimistic,
            recall.top_decile_recall_pessimistic
        ]) as value,
        unnest([true, true, false, false]) as is_ranked,
        completeness.is_complete as is_eligible,
        coalesce(
            completeness.reason,
            unnest([spearman.reason, recall.reason, recall.reason, recall.reason])
        ) as obstacle
    from entry
    inner join target_completeness as completeness using (submission_id)
    left join spearman
        on
            entry.submission_id = spearman.submission_id
            and completeness.target = spearman.target
            and entry.fold = spearman.fold
    left join top_decile_recall as recall
        on
            entry.submission_id = recall.submission_id
            and completeness.target = recall.target
            and entry.fold = recall.fold
    where entry.kind = 'regression'
    union all
    select
        entry.*,
        null as target,
        null as k,
        coalesce(summary.n_targets, 0) as n_targets,
        unnest([
            'mean_spearman',
            'mean_top_decile_recall',
            'mean_top_decile_recall_optimistic',
            'mean_top_decile_recall_pessimistic'
        ]) as figure,
        unnest([
            summary.mean_spearman,
            summary.mean_top_decile_recall,
            summary.mean_top_decile_recall_optimistic,
            summary.mean_top_decile_recall_pessimistic
        ]) as value,
        unnest([true, true, false, false]) as is_ranked,
        completeness.is_complete as is_eligible,
        coalesce(
            completeness.reason,
            unnest([
                summary.reason,
                summary.recall_reason,
                summary.recall_reason,
                summary.recall_reason
            ])
        ) as obstacle
    from entry
    inner join submission_completeness as completeness using (submission_id)
    left join regression_summary as summary
        on entry.submission_id = summary.submission_id and entry.fold = summary.fold
    where entry.kind = 'regression'
    union all
    select
        entry.*,
        null as target,
        null as k,
        1 as n_targets,
        unnest(['ordinal_auprc', 'ordinal_nap', 'severity_ordering_ap']) as figure,
        unnest([
            ordinal_auprc.ordinal_auprc,
            ordinal_auprc.ordinal_nap,
            ordinal_auprc.severity_ordering_ap
        ]) as value,
        true as is_ranked,
        not entry.is_partial as is_eligible,
        if(
            entry.is_partial,
            'partial submissions are not ranked',
            unnest([
                ordinal_auprc.reason,
                ordinal_auprc.nap_reason,
                ordinal_auprc.severity_reason
            ])
        ) as obstacle
    from entry
    inner join ordinal_auprc using (submission_id)
    where entry.kind = 'ordinal'
    union all
    select
        entry.*,
        null as target,
        precision_at_k.k,
        null as n_targets,
        unnest(['precision_at_k', 'nr_at_k', 'ndcg_at_k', 'ndcg_at_k_full_ideal']) as figure,
        unnest([
            precision_at_k.precision_at_k,
            precision_at_k.nr_at_k,
            ndcg_at_k_multilabel.ndcg_at_k,
            ndcg_at_k_multilabel.ndcg_at_k_full_ideal
        ]) as value,
        unnest([true, true, true, false]) as is_ranked,
        true as is_eligible,
        precision_at_k.reason as obstacle
    from entry
    inner join precision_at_k using (submission_id)
    inner join ndcg_at_k_multilabel using (submission_id, k)
    where entry.kind = 'multilabel'
),

placed as (
    select
        *,
        if(
            is_ranked and is_eligible and value is not null,
            rank() over (
                partition by benchmark_id, kind, track, target, k, figure, is_eligible
                order by value desc nulls last
            ),
            null
        ) as place
    from entry_figure
)

select
    submission_id,
    benchmark_id,
    kind,
    track,
    submitter,
    is_partial,
    is_frozen_before_truth,
    target,
    k,
    n_targets,
    figure,
    value,
    place,
    if(place is null and (is_ranked or value is null), obstacle, null) as reason
from placed
