-- Title:   Releases of a source known at a slate's freeze
-- Formula: the releases of the source dated on or before the freeze
-- Source:  docs/metrics.md#freeze_position
-- Units:   position is that of the newest such release, 0 if there is none
-- Grain:   slate_id, source
select
    slate.slate_id,
    release_order.source,
    count(*) filter (where release_order.released_on <= slate.frozen_on) as position
from slate
cross join release_order
group by slate.slate_id, release_order.source
