-- Title:      The candidates of an evaluation with their scores, as input for the intervals of AUC
-- Reads:      candidate, disease, entity_tie_name, evaluation, labeled_pair
-- Note:       Diseases are numbered by name, so that draws do not follow the order of loading.
with numbered_disease as (
    select
        disease.disease_id,
        row_number() over (
            order by disease_name.folded_name asc nulls first, disease.disease_id asc
        ) as disease_number
    from disease
    left join entity_tie_name as disease_name
        on
            disease_name.entity_kind = 'disease'
            and disease.disease_id = disease_name.entity_id
            and disease_name.named_until is null
)

select
    candidate.score,
    coalesce(labeled_pair.label >= evaluation.positive_min_label, false) as is_positive,
    numbered_disease.disease_number
from evaluation
inner join candidate using (candidate_set_id)
inner join numbered_disease on candidate.disease_id = numbered_disease.disease_id
left join labeled_pair
    on
        evaluation.label_set_id = labeled_pair.label_set_id
        and candidate.disease_id = labeled_pair.disease_id
        and candidate.drug_id = labeled_pair.drug_id
where evaluation.evaluation_id = :evaluation_id
order by numbered_disease.disease_number, candidate.drug_id
