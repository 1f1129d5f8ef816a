-- Title:   Versions of studies and when they became public
-- Formula: the first version of a study on the day of its first posting; any other, or one without
--          that date, after the preceding release of the registry and by the day of its last
--          update, if that lies between the two releases, otherwise by the day of its own
-- Units:   dates; public_after is always before public_by, and NULL without a preceding release
-- Grain:   trial_id
-- Note:    a past version from the registry's history is none of these: see trial_revision
with followed_trial as (
    select
        trial.trial_id,
        trial.nct_id,
        trial.release_id,
        release_order.position,
        release_order.released_on,
        release_order.previous_released_on,
        if(
            trial.first_posted_on > release_order.released_on,
            release_order.released_on,
            trial.first_posted_on
        ) as posted_on,
        trial.last_update_posted_on,
        row_number() over (
            partition by trial.nct_id order by release_order.position, trial.trial_id
        ) = 1 as is_first
    from trial
    inner join release_order using (release_id)
    where trial.version_number is null
),

published_trial as (
    select
        *,
        is_first and posted_on is not null as is_posting,
        case
            when is_first and posted_on is not null then posted_on
            when
                last_update_posted_on > coalesce(previous_released_on, '-infinity')
                and last_update_posted_on <= released_on
                then last_update_posted_on
            else released_on
        end as public_by
    from followed_trial
)

select
    trial_id,
    nct_id,
    release_id,
    position,
    is_first,
    posted_on,
    previous_released_on,
    released_on,
    case
        when is_posting or previous_released_on >= public_by then cast(public_by - 1 as date)
        else previous_released_on
    end as public_after,
    public_by
from published_trial
