-- Title:      Rows of a file that repeat the names of a row above, and how many there are
-- Reads:      resolved_row
-- Note:       The names count, not what they mean: two names of one drug are no repeat.
with repeated as (
    select
        disease_name_number,
        drug_name_number,
        min(row_number) as first_row
    from resolved_row
    group by disease_name_number, drug_name_number
    having count(*) > 1
)

select
    resolved_row.row_number,
    repeated.first_row,
    count(*) over () as n_found
from resolved_row
inner join repeated
    on
        resolved_row.disease_name_number = repeated.disease_name_number
        and resolved_row.drug_name_number = repeated.drug_name_number
where resolved_row.row_number > repeated.first_row
order by resolved_row.row_number
limit :limit
