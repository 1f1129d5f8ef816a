-- Title:   Hit@K by disease, leave-one-out
-- Result:  Retrospective
-- Formula: sum over the trials of the disease of the chance that the hidden drug is among the first
--          k, all orders of equal scores being alike: (k + 1 - optimistic rank) / (number of equal
--          scores), within 0 and 1; n_hits_optimistic and n_hits_pessimistic rank the drug first
--          and last among its equals; hit_at_k is hits / n_trials
-- Units:   hits in expectation, so fractions of a hit; fraction 0..1; the n_with_ columns count the
--          trials that have the rank; a trial without tied ranks counts by its rank alone
-- Grain:   evaluation_id, ranker, disease_id, k
with chance as (
    select
        loo_trial.evaluation_id,
        loo_trial.ranker,
        loo_trial.disease_id,
        cutoff.k,
        loo_trial.rank_optimistic,
        loo_trial.rank_pessimistic,
        loo_trial.filtered_rank,
        loo_trial.filtered_rank_optimistic,
        loo_trial.filtered_rank_pessimistic,
        loo_trial.rank_pessimistic + 1 - loo_trial.rank_optimistic as n_tied,
        loo_trial.filtered_rank_pessimistic + 1 - loo_trial.filtered_rank_optimistic
            as n_tied_filtered,
        coalesce(
            least(greatest(cutoff.k + 1 - loo_trial.rank_optimistic, 0), n_tied) / n_tied,
            if(loo_trial.rank <= cutoff.k, 1, 0)
        ) as hit,
        coalesce(
            least(greatest(cutoff.k + 1 - loo_trial.filtered_rank_optimistic, 0), n_tied_filtered)
            / n_tied_filtered,
            if(loo_trial.filtered_rank <= cutoff.k, 1, 0)
        ) as hit_filtered
    from loo_trial
    cross join cutoff
)

select
    evaluation_id,
    ranker,
    disease_id,
    k,
    count(*) as n_trials,
    sum(hit order by hit) as hits,
    hits / n_trials as hit_at_k,
    count(rank_optimistic) as n_with_tied_ranks,
    count(*) filter (where rank_optimistic <= k) as n_hits_optimistic,
    count(*) filter (where rank_pessimistic <= k) as n_hits_pessimistic,
    count(filtered_rank) as n_with_filtered_rank,
    sum(hit_filtered order by hit_filtered) as hits_filtered,
    count(filtered_rank_optimistic) as n_with_tied_filtered_ranks,
    count(*) filter (where filtered_rank_optimistic <= k) as n_hits_filtered_optimistic,
    count(*) filter (where filtered_rank_pessimistic <= k) as n_hits_filtered_pessimistic
from chance
group by evaluation_id, ranker, disease_id, k
