-- Title:   Day of the report
-- Formula: the date of the as-of instant, else of the present one
-- Units:   a date in UTC
-- Grain:   reported_on
-- Portability: make_timestamp(epoch_us()) returns the UTC date of an instant without the ICU
--          extension
select
    cast(
        make_timestamp(
            epoch_us(if(isinf(report_instant.as_of), now(), report_instant.as_of))
        ) as date
    ) as reported_on
from report_instant
