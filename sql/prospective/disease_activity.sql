-- Title:   Activity in a disease at freeze
-- Formula: pairs of the disease known at the freeze, its degree; low activity = no more of them
--          than the median disease of the slate
-- Source:  docs/metrics.md#disease_activity
-- Units:   counts; known as in population 'novel'
-- Grain:   slate_id, disease_id
with known_pair as (
    select
        slate_id,
        disease_id,
        drug_id
    from pair_known_phase
    where is_known
),

slate_disease as (
    select distinct
        slate_id,
        disease_id
    from prediction
),

known_count as (
    select
        slate_disease.slate_id,
        slate_disease.disease_id,
        count(known_pair.drug_id) as n_known_pairs
    from slate_disease
    left join known_pair using (slate_id, disease_id)
    group by slate_disease.slate_id, slate_disease.disease_id
)

select
    slate_id,
    disease_id,
    n_known_pairs,
    n_known_pairs <= median(n_known_pairs) over (partition by slate_id) as is_low_activity
from known_count
