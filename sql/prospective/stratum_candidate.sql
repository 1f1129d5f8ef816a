-- Title:   Candidates of strata in which one came true
-- Formula: candidates of a disease and breadth class in which a candidate was a hit, where the
--          slate has a prediction
-- Source:  docs/metrics.md#stratum_candidate
-- Units:   is_known as in population 'novel'; versus is 'none', or the slate that this one is
--          compared with: then hits are of comparison_hit, and known are pairs of comparison_known
-- Grain:   slate_id, versus, disease_id, drug_id
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
        breadth_class
    from candidate_hit
    semi join predicted_stratum using (slate_id, disease_id, breadth_class)
    union all
    select distinct
        slate_id,
        cast(comparison_hit.versus_slate_id as varchar) as versus,
        disease_id,
        breadth_class
    from comparison_hit
    inner join drug_breadth using (slate_id, drug_id)
    semi join predicted_stratum using (slate_id, disease_id, breadth_class)
),

known_pair as (
    select
        slate_id,
        'none' as versus,
        disease_id,
        drug_id
    from marked_candidate
    where is_known
    union all
    select
        slate_id,
        cast(versus_slate_id as varchar) as versus,
        disease_id,
        drug_id
    from comparison_known
)

select
    slate_id,
    stratum.versus,
    stratum.disease_id,
    candidate.drug_id,
    stratum.breadth_class,
    known_pair.drug_id is not null as is_known
from stratum
inner join slate_sets using (slate_id)
inner join candidate using (candidate_set_id, disease_id)
inner join drug_breadth using (slate_id, drug_id, breadth_class)
left join known_pair using (slate_id, versus, disease_id, drug_id)
