-- Title:   Candidates that were known
-- Formula: candidates known at the freeze, as in population 'novel'; in a comparison of two slates,
--          those of comparison_known
-- Source:  docs/metrics.md#known_candidate
-- Units:   versus is 'none', or the slate that this one is compared with
-- Grain:   slate_id, versus, disease_id, drug_id
with known_pair as (
    select
        slate_id,
        'none' as versus,
        disease_id,
        drug_id
    from marked_candidate
    where is_known
    union all
    select
        comparison_known.slate_id,
        cast(comparison_known.versus_slate_id as varchar) as versus,
        comparison_known.disease_id,
        comparison_known.drug_id
    from comparison_known
    inner join slate_sets using (slate_id)
    semi join candidate using (candidate_set_id, disease_id, drug_id)
)

select
    known_pair.*,
    drug_breadth.breadth_class
from known_pair
inner join drug_breadth using (slate_id, drug_id)
