-- Title:   Hits by kind of match
-- Result:  Hit rates and enrichment
-- Formula: hits found by this kind of match or a stronger one / predictions in the tier
-- Units:   counts, and a fraction 0..1, NULL for an empty tier; strength as in match_kind; a row
--          for each kind by which a prediction was hit, and for the weakest that the slate counts,
--          which has all hits; claims are in every row
-- Grain:   slate_id, evidence_window, population, tier, strength
with hit as (
    select
        * exclude (tier),
        unnest([tier, 'all']) as tier
    from population_pair
    where is_hit
),

kind_count as (
    select
        slate_id,
        evidence_window,
        population,
        tier,
        shown_match_kind.strength,
        shown_match_kind.match_kind,
        tier_count.n_predictions,
        count(*) filter (where shown_match_kind.strength >= hit.match_strength) as n_hits
    from tier_count
    inner join shown_match_kind using (slate_id)
    left join hit using (slate_id, evidence_window, population, tier)
    group by all
)

select
    *,
    n_hits / nullif(n_predictions, 0) as hit_rate,
    if(n_predictions = 0, 'no predictions of this population in the tier', null) as reason
from kind_count
