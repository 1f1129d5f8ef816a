-- Title:      Rows of a submission that repeat a pair of a row above
-- Reads:      submission_row
with placed as (
    select
        row_number,
        min(row_number) over (partition by disease_id, drug_id) as first_row
    from submission_row
)

select
    placed.row_number,
    'drug_name' as column_name,
    concat('the pair repeats row ', placed.first_row) as message
from placed
where placed.row_number > placed.first_row
