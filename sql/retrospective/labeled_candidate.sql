-- Title:   Labeled candidates
-- Formula: candidates of the evaluation with a label above 0, and whether they count as positive
-- Units:   label 1..4; positive = label at least positive_min_label
-- Grain:   evaluation_id, disease_id, drug_id
with known_pair as (
    select
        evaluation.evaluation_id,
        evaluation.candidate_set_id,
        labeled_pair.disease_id,
        labeled_pair.drug_id,
        labeled_pair.label,
        labeled_pair.label >= evaluation.positive_min_label as is_positive
    from evaluation
    inner join labeled_pair using (label_set_id)
    where labeled_pair.label > 0
)

select
    known_pair.evaluation_id,
    known_pair.candidate_set_id,
    candidate.disease_id,
    candidate.drug_id,
    candidate.score,
    known_pair.label,
    known_pair.is_positive
from candidate
inner join known_pair
    on
        candidate.candidate_set_id = known_pair.candidate_set_id
        and candidate.disease_id = known_pair.disease_id
        and candidate.drug_id = known_pair.drug_id
