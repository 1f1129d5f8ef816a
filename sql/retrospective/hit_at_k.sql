-- Title:   Hit@K, leave-one-out
-- Formula: trials with rank <= k / all trials, a tie taking the middle rank; macro: mean over the
--          diseases; filtered: other known positives of the disease removed from the ranking
-- Source:  docs/metrics.md#hit_at_k
-- Units:   fractions 0..1; filtered, optimistic and pessimistic NULL if any trial lacks the rank
-- Grain:   evaluation_id, ranker, k
with hit_sum as (
    select
        evaluation_id,
        ranker,
        k,
        count(*) as n_diseases,
        cast(sum(n_trials) as bigint) as n_trials,
        cast(sum(n_hits) as bigint) as n_hits,
        sum(hit_at_k order by disease_id) / count(*) as hit_at_k_macro,
        -- NULL unless every trial has the rank.
        if(sum(n_with_tied_ranks) = sum(n_trials), sum(n_hits_optimistic), null) as n_optimistic,
        if(sum(n_with_tied_ranks) = sum(n_trials), sum(n_hits_pessimistic), null) as n_pessimistic,
        if(sum(n_with_filtered_rank) = sum(n_trials), sum(n_hits_filtered), null) as n_filtered,
        if(
            sum(n_with_filtered_rank) = sum(n_trials),
            sum(n_hits_filtered / n_trials order by disease_id) / count(*),
            null
        ) as hit_at_k_filtered_macro
    from hit_by_disease
    group by evaluation_id, ranker, k
),

left_out_count as (
    select
        evaluation_id,
        count(*) as n_diseases_left_out
    from loo_disease
    where reason is not null
    group by evaluation_id
),

run_cutoff as (
    select
        ranker_run.evaluation_id,
        ranker_run.ranker,
        cutoff.k
    from ranker_run
    cross join cutoff
    where ranker_run.procedure = 'leave_one_out'
)

select
    evaluation_id,
    ranker,
    k,
    coalesce(hit_sum.n_diseases, 0) as n_diseases,
    coalesce(left_out_count.n_diseases_left_out, 0) as n_diseases_left_out,
    coalesce(hit_sum.n_trials, 0) as n_trials,
    coalesce(hit_sum.n_hits, 0) as n_hits,
    hit_sum.n_hits / nullif(hit_sum.n_trials, 0) as hit_at_k,
    hit_sum.hit_at_k_macro,
    hit_sum.n_filtered / nullif(hit_sum.n_trials, 0) as hit_at_k_filtered,
    hit_sum.hit_at_k_filtered_macro,
    hit_sum.n_optimistic / nullif(hit_sum.n_trials, 0) as hit_at_k_optimistic,
    hit_sum.n_pessimistic / nullif(hit_sum.n_trials, 0) as hit_at_k_pessimistic,
    case
        when hit_sum.n_trials is null
            then 'no disease has enough labeled pairs and a positive drug among its candidates'
    end as reason
from run_cutoff
left join hit_sum using (evaluation_id, ranker, k)
left join left_out_count using (evaluation_id)
