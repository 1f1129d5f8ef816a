-- Title:   Diseases of a leave-one-out run
-- Formula: labeled pairs, positives and pairs to leave out of each labeled disease, and why a
--          disease has no trial
-- Units:   counts
-- Grain:   evaluation_id, disease_id
with hidden_count as (
    select
        evaluation_id,
        disease_id,
        count(*) as n_hidden
    from loo_pair
    group by evaluation_id, disease_id
)

select
    evaluation_id,
    disease_id,
    labeled_disease.n_labeled,
    labeled_disease.n_positive,
    coalesce(hidden_count.n_hidden, 0) as n_hidden,
    case
        when not labeled_disease.has_enough_labels
            then concat('fewer than ', labeled_disease.min_labeled, ' labeled pairs')
        when labeled_disease.n_positive = 0 then 'no positive pair'
        when hidden_count.n_hidden is null then 'no positive drug is a candidate'
    end as reason
from labeled_disease
left join hidden_count using (evaluation_id, disease_id)
