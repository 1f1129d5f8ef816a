-- Title:      Pairs of a submission that are not among the round's candidates
-- Reads:      candidate, submission_row
with own as (
    select
        candidate.disease_id,
        candidate.drug_id
    from candidate
    where candidate.candidate_set_id = :candidate_set_id
)

select
    submission_row.row_number,
    'drug_name' as column_name,
    'is not a candidate of this disease in the round' as message
from submission_row
anti join own
    on submission_row.disease_id = own.disease_id and submission_row.drug_id = own.drug_id
