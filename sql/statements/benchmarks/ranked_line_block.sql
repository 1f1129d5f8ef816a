-- Title:      The canonical lines of a submission of labels, joined in blocks
-- Reads:      ranked_prediction_line
with numbered_line as (
    select
        line,
        row_number() over (order by item, position) as line_number
    from ranked_prediction_line
    where submission_id = :submission_id
)

select string_agg(line || chr(10), '' order by line_number) as lines
from numbered_line
group by (line_number - 1) // 100000
order by (line_number - 1) // 100000
