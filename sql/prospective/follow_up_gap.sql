-- Title:   What the slowest source hides
-- Formula: days from the last day the slate is followed to the newest release of any source, and
--          the predictions whose first dated high-signal outcome is after that last day
-- Units:   days; predictions; source is the one furthest behind, as in slate_follow_up; it,
--          newest_source, newest_on and days_behind are NULL without a release
-- Grain:   slate_id
select
    follow_up_end.slate_id,
    follow_up_end.last_day,
    slate_follow_up.source,
    slate_follow_up.newest_source,
    slate_follow_up.newest_on,
    cast(slate_follow_up.newest_on - slate_follow_up.followed_until as bigint) as days_behind,
    count(pair_outcome.first_event_date) as n_later_events
from follow_up_end
inner join slate_follow_up using (slate_id)
left join pair_outcome
    on
        follow_up_end.slate_id = pair_outcome.slate_id
        and follow_up_end.last_day < pair_outcome.first_event_date
        and pair_outcome.evidence_window = 'all'
group by all
