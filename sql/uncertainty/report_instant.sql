-- Title:   Instant of the report, and the dates it goes by
-- Result:  Verdict and overview
-- Formula: the variable as_of, which --as-of sets; infinity where it is not set. is_as_claimed is
--          whether the variable dates is 'claimed', as --dates sets it
-- Units:   an instant; the views that leave out later rows read it
-- Grain:   as_of
-- Portability: getvariable is DuckDB's
select
    coalesce(cast(getvariable('as_of') as timestamptz), cast('infinity' as timestamptz)) as as_of,
    coalesce(getvariable('dates') = 'claimed', false) as is_as_claimed
