-- Title:   Predictions, outcomes and hits by tier
-- Formula: counts over the slate's pairs; a tier without novel pairs keeps its row, with zeros
-- Units:   counts; later hits are pairs hit only after the end of the horizon: in the window 'all'
--          some of the hits, in 'prospective' none of them
-- Grain:   slate_id, evidence_window, population, tier
with pair_group as (
    select
        slate_id,
        evidence_window,
        tier,
        is_novel,
        count(*) as n_pairs,
        count(*) filter (where has_any_outcome) as n_with_any_outcome,
        count(*) filter (where is_hit) as n_hits,
        count(*) filter (where is_later_hit) as n_later_hits
    from pair_outcome
    group by all
),

-- A pair that is not novel still gives its tier a row of novel pairs.
member as (
    select
        * exclude (tier),
        unnest([tier, tier, 'all', 'all']) as tier,
        unnest(['all', 'novel', 'all', 'novel']) as population,
        unnest([true, is_novel, true, is_novel]) as is_member
    from pair_group
)

select
    slate_id,
    evidence_window,
    population,
    tier,
    cast(sum(if(is_member, n_pairs, 0)) as bigint) as n_predictions,
    cast(sum(if(is_member, n_with_any_outcome, 0)) as bigint) as n_with_any_outcome,
    cast(sum(if(is_member, n_hits, 0)) as bigint) as n_hits,
    cast(sum(if(is_member, n_later_hits, 0)) as bigint) as n_later_hits
from member
group by slate_id, evidence_window, population, tier
