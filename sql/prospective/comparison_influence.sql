-- Title:   What a drug, a disease or a record adds to the logarithm of a comparison's ratio
-- Formula: ratio_influence of the lists of comparison_list
-- Units:   as in ratio_influence
-- Inlines: stratum_fit, drug_influence, ratio_influence
-- Grain:   slate_id, list_number, entity_kind, entity_id, record
with prediction_list as (from comparison_list),

list_member as (from comparison_member),

counted_hit as (from comparison_counted_hit),

class_candidate as (from comparison_candidate),

list_stratum as (from comparison_stratum)

from ratio_influence
