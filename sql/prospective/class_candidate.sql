-- Title:   Candidates that were known or near-known
-- Formula: candidates known at the freeze, as in population 'novel', and those that are near-known
--          by nearness, these also by their near_class (near_pair)
-- Units:   nearness is 'known' or 'near-known'; candidates without a row are 'new'; breadth_class
--          as in drug_breadth, in a second row of a near-known one its near_class;
--          knowledge_number as in prediction_list; is_learned_later as in pair_known_phase
-- Grain:   slate_id, disease_id, drug_id, breadth_class
select
    slate_id,
    0 as knowledge_number,
    marked_candidate.disease_id,
    drug_id,
    drug_breadth.breadth_class,
    'known' as nearness,
    marked_candidate.is_learned_later
from marked_candidate
inner join drug_breadth using (slate_id, drug_id)
where marked_candidate.is_known
union all
select
    slate_id,
    0 as knowledge_number,
    disease_id,
    drug_id,
    unnest([breadth_class, near_class]) as breadth_class,
    'near-known' as nearness,
    false as is_learned_later
from near_pair
where is_candidate and not is_known
