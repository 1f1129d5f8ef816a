-- Title:      The canonical lines of a submission of values, joined in blocks
-- Reads:      submission_value_line
with numbered_line as (
    select
        line,
        row_number() over (order by target, item) as line_number
    from submission_value_line
    where submission_id = :submission_id
)

select string_agg(line || chr(10), '' order by line_number) as lines
from numbered_line
group by (line_number - 1) // 100000
order by (line_number - 1) // 100000
