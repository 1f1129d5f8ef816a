-- Title:   Pairs to leave out
-- Formula: positive pairs of diseases with at least 10 labeled pairs, whose drug is a candidate
-- Source:  METRICS section 3, hit_at_k
-- Units:   pairs; without a candidate set every labeled drug is a candidate
-- Grain:   evaluation_id, disease_id, drug_id
with large_disease as (
    select
        label_set_id,
        disease_id
    from labeled_pair
    group by label_set_id, disease_id
    having count(*) >= 10
)

select
    evaluation.evaluation_id,
    labeled_pair.disease_id,
    labeled_pair.drug_id
from evaluation
inner join labeled_pair using (label_set_id)
inner join large_disease using (label_set_id, disease_id)
left join labeled_candidate
    on
        evaluation.evaluation_id = labeled_candidate.evaluation_id
        and labeled_pair.disease_id = labeled_candidate.disease_id
        and labeled_pair.drug_id = labeled_candidate.drug_id
where
    labeled_pair.label >= evaluation.positive_min_label
    and (evaluation.candidate_set_id is null or labeled_candidate.drug_id is not null)
