-- Title:      The candidates of an evaluation with their scores, as input for the intervals of AUC
-- Reads:      candidate, evaluation, labeled_pair
-- Parameters: evaluation_id
select
    candidate.score,
    coalesce(labeled_pair.label >= evaluation.positive_min_label, false) as is_positive,
    candidate.disease_id
from evaluation
inner join candidate using (candidate_set_id)
left join labeled_pair
    on
        evaluation.label_set_id = labeled_pair.label_set_id
        and candidate.disease_id = labeled_pair.disease_id
        and candidate.drug_id = labeled_pair.drug_id
where evaluation.evaluation_id = :evaluation_id
order by candidate.disease_id, candidate.drug_id
