-- Title:   Until when published sites withhold a slate
-- Formula: is_withheld: the day of the report is before embargo_until, a parameter frozen with the
--          slate
-- Source:  docs/metrics.md#slate_embargo
-- Units:   a date; NULL for a slate without an embargo, which is never withheld
-- Grain:   slate_id
-- Portability: json_extract_string and try_cast are DuckDB's
with dated_slate as (
    select
        slate_id,
        try_cast(json_extract_string(parameters, '$.embargo_until') as date) as embargo_until
    from slate
)

select
    dated_slate.slate_id,
    dated_slate.embargo_until,
    coalesce(report_day.reported_on < dated_slate.embargo_until, false) as is_withheld
from dated_slate
cross join report_day
