-- Title:      Diseases of a round with novel candidates, of which a submission has none
-- Reads:      candidate, labeled_pair, submission_row
with known as (
    select
        labeled_pair.disease_id,
        labeled_pair.drug_id
    from labeled_pair
    where labeled_pair.label_set_id = :label_set_id and labeled_pair.label > 0
)

select distinct candidate.disease_id
from candidate
anti join known
    on candidate.disease_id = known.disease_id and candidate.drug_id = known.drug_id
anti join submission_row on candidate.disease_id = submission_row.disease_id
where candidate.candidate_set_id = :candidate_set_id
