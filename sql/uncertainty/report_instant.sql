-- Title:   Instant of the report
-- Formula: the variable as_of, which --as-of sets; infinity where it is not set
-- Source:  docs/metrics.md#report_instant
-- Units:   an instant; the views that leave out later rows read it
-- Grain:   as_of
-- Portability: getvariable('as_of') is DuckDB's
select coalesce(cast(getvariable('as_of') as timestamptz), cast('infinity' as timestamptz)) as as_of
