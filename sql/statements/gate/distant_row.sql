-- Title:      Rows of a submission's file with a value far outside the truth's range
-- Reads:      distant_value, staged_value
-- Note:       The rows are those of the file just staged and stored. n_found counts all of them;
--             the first `most` are returned.
select
    staged_value.row_number,
    if(:is_long, 'value', distant_value.target) as column_name,
    distant_value.warning,
    count(*) over () as n_found
from distant_value
inner join staged_value
    on distant_value.item = staged_value.item and distant_value.target = staged_value.target
where distant_value.submission_id = :submission_id
order by staged_value.row_number, distant_value.target
limit :most
