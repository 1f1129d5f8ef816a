-- Title:   Classes of pairs with a known relative
-- Formula: 1000 x closeness + breadth_class: pairs of a class are as popular, and as close to what
--          was known
-- Units:   near_class is a number above 1000, which no breadth class reaches; closeness, is_known
--          and is_candidate as in nearness; breadth_class as in drug_breadth
-- Grain:   slate_id, disease_id, drug_id
select
    slate_id,
    nearness.disease_id,
    drug_id,
    drug_breadth.breadth_class,
    cast(1000 * nearness.closeness + drug_breadth.breadth_class as bigint) as near_class,
    nearness.is_known,
    nearness.is_candidate
from nearness
inner join drug_breadth using (slate_id, drug_id)
