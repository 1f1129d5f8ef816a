-- Title:   Phase known of a pair by labels
-- Formula: the highest of label and phase in the slate's predictions and labeled pairs
-- Units:   phase 0 (none) to 4 (approved); has_label where there is a label, if only a negative one
-- Grain:   slate_id, disease_id, drug_id
with known_pair as (
    select
        slate_id,
        disease_id,
        drug_id,
        greatest(coalesce(known_label, 0), coalesce(known_max_phase, 0), 0) as known_phase,
        known_label is not null as has_label
    from prediction
    union all
    select
        slate_sets.slate_id,
        labeled_pair.disease_id,
        labeled_pair.drug_id,
        greatest(labeled_pair.label, coalesce(labeled_pair.max_phase, 0), 0) as known_phase,
        true as has_label
    from slate_sets
    inner join labeled_pair using (label_set_id)
)

select
    slate_id,
    disease_id,
    drug_id,
    max(known_phase) as labeled_phase,
    bool_or(has_label) as has_label
from known_pair
group by slate_id, disease_id, drug_id
