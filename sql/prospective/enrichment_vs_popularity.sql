-- Title:   Enrichment versus popularity
-- Result:  Hit rates and enrichment
-- Formula: observed hit rate / expected hit rate; expected hits = sum over breadth deciles of
--          predictions in the decile x baseline hit rate of the decile
-- Units:   ratio, 1 = no better than popular drugs; the tie-safe column uses breadth_cohort
-- Grain:   slate_id, evidence_window, population, tier
with known_expectation as (
    select
        slate_id,
        evidence_window,
        population,
        tier,
        max(expected_hits) filter (where grouping_kind = 'decile') as expected_hits,
        max(expected_hits) filter (where grouping_kind = 'cohort') as expected_hits_tie_safe
    from tier_expectation
    group by all
)

select
    slate_id,
    evidence_window,
    population,
    tier,
    tier_hit_rate.n_predictions,
    tier_hit_rate.hit_rate as observed_hit_rate,
    known_expectation.expected_hits,
    known_expectation.expected_hits / nullif(tier_hit_rate.n_predictions, 0) as expected_hit_rate,
    observed_hit_rate / nullif(expected_hit_rate, 0) as enrichment_vs_popularity,
    observed_hit_rate / nullif(
        known_expectation.expected_hits_tie_safe / nullif(tier_hit_rate.n_predictions, 0), 0
    ) as enrichment_vs_popularity_tie_safe,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when tier_hit_rate.reason is not null then tier_hit_rate.reason
        when known_expectation.expected_hits is null
            then 'a prediction has no candidates of its breadth to compare with'
        when known_expectation.expected_hits = 0 then 'no candidate of the same breadth is a hit'
    end as reason
from tier_hit_rate
inner join slate_sets using (slate_id)
left join known_expectation using (slate_id, evidence_window, population, tier)
