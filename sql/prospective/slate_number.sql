-- Title:   The number of a slate in its store
-- Formula: place in the order of recording, the first is 1; n_slates counts the slates recorded by
--          the as-of instant, and at least up to this one
-- Units:   whole numbers; slate_number has no gaps
-- Grain:   slate_id
with numbered_slate as (
    select
        slate.slate_id,
        row_number() over (order by slate.recorded_at, slate.slate_id) as slate_number,
        count(*) filter (where slate.recorded_at <= report_instant.as_of) over () as n_recorded
    from slate
    cross join report_instant
)

select
    slate_id,
    slate_number,
    greatest(slate_number, n_recorded) as n_slates
from numbered_slate
