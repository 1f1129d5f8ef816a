-- Title:   Day of the report
-- Formula: the date of the as-of instant, else of the present one
-- Source:  docs/metrics.md#report_day
-- Units:   a date in UTC
-- Grain:   reported_on
-- Portability: getvariable('as_of') is DuckDB's; make_timestamp(epoch_us()) returns the UTC date
--          of an instant without the ICU extension
select
    cast(
        make_timestamp(
            epoch_us(coalesce(cast(getvariable('as_of') as timestamptz), now()))
        ) as date
    ) as reported_on
