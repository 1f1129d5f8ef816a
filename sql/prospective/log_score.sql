-- Title:   Logarithmic score
-- Result:  Scores and probabilities
-- Formula: weighted mean of -ln(probability of what happened), by ipc_weight: the probability for a
--          hit, 1 - probability for a miss; log_skill_score = 1 - log_score / the same of
--          brier_score's observed rate
-- Units:   nats, 0 is best; NULL, never infinite, where a prediction of 0 came true or one of 1 did
--          not: n_impossible counts them; and where no pair is followed up to the horizon
-- Grain:   slate_id, evidence_window, population
-- Portability: sum(... order by ...) adds in one order, whatever the number of threads
with scored_pair as (
    select
        *,
        if(state = 'hit', probability, 1 - probability) as seen_probability
    from probability_pair
),

slate_sum as (
    select
        slate_id,
        evidence_window,
        population,
        count(*) filter (where state <> 'censored' and seen_probability = 0) as n_impossible,
        sum(ipc_weight order by ipc_weight) as all_weight,
        -sum(
            if(state = 'censored', 0, ipc_weight * ln(nullif(seen_probability, 0)))
            order by seen_probability, ipc_weight
        ) as sum_of_surprise
    from scored_pair
    group by all
),

score as (
    select
        brier_score.*,
        slate_sum.n_impossible,
        if(
            slate_sum.n_impossible = 0,
            slate_sum.sum_of_surprise / nullif(slate_sum.all_weight, 0),
            null
        ) as log_score,
        -(
            brier_score.observed_rate * ln(nullif(brier_score.observed_rate, 0))
            + (1 - brier_score.observed_rate) * ln(nullif(1 - brier_score.observed_rate, 0))
        ) as entropy
    from slate_sum
    inner join brier_score using (slate_id, evidence_window, population)
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
