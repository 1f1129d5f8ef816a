-- Title:   The curve of pairs with an event is what is known, and what censoring can add
-- When:    audit
-- Grain:   slate_id, tier, day
-- Note:    after the freeze the share of pairs with an event lies between those that are known to
--          have had theirs, and these with all that were censored before the day, each over the
--          pairs that had none by the freeze; it ends on the last day that evidence covers. The
--          known ones are counted from the dates of outcomes, without follow_up_pair.
with first_event as (
    select
        outcome_timing.slate_id,
        outcome_timing.disease_id,
        outcome_timing.drug_id,
        min(outcome_timing.event_date) as event_date
    from outcome_timing
    where outcome_timing.signal = 'high'
    group by outcome_timing.slate_id, outcome_timing.disease_id, outcome_timing.drug_id
),

-- A pair with hits of unknown date alone has no time, and is on no curve.
predicted_pair as (
    select
        prediction.slate_id,
        unnest([prediction.tier, 'all']) as tier,
        first_event.event_date - slate_date.counted_from as event_day
    from prediction
    inner join slate_date on prediction.slate_id = slate_date.slate_id
    left join first_event
        on
            prediction.slate_id = first_event.slate_id
            and prediction.disease_id = first_event.disease_id
            and prediction.drug_id = first_event.drug_id
    where first_event.event_date is not null or first_event.slate_id is null
),

-- A day of a curve is joined to days with events: to pairs, a million of them would take minutes.
event_count as (
    select
        slate_id,
        tier,
        event_day,
        count(*) as n_pairs
    from predicted_pair
    group by slate_id, tier, event_day
),

known_day as (
    select
        survival_curve.slate_id,
        survival_curve.tier,
        survival_curve.day,
        survival_curve.share_with_event,
        sum(event_count.n_pairs) filter (where coalesce(event_count.event_day > 0, true))
            as n_pairs,
        coalesce(
            sum(event_count.n_pairs)
            filter (where event_count.event_day between 1 and survival_curve.day),
            0
        ) as n_known
    from survival_curve
    inner join event_count
        on
            survival_curve.slate_id = event_count.slate_id
            and survival_curve.tier = event_count.tier
    where survival_curve.day > 0
    group by
        survival_curve.slate_id,
        survival_curve.tier,
        survival_curve.day,
        survival_curve.share_with_event
),

censored_day as (
    select
        slate_id,
        tier,
        day,
        sum(n_censored) over (
            partition by slate_id, tier
            order by day
            rows between unbounded preceding and 1 preceding
        ) as n_censored_before
    from survival_curve
    where day > 0
)

select
    known_day.slate_id,
    known_day.tier,
    known_day.day,
    'the share of pairs with an event is not what is known and what censoring can add' as reason
from known_day
inner join censored_day
    on
        known_day.slate_id = censored_day.slate_id
        and known_day.tier = censored_day.tier
        and known_day.day = censored_day.day
inner join slate_follow_up on known_day.slate_id = slate_follow_up.slate_id
where
    coalesce(
        known_day.day > slate_follow_up.followed_until - slate_follow_up.counted_from, false
    )
    or known_day.share_with_event < known_day.n_known / known_day.n_pairs - 1e-9
    or known_day.share_with_event > (
        known_day.n_known + coalesce(censored_day.n_censored_before, 0)
    ) / known_day.n_pairs + 1e-9
