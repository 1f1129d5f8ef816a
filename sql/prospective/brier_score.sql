-- Title:   Brier score
-- Result:  Scores and probabilities
-- Formula: weighted mean of (probability - 1 for a hit, 0 for a miss)^2, by ipc_weight
--          = reliability - resolution + uncertainty + within_bin_variance - within_bin_covariance,
--          over the bins of reliability_bin; brier_skill_score = 1 - brier_score / uncertainty
-- Units:   squared probability, 0 is best; skill 1 is best, 0 as good as the observed rate for
--          every pair; NULL, with the reason, where no pair is followed up to the horizon
-- Grain:   slate_id, evidence_window, population
-- Portability: sum(... order by ...) adds in one order, whatever the number of threads
with bin as materialized (
    from reliability_bin
),

overall as (
    select
        slate_id,
        evidence_window,
        population,
        cast(sum(n_predictions) as bigint) as n_predictions,
        cast(sum(n_hits) as bigint) as n_hits,
        cast(sum(n_censored) as bigint) as n_censored,
        sum(total_weight order by probability_bin) as all_weight,
        sum(total_weight * mean_probability order by probability_bin)
        / nullif(all_weight, 0) as mean_probability,
        sum(total_weight * observed_rate order by probability_bin)
        / nullif(all_weight, 0) as observed_rate
    from bin
    group by slate_id, evidence_window, population
),

between_bins as (
    select
        slate_id,
        evidence_window,
        population,
        sum(
            bin.total_weight * (bin.mean_probability - bin.observed_rate) ** 2
            order by bin.probability_bin
        ) as sum_of_reliability,
        sum(
            bin.total_weight * (bin.observed_rate - overall.observed_rate) ** 2
            order by bin.probability_bin
        ) as sum_of_resolution
    from bin
    inner join overall using (slate_id, evidence_window, population)
    group by all
),

pair_deviation as (
    select
        probability_pair.*,
        if(probability_pair.state = 'hit', 1, 0) as hit,
        probability_pair.probability - bin.mean_probability as from_mean,
        if(probability_pair.state = 'hit', 1, 0) - bin.observed_rate as from_rate
    from probability_pair
    inner join bin using (slate_id, evidence_window, population, probability_bin)
),

within_bins as (
    select
        slate_id,
        evidence_window,
        population,
        sum(ipc_weight * (probability - hit) ** 2 order by probability, ipc_weight, hit)
            as sum_of_error,
        sum(ipc_weight * from_mean ** 2 order by probability, ipc_weight, hit)
            as sum_of_variance,
        sum(2 * ipc_weight * from_mean * from_rate order by probability, ipc_weight, hit)
            as sum_of_covariance
    from pair_deviation
    group by all
)

select
    slate_id,
    evidence_window,
    population,
    overall.n_predictions,
    overall.n_hits,
    overall.n_censored,
    overall.mean_probability,
    overall.observed_rate,
    within_bins.sum_of_error / nullif(overall.all_weight, 0) as brier_score,
    between_bins.sum_of_reliability / nullif(overall.all_weight, 0) as reliability,
    between_bins.sum_of_resolution / nullif(overall.all_weight, 0) as resolution,
    overall.observed_rate * (1 - overall.observed_rate) as uncertainty,
    within_bins.sum_of_variance / nullif(overall.all_weight, 0) as within_bin_variance,
    within_bins.sum_of_covariance / nullif(overall.all_weight, 0) as within_bin_covariance,
    1 - brier_score / nullif(uncertainty, 0) as brier_skill_score,
    case
        when brier_score is null then 'not followed up to the horizon'
        when uncertainty = 0 then 'no hit or no miss, so that the skill is unknown'
    end as reason
from overall
inner join between_bins using (slate_id, evidence_window, population)
inner join within_bins using (slate_id, evidence_window, population)
