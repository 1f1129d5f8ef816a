-- Title:   Candidates that were known or near-known
-- Formula: known_candidate; and candidates that are near-known by nearness, which comparisons of
--          two slates do not tell apart
-- Source:  docs/metrics.md#class_candidate
-- Units:   nearness is 'known' or 'near-known'; versus as in known_candidate; candidates without a
--          row are 'new'
-- Grain:   slate_id, versus, disease_id, drug_id
select
    slate_id,
    versus,
    disease_id,
    drug_id,
    breadth_class,
    'known' as nearness
from known_candidate
union all
select
    slate_id,
    'none' as versus,
    nearness.disease_id,
    drug_id,
    drug_breadth.breadth_class,
    'near-known' as nearness
from nearness
inner join drug_breadth using (slate_id, drug_id)
where nearness.is_candidate and not nearness.is_known
