-- Title:   Common evidence window of two slates
-- Formula: from the later counted_from to the earlier end of a horizon, followed by evidence until
--          the earlier of the two slates' follow-ups, for slates that predict for a common disease
-- Units:   dates; ends_on is the last day that counts; followed_until is NULL without a release
-- Grain:   slate_id, versus_slate_id
-- Note:    slates made after the as-of instant are left out
with slate_disease as (
    select distinct
        slate_id,
        disease_id
    from prediction
),

common_disease as (
    select
        own.slate_id,
        other.slate_id as versus_slate_id,
        count(*) as n_common_diseases
    from slate_disease as own
    inner join slate_disease as other
        on own.disease_id = other.disease_id and own.slate_id <> other.slate_id
    group by all
),

known_slate as (
    select
        slate_id,
        slate_horizon.counted_from,
        slate_horizon.ends_on,
        slate_follow_up.followed_until
    from slate
    inner join slate_horizon using (slate_id)
    inner join slate_follow_up using (slate_id)
    where slate.created_at <= (select report_instant.as_of from report_instant)
)

select
    own.slate_id,
    other.slate_id as versus_slate_id,
    greatest(own.counted_from, other.counted_from) as starts_on,
    least(own.ends_on, other.ends_on) as ends_on,
    least(own.followed_until, other.followed_until) as followed_until,
    common_disease.n_common_diseases,
    if(
        starts_on >= least(own.ends_on, other.ends_on),
        'the horizon of one slate ends before the other was frozen',
        null
    ) as reason
from common_disease
inner join known_slate as own on common_disease.slate_id = own.slate_id
inner join known_slate as other on common_disease.versus_slate_id = other.slate_id
