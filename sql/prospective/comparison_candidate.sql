-- Title:   Candidates that were known before two slates can be compared
-- Formula: candidates of the slate among the pairs of comparison_known
-- Units:   as in class_candidate; of a comparison no pair is near-known, or known by later
--          evidence alone
-- Grain:   slate_id, knowledge_number, disease_id, drug_id
with side as (
    select distinct
        slate_id,
        versus_slate_id,
        knowledge_number
    from comparison_list
)

select
    slate_id,
    side.knowledge_number,
    disease_id,
    drug_id,
    drug_breadth.breadth_class,
    'known' as nearness,
    false as is_learned_later
from comparison_known
inner join side using (slate_id, versus_slate_id)
inner join drug_breadth using (slate_id, drug_id)
inner join slate_sets using (slate_id)
semi join candidate using (candidate_set_id, disease_id, drug_id)
