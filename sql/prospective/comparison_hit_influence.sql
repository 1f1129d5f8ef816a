-- Title:   What each hit adds to the logarithm of a comparison's ratio
-- Formula: hit_influence of the lists of comparison_list
-- Units:   as in hit_influence
-- Inlines: stratum_fit, hit_influence
-- Grain:   slate_id, list_number, disease_id, drug_id
with prediction_list as (from comparison_list),

list_member as (from comparison_member),

counted_hit as (from comparison_counted_hit),

list_stratum as (from comparison_stratum)

from hit_influence
