-- Title:   Activity in a disease at freeze
-- Result:  Diseases and drugs
-- Formula: pairs of the disease known at the freeze, candidates or not, its degree; low activity =
--          no more of them than the median disease of the slate
-- Units:   counts; known as in population 'novel'
-- Grain:   slate_id, disease_id
-- Stored:  evidence
with slate_disease as (
    select distinct
        slate_id,
        disease_id
    from prediction
),

known_count as (
    select
        slate_id,
        disease_id,
        count(*) filter (where pair_known_phase.is_known) as n_known_pairs
    from slate_disease
    left join pair_known_phase using (slate_id, disease_id)
    group by slate_id, disease_id
)

select
    *,
    n_known_pairs <= median(n_known_pairs) over (partition by slate_id) as is_low_activity
from known_count
