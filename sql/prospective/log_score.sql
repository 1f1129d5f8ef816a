-- Title:   Logarithmic score
-- Formula: weighted mean of -ln(probability of what happened), by ipc_weight: the probability for a
--          hit, 1 - probability for a miss; log_skill_score = 1 - log_score / the same of the
--          observed rate
-- Source:  docs/metrics.md#log_score
-- Units:   nats, 0 is best; NULL, never infinite, where a prediction of 0 came true or one of 1 did
--          not: n_impossible counts them; and where no pair is followed up to the horizon
-- Grain:   slate_id, evidence_window, population
-- Portability: sum(... order by ...) adds in one order, whatever the number of threads
with scored_pair as (
    select
        slate_id,
        evidence_window,
        population,
        ipc_weight,
        state,
        if(state = 'hit', probability, 1 - probability) as seen_probability
    from probability_pair
),

slate_sum as (
    select
        slate_id,
        evidence_window,
        population,
        count(*) as n_predictions,
        count(*) filter (where state = 'hit') as n_hits,
        count(*) filter (where state = 'censored') as n_censored,
        count(*) filter (where state <> 'censored' and seen_probability = 0) as n_impossible,
        sum(ipc_weight order by ipc_weight) as all_weight,
        sum(if(state = 'hit', ipc_weight, 0) order by ipc_weight)
        / nullif(sum(ipc_weight order by ipc_weight), 0) as observed_rate,
        -sum(
            if(state = 'censored', 0, ipc_weight * ln(nullif(seen_probability, 0)))
            order by seen_probability, ipc_weight
        ) as sum_of_surprise
    from scored_pair
    group by slate_id, evidence_window, population
),

score as (
    select
        slate_id,
        evidence_window,
        population,
        n_predictions,
        n_hits,
        n_censored,
        n_impossible,
        observed_rate,
        if(
            n_impossible = 0, sum_of_surprise / nullif(all_weight, 0), null
        ) as log_score,
        -(
            observed_rate * ln(nullif(observed_rate, 0))
            + (1 - observed_rate) * ln(nullif(1 - observed_rate, 0))
        ) as entropy
    from slate_sum
)

select
    slate_id,
    evidence_window,
    population,
    n_predictions,
    n_hits,
    n_censored,
    n_impossible,
    log_score,
    1 - log_score / entropy as log_skill_score,
    case
        when observed_rate is null then 'not followed up to the horizon'
        when n_impossible > 0 then 'a prediction of 0 came true, or one of 1 did not'
        when entropy is null then 'no hit or no miss, so that the skill is unknown'
    end as reason
from score
