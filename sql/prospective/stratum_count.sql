-- Title:   Candidates by stratum in which one came true
-- Formula: candidates of a disease and breadth class in which a candidate was a hit or failed,
--          by any setting of studies, where the slate has a prediction; those of them that were not
--          known, that were near-known, and that were neither
-- Source:  docs/metrics.md#stratum_count
-- Units:   counts; known and versus as in known_candidate; hits of a comparison are of
--          comparison_hit
-- Grain:   slate_id, versus, disease_id, breadth_class
with predicted_stratum as (
    select distinct
        slate_id,
        prediction.disease_id,
        drug_breadth.breadth_class
    from prediction
    inner join drug_breadth using (slate_id, drug_id)
),

stratum as (
    select distinct
        slate_id,
        'none' as versus,
        disease_id,
        drug_breadth.breadth_class
    from setting_pair_event
    inner join drug_breadth using (slate_id, drug_id)
    inner join slate_sets using (slate_id)
    semi join predicted_stratum using (slate_id, disease_id, breadth_class)
    semi join candidate using (candidate_set_id, disease_id, drug_id)
    where setting_pair_event.is_hit or setting_pair_event.has_failed
    union all
    select distinct
        slate_id,
        cast(comparison_hit.versus_slate_id as varchar) as versus,
        disease_id,
        drug_breadth.breadth_class
    from comparison_hit
    inner join drug_breadth using (slate_id, drug_id)
    semi join predicted_stratum using (slate_id, disease_id, breadth_class)
),

pair_count as (
    select
        slate_id,
        disease_id,
        breadth_class,
        cast(sum(n_candidates) as bigint) as n_pairs
    from breadth_cell
    group by all
),

class_count as (
    select
        slate_id,
        versus,
        disease_id,
        breadth_class,
        count(*) filter (where nearness = 'known') as n_known,
        count(*) filter (where nearness = 'near-known') as n_near_known
    from class_candidate
    group by slate_id, versus, disease_id, breadth_class
)

select
    stratum.*,
    pair_count.n_pairs,
    pair_count.n_pairs - coalesce(class_count.n_known, 0) as n_novel,
    coalesce(class_count.n_near_known, 0) as n_near_known,
    pair_count.n_pairs
    - coalesce(class_count.n_known + class_count.n_near_known, 0) as n_new
from stratum
inner join pair_count using (slate_id, disease_id, breadth_class)
left join class_count using (slate_id, versus, disease_id, breadth_class)
