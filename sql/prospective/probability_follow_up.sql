-- Title:   Follow-up of predicted probabilities
-- Formula: for each prediction of a slate whose plan declares that its scores are probabilities:
--          a hit if it is one of the window 'prospective' and counted by the last day of follow-up,
--          a miss if there is none and evidence reaches the end of the horizon, else censored
-- Units:   probability as frozen, 0..1; follow_up_days is whole days from counted_from to the day
--          on which the hit counts, to the end of the horizon, or to the last day of follow-up
-- Grain:   slate_id, disease_id, drug_id
with declaring_slate as (
    select
        slate_id,
        slate_horizon.counted_from,
        slate_horizon.ends_on,
        -- Files of outcomes state hits, never that nothing happened: only releases follow a pair.
        coalesce(slate_follow_up.followed_until, slate_horizon.counted_from) as followed_until
    from slate
    inner join slate_horizon using (slate_id)
    inner join slate_follow_up using (slate_id)
    where (slate.plan ->> '$.scores.are') = 'probabilities'
),

first_hit as (
    select
        slate_id,
        disease_id,
        drug_id,
        min(greatest(event_date, public_by)) as counts_on
    from outcome_timing
    where timing = 'prospective' and signal = 'high' and not is_after_horizon
    group by slate_id, disease_id, drug_id
)

select
    slate_id,
    disease_id,
    drug_id,
    pair_outcome.is_novel,
    pair_outcome.score as probability,
    case
        when pair_outcome.is_hit
            then if(first_hit.counts_on <= declaring_slate.followed_until, 'hit', 'censored')
        when declaring_slate.followed_until >= declaring_slate.ends_on then 'miss'
        else 'censored'
    end as state,
    cast(
        case state
            when 'hit' then first_hit.counts_on
            when 'miss' then declaring_slate.ends_on
            else declaring_slate.followed_until
        end - declaring_slate.counted_from as bigint
    ) as follow_up_days
from declaring_slate
inner join pair_outcome using (slate_id)
left join first_hit using (slate_id, disease_id, drug_id)
where pair_outcome.evidence_window = 'prospective'
