-- Title:   Past versions of studies, and when each was the public record
-- Formula: of each version in the registry's history as fetched last: public from the day of
--          posting that it states, if that lies between its submission and the next one, else from
--          the day on which it was submitted, until a later version is
-- Units:   dates; until_on NULL: the last version that was fetched; history_known_until is the
--          day until which the study's history is known, that of the release that fetched it last
-- Grain:   trial_id
with fetched_version as (
    select
        trial.trial_id,
        trial.nct_id,
        trial.version_number,
        trial.submitted_on,
        trial.first_posted_on,
        trial.last_update_posted_on,
        max(release_order.released_on) over (partition by trial.nct_id) as history_known_until
    from trial
    inner join release_order using (release_id)
    where trial.version_number is not null
    qualify
        row_number() over (
            partition by trial.nct_id, trial.version_number
            order by release_order.position desc, trial.trial_id desc
        ) = 1
),

followed_version as (
    select
        *,
        lead(submitted_on, 1, history_known_until) over (
            partition by nct_id order by version_number
        ) as next_submitted_on,
        if(
            row_number() over (partition by nct_id order by version_number) = 1,
            coalesce(first_posted_on, last_update_posted_on),
            last_update_posted_on
        ) as posted_on
    from fetched_version
),

public_version as (
    select
        *,
        if(
            posted_on >= submitted_on and posted_on <= next_submitted_on, posted_on, submitted_on
        ) as public_on
    from followed_version
)

select
    trial_id,
    nct_id,
    version_number,
    submitted_on,
    public_on,
    min(public_on) over (
        partition by nct_id
        order by version_number
        rows between 1 following and unbounded following
    ) as until_on,
    history_known_until
from public_version
