-- Title:      The canonical lines of a slate in their order, as JSON joined in blocks
-- Reads:      prediction_line
-- Note:       The files are cut here, so that no line becomes a Python value.
with numbered as (
    select
        cast(to_json(line) as varchar) as line,
        row_number() over (order by disease_identifier, drug_identifier) - 1 as position
    from prediction_line
    where slate_id = :slate_id
)

select string_agg(line, ',' || chr(10) order by position) as lines
from numbered
group by position // :most
order by position // :most
