-- Title:   What a stratum adds to the sums of a comparison's ratio
-- Formula: list_stratum of the lists of comparison_list
-- Units:   as in list_stratum
-- Inlines: stratum_count, list_stratum
-- Grain:   slate_id, list_number, disease_id, breadth_class
with prediction_list as (from comparison_list),

list_member as (from comparison_member),

counted_hit as (from comparison_counted_hit),

class_candidate as (from comparison_candidate)

from list_stratum
