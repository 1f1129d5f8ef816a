-- Title:   Activity in a disease at freeze
-- Formula: pairs of the disease known at the freeze, its degree; low activity = no more of them
--          than the median disease of the slate; degree_class = 1 + floor(5 x (known pairs of
--          diseases of lower degree + half of those of the same degree) / all), at most 5
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
),

-- Twice the known pairs up to the middle of the diseases of the same degree: whole numbers.
ranked_degree as (
    select
        slate_id,
        disease_id,
        n_known_pairs,
        2 * sum(n_known_pairs) over (partition by slate_id order by n_known_pairs)
        - sum(n_known_pairs) over (partition by slate_id, n_known_pairs) as twice_before,
        2 * sum(n_known_pairs) over (partition by slate_id) as twice_all
    from known_count
)

select
    slate_id,
    disease_id,
    n_known_pairs,
    n_known_pairs <= median(n_known_pairs) over (partition by slate_id) as is_low_activity,
    cast(
        if(twice_all = 0, 1, least(5, 1 + (5 * twice_before) // nullif(twice_all, 0))) as integer
    ) as degree_class
from ranked_degree
