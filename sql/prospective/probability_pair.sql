-- Title:   Predicted probabilities with their inverse-probability-of-censoring weights
-- Formula: a hit on day t weighs 1 / G(t-), a miss 1 / G(horizon-), a censored pair 0; G is the
--          Kaplan-Meier estimate of the chance to be followed beyond a day, and hits of a day
--          precede its censorings. probability_bin = 1 + floor(10 x (mid-rank - 0.5) / pairs)
-- Units:   ipc_weight is 0 or at least 1, and adds up to the pairs of a population; NULL where no
--          pair is followed up to the horizon; bins 1..10, equal probabilities share one
-- Grain:   slate_id, evidence_window, population, disease_id, drug_id
-- Portability: product() as a window function is DuckDB's
with forecast as materialized (
    select
        *,
        unnest(if(is_novel, ['all', 'novel'], ['all'])) as population
    from probability_follow_up
),

follow_up_day as (
    select
        slate_id,
        population,
        follow_up_days,
        count(*) filter (where state = 'censored') as n_censored,
        count(*) filter (where state = 'hit') as n_hits,
        sum(count(*)) over (
            partition by slate_id, population order by follow_up_days desc
        ) as n_followed
    from forecast
    group by slate_id, population, follow_up_days
),

day_share as (
    select
        *,
        coalesce(1 - n_censored / nullif(n_followed - n_hits, 0), 1) as still_followed_share
    from follow_up_day
),

day_weight as (
    select
        slate_id,
        population,
        follow_up_days,
        1 / nullif(
            coalesce(
                product(still_followed_share) over (
                    partition by slate_id, population
                    order by follow_up_days
                    rows between unbounded preceding and 1 preceding
                ),
                1
            ),
            0
        ) as inverse_probability,
        min(still_followed_share) over (partition by slate_id, population) > 0 as is_known
    from day_share
)

select
    slate_id,
    'prospective' as evidence_window,
    population,
    forecast.disease_id,
    forecast.drug_id,
    forecast.probability,
    forecast.state,
    forecast.follow_up_days,
    case
        when not day_weight.is_known then null
        when forecast.state = 'censored' then 0
        else day_weight.inverse_probability
    end as ipc_weight,
    1 + (
        10 * (
            2 * rank() over (
                partition by slate_id, population order by forecast.probability
            ) - 2
            + count(*) over (partition by slate_id, population, forecast.probability)
        )
    ) // (2 * count(*) over (partition by slate_id, population)) as probability_bin
from forecast
inner join day_weight using (slate_id, population, follow_up_days)
