-- Title:   Hits by kind of match
-- Formula: hits found by this kind of match or a stronger one / predictions in the tier
-- Source:  docs/metrics.md#match_kind_hit_rate
-- Units:   counts, and a fraction 0..1, NULL for an empty tier; strength as in match_kind; a row
--          for each kind by which a prediction was hit, and for the weakest that the slate counts,
--          which has all hits; claims are in every row
-- Grain:   slate_id, evidence_window, population, tier, strength
with hit as (
    select
        slate_id,
        evidence_window,
        population,
        match_strength,
        unnest([tier, 'all']) as tier
    from population_pair
    where is_hit
),

hit_group as (
    select
        slate_id,
        evidence_window,
        population,
        tier,
        match_strength,
        count(*) as n_hits
    from hit
    group by slate_id, evidence_window, population, tier, match_strength
)

select
    tier_count.slate_id,
    tier_count.evidence_window,
    tier_count.population,
    tier_count.tier,
    shown_match_kind.strength,
    shown_match_kind.match_kind,
    tier_count.n_predictions,
    cast(coalesce(sum(hit_group.n_hits), 0) as bigint) as n_hits,
    coalesce(sum(hit_group.n_hits), 0) / nullif(tier_count.n_predictions, 0) as hit_rate,
    if(
        tier_count.n_predictions = 0, 'no predictions of this population in the tier', null
    ) as reason
from tier_count
inner join shown_match_kind using (slate_id)
left join hit_group
    on
        tier_count.slate_id = hit_group.slate_id
        and tier_count.evidence_window = hit_group.evidence_window
        and tier_count.population = hit_group.population
        and tier_count.tier = hit_group.tier
        and shown_match_kind.strength >= hit_group.match_strength
group by
    tier_count.slate_id,
    tier_count.evidence_window,
    tier_count.population,
    tier_count.tier,
    shown_match_kind.strength,
    shown_match_kind.match_kind,
    tier_count.n_predictions
