-- Title:   Hit@K, leave-one-out
-- Result:  Retrospective
-- Formula: hits / trials, a hit being the chance that the hidden drug is among the first k when all
--          orders of equal scores are alike; optimistic and pessimistic: the drug first and last
--          among its equals; macro: mean over the diseases; filtered: other known positives of the
--          disease removed from the ranking
-- Units:   fractions 0..1; filtered, optimistic and pessimistic NULL if any trial lacks the rank
-- Grain:   evaluation_id, ranker, k
with disease_rate as (
    select
        evaluation_id,
        ranker,
        k,
        n_trials,
        hits,
        hit_at_k,
        n_with_tied_ranks,
        n_hits_optimistic,
        n_hits_pessimistic,
        n_with_filtered_rank,
        hits_filtered,
        n_with_tied_filtered_ranks,
        n_hits_filtered_optimistic,
        n_hits_filtered_pessimistic,
        n_hits_optimistic / n_trials as optimistic,
        n_hits_pessimistic / n_trials as pessimistic,
        hits_filtered / n_trials as filtered,
        n_hits_filtered_optimistic / n_trials as filtered_optimistic,
        n_hits_filtered_pessimistic / n_trials as filtered_pessimistic
    from hit_by_disease
),

-- Sums in the order of their terms are the same whatever order the diseases were loaded in.
hit_sum as (
    select
        evaluation_id,
        ranker,
        k,
        count(*) as n_diseases,
        cast(sum(n_trials) as bigint) as n_trials,
        sum(hits order by hits) as hits,
        sum(hit_at_k order by hit_at_k) / count(*) as macro,
        sum(n_with_tied_ranks) = sum(n_trials) as has_tied_ranks,
        sum(n_with_filtered_rank) = sum(n_trials) as has_filtered_rank,
        sum(n_with_tied_filtered_ranks) = sum(n_trials) as has_tied_filtered_ranks,
        sum(n_hits_optimistic) / sum(n_trials) as optimistic,
        sum(n_hits_pessimistic) / sum(n_trials) as pessimistic,
        sum(optimistic order by optimistic) / count(*) as macro_optimistic,
        sum(pessimistic order by pessimistic) / count(*) as macro_pessimistic,
        sum(hits_filtered order by hits_filtered) / sum(n_trials) as filtered,
        sum(n_hits_filtered_optimistic) / sum(n_trials) as filtered_optimistic,
        sum(n_hits_filtered_pessimistic) / sum(n_trials) as filtered_pessimistic,
        sum(filtered order by filtered) / count(*) as filtered_macro,
        sum(filtered_optimistic order by filtered_optimistic) / count(*)
            as filtered_macro_optimistic,
        sum(filtered_pessimistic order by filtered_pessimistic) / count(*)
            as filtered_macro_pessimistic
    from disease_rate
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
    coalesce(hit_sum.hits, 0) as hits,
    hit_sum.hits / nullif(hit_sum.n_trials, 0) as hit_at_k,
    if(hit_sum.has_tied_ranks, hit_sum.optimistic, null) as hit_at_k_optimistic,
    if(hit_sum.has_tied_ranks, hit_sum.pessimistic, null) as hit_at_k_pessimistic,
    hit_sum.macro as hit_at_k_macro,
    if(hit_sum.has_tied_ranks, hit_sum.macro_optimistic, null) as hit_at_k_macro_optimistic,
    if(hit_sum.has_tied_ranks, hit_sum.macro_pessimistic, null) as hit_at_k_macro_pessimistic,
    if(hit_sum.has_filtered_rank, hit_sum.filtered, null) as hit_at_k_filtered,
    if(hit_sum.has_tied_filtered_ranks, hit_sum.filtered_optimistic, null)
        as hit_at_k_filtered_optimistic,
    if(hit_sum.has_tied_filtered_ranks, hit_sum.filtered_pessimistic, null)
        as hit_at_k_filtered_pessimistic,
    if(hit_sum.has_filtered_rank, hit_sum.filtered_macro, null) as hit_at_k_filtered_macro,
    if(hit_sum.has_tied_filtered_ranks, hit_sum.filtered_macro_optimistic, null)
        as hit_at_k_filtered_macro_optimistic,
    if(hit_sum.has_tied_filtered_ranks, hit_sum.filtered_macro_pessimistic, null)
        as hit_at_k_filtered_macro_pessimistic,
    case
        when hit_sum.n_trials is null
            then 'no disease has enough labeled pairs and a positive drug among its candidates'
    end as reason
from run_cutoff
left join hit_sum using (evaluation_id, ranker, k)
left join left_out_count using (evaluation_id)
