-- Title:   Pairs known before two slates can be compared
-- Result:  Comparisons and models
-- Formula: pairs known at the freeze of either slate, or with an event of either that was public by
--          the later freeze
-- Units:   none; a pair that is not listed is novel to both
-- Grain:   slate_id, versus_slate_id, disease_id, drug_id
with side as (
    select
        *,
        unnest([slate_id, versus_slate_id]) as side_id
    from comparison_window
    where reason is null
)

select
    side.slate_id,
    side.versus_slate_id,
    pair_known_phase.disease_id,
    pair_known_phase.drug_id
from side
inner join pair_known_phase on side.side_id = pair_known_phase.slate_id
where pair_known_phase.is_known
union
select
    side.slate_id,
    side.versus_slate_id,
    slate_event.disease_id,
    slate_event.drug_id
from side
inner join slate_event on side.side_id = slate_event.slate_id
where
    -- An action of the FDA names no disease.
    slate_event.event_type <> 'drug_approval'
    and coalesce(slate_event.public_by, slate_event.event_date) <= side.starts_on
