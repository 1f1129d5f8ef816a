-- Title:   Hit@K by disease, leave-one-out
-- Formula: trials of the disease with rank <= k / its trials, by each kind of rank
-- Source:  docs/metrics.md#hit_by_disease
-- Units:   fraction 0..1; the n_with_ columns count the trials that have the rank
-- Grain:   evaluation_id, ranker, disease_id, k
select
    loo_trial.evaluation_id,
    loo_trial.ranker,
    loo_trial.disease_id,
    cutoff.k,
    count(*) as n_trials,
    count(*) filter (where loo_trial.rank <= cutoff.k) as n_hits,
    count(*) filter (where loo_trial.rank <= cutoff.k) / count(*) as hit_at_k,
    count(loo_trial.rank_optimistic) as n_with_tied_ranks,
    count(*) filter (where loo_trial.rank_optimistic <= cutoff.k) as n_hits_optimistic,
    count(*) filter (where loo_trial.rank_pessimistic <= cutoff.k) as n_hits_pessimistic,
    count(loo_trial.filtered_rank) as n_with_filtered_rank,
    count(*) filter (where loo_trial.filtered_rank <= cutoff.k) as n_hits_filtered
from loo_trial
cross join cutoff
group by loo_trial.evaluation_id, loo_trial.ranker, loo_trial.disease_id, cutoff.k
