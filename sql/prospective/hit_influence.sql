-- Title:   What each hit adds to the logarithm of a ratio
-- Formula: predicted_hit of stratum_fit for a hit that the list has, other_hit for another one
-- Units:   units of ln(ratio), of a hit of weight 1; the hits are those of all candidates in the
--          strata of the list
-- Grain:   slate_id, list_number, disease_id, drug_id
select
    slate_id,
    stratum_fit.list_number,
    disease_id,
    counted_hit.drug_id,
    counted_hit.record,
    if(
        list_member.drug_id is null, stratum_fit.other_hit, stratum_fit.predicted_hit
    ) as influence
from stratum_fit
inner join prediction_list using (slate_id, list_number)
inner join counted_hit using (slate_id, rule_number, disease_id, breadth_class)
left join list_member using (slate_id, list_number, disease_id, drug_id)
