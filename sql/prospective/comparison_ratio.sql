-- Title:   Hits of the lists of a comparison beside those of equally popular drugs
-- Formula: stratified_ratio of the lists of comparison_list
-- Units:   as in stratified_ratio
-- Inlines: stratified_ratio
-- Grain:   slate_id, list_number
with prediction_list as (from comparison_list),

list_stratum as (from comparison_stratum)

from stratified_ratio
