-- Title:   Variance of the logarithm of a comparison's ratio
-- Formula: ratio_variance of the lists of comparison_list
-- Units:   as in ratio_variance
-- Inlines: ratio_variance
-- Grain:   slate_id, list_number
with ratio_influence as (from comparison_influence)

from ratio_variance
