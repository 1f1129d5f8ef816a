-- Title:   Candidates that were known or near-known
-- Formula: candidates known at the freeze, as in population 'novel', and those that are near-known
--          by nearness
-- Source:  docs/metrics.md#class_candidate
-- Units:   nearness is 'known' or 'near-known'; candidates without a row are 'new';
--          knowledge_number as in prediction_list; is_learned_later as in pair_known_phase
-- Grain:   slate_id, disease_id, drug_id
with class_pair as (
    select
        slate_id,
        disease_id,
        drug_id,
        'known' as nearness,
        is_learned_later
    from marked_candidate
    where is_known
    union all
    select
        slate_id,
        disease_id,
        drug_id,
        'near-known' as nearness,
        false as is_learned_later
    from nearness
    where is_candidate and not is_known
)

select
    slate_id,
    0 as knowledge_number,
    class_pair.disease_id,
    drug_id,
    drug_breadth.breadth_class,
    class_pair.nearness,
    class_pair.is_learned_later
from class_pair
inner join drug_breadth using (slate_id, drug_id)
