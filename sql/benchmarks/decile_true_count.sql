-- Title:   True labels of an instance by decile
-- Formula: count of the instance's true labels in the decile
-- Units:   labels
-- Grain:   item_id, decile
select
    truth_label.item_id,
    label_decile.decile,
    count(*) as n_true
from truth_label
inner join label_decile using (label_id)
group by truth_label.item_id, label_decile.decile
