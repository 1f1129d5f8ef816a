-- Title:   What a pair adds to the logarithm of a comparison's ratio
-- Formula: stratum_fit of the lists of comparison_list
-- Units:   as in stratum_fit
-- Inlines: stratum_fit
-- Grain:   slate_id, list_number, disease_id, breadth_class
with list_stratum as (from comparison_stratum)

from stratum_fit
