-- Title:   Predictions by list of a comparison, in strata in which a hit counts
-- Formula: candidates that comparison_prediction lists, in strata with a hit of
--          comparison_counted_hit
-- Units:   as in list_member
-- Grain:   slate_id, list_number, disease_id, drug_id
select
    slate_id,
    list.list_number,
    disease_id,
    drug_id,
    drug_breadth.breadth_class
from comparison_prediction
inner join comparison_list as list using (slate_id, versus_slate_id, population, tier)
inner join drug_breadth using (slate_id, drug_id)
inner join slate_sets using (slate_id)
semi join comparison_counted_hit using (slate_id, rule_number, disease_id, breadth_class)
semi join candidate using (candidate_set_id, disease_id, drug_id)
where comparison_prediction.is_listed
