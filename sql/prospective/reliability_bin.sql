-- Title:   Reliability curve
-- Result:  Scores and probabilities
-- Formula: mean probability, and hits / pairs, both weighted by ipc_weight, of each tenth of the
--          predictions by probability; effective_n = (sum of weights)^2 / sum of squared weights
-- Units:   probabilities and rates 0..1; NULL, with the reason, where no pair is followed up to the
--          horizon; bin 10 has the highest probabilities
-- Grain:   slate_id, evidence_window, population, probability_bin
-- Portability: sum(... order by ...) adds in one order, whatever the number of threads
select
    slate_id,
    evidence_window,
    population,
    probability_bin,
    count(*) as n_predictions,
    count(*) filter (where state = 'hit') as n_hits,
    count(*) filter (where state = 'censored') as n_censored,
    min(probability) as lowest_probability,
    max(probability) as highest_probability,
    sum(ipc_weight * probability order by probability, ipc_weight)
    / nullif(sum(ipc_weight order by ipc_weight), 0) as mean_probability,
    sum(if(state = 'hit', ipc_weight, 0) order by ipc_weight)
    / nullif(sum(ipc_weight order by ipc_weight), 0) as observed_rate,
    sum(ipc_weight order by ipc_weight) as total_weight,
    total_weight * total_weight
    / nullif(sum(ipc_weight * ipc_weight order by ipc_weight), 0) as effective_n,
    case
        when total_weight is null then 'not followed up to the horizon'
        when total_weight = 0 then 'every pair of the bin is censored'
    end as reason
from probability_pair
group by slate_id, evidence_window, population, probability_bin
