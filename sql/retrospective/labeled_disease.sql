-- Title:   Labeled diseases
-- Formula: labeled pairs and positives of each disease of the label set; min_labeled (10) is the
--          number of labeled pairs that leave-one-out requires
-- Units:   counts
-- Grain:   evaluation_id, disease_id
with pair_count as (
    select
        evaluation.evaluation_id,
        labeled_pair.disease_id,
        count(*) as n_labeled,
        count(*) filter (where labeled_pair.label >= evaluation.positive_min_label) as n_positive,
        10 as min_labeled
    from evaluation
    inner join labeled_pair using (label_set_id)
    group by evaluation.evaluation_id, labeled_pair.disease_id
)

select
    evaluation_id,
    disease_id,
    n_labeled,
    n_positive,
    min_labeled,
    n_labeled >= min_labeled as has_enough_labels
from pair_count
