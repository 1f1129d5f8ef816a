-- Title:   Until when published sites withhold a slate
-- Formula: is_withheld: the day of the report is before embargo_until, a parameter frozen with the
--          slate
-- Units:   a date; NULL for a slate without an embargo, which is never withheld
-- Grain:   slate_id
-- Portability: json_extract_string and try_cast are DuckDB's
select
    slate.slate_id,
    try_cast(json_extract_string(slate.parameters, '$.embargo_until') as date) as embargo_until,
    coalesce(report_day.reported_on < embargo_until, false) as is_withheld
from slate
cross join report_day
