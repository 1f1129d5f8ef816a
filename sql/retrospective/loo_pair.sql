-- Title:   Pairs to leave out
-- Formula: positive pairs of diseases with at least min_labeled labeled pairs, whose drug is a
--          candidate
-- Units:   pairs; without a candidate set every labeled drug is a candidate
-- Grain:   evaluation_id, disease_id, drug_id
select
    evaluation.evaluation_id,
    labeled_pair.disease_id,
    labeled_pair.drug_id
from evaluation
inner join labeled_pair using (label_set_id)
inner join labeled_disease
    on
        evaluation.evaluation_id = labeled_disease.evaluation_id
        and labeled_pair.disease_id = labeled_disease.disease_id
left join labeled_candidate
    on
        evaluation.evaluation_id = labeled_candidate.evaluation_id
        and labeled_pair.disease_id = labeled_candidate.disease_id
        and labeled_pair.drug_id = labeled_candidate.drug_id
where
    labeled_disease.has_enough_labels
    and labeled_pair.label >= evaluation.positive_min_label
    and (evaluation.candidate_set_id is null or labeled_candidate.drug_id is not null)
