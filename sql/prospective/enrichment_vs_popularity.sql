-- Title:   Enrichment versus popularity
-- Formula: observed hit rate / expected hit rate; expected hits = sum over breadth deciles of
--          predictions in the decile x baseline hit rate of the decile
-- Source:  METRICS section 1, enrichment_vs_popularity
-- Units:   ratio, 1 = no better than popular drugs; the tie-safe column uses breadth_cohort
-- Grain:   slate_id, evidence_window, population, tier
with tier_group as (
    select
        slate_id,
        population,
        unnest([tier, 'all']) as tier,
        grouping_kind,
        breadth_group,
        n_predictions
    from breadth_prediction_count
),

tier_group_count as (
    select
        slate_id,
        population,
        tier,
        grouping_kind,
        breadth_group,
        cast(sum(n_predictions) as bigint) as n_predictions
    from tier_group
    group by slate_id, population, tier, grouping_kind, breadth_group
),

-- Multiplied before divided: a slate that is its whole candidate set then expects exactly its hits.
expected as (
    select
        slate_id,
        breadth_baseline.evidence_window,
        population,
        tier_group_count.tier,
        sum(
            tier_group_count.n_predictions * breadth_baseline.n_candidate_hits
            / breadth_baseline.n_candidates
            order by breadth_group
        ) filter (where grouping_kind = 'decile') as expected_hits,
        sum(
            tier_group_count.n_predictions * breadth_baseline.n_candidate_hits
            / breadth_baseline.n_candidates
            order by breadth_group
        ) filter (where grouping_kind = 'cohort') as expected_hits_tie_safe,
        sum(tier_group_count.n_predictions) filter (where grouping_kind = 'decile') as n_matched,
        sum(tier_group_count.n_predictions) filter (
            where grouping_kind = 'cohort'
        ) as n_matched_tie_safe
    from tier_group_count
    inner join breadth_baseline using (slate_id, population, grouping_kind, breadth_group)
    where breadth_baseline.n_candidates > 0
    group by slate_id, breadth_baseline.evidence_window, population, tier_group_count.tier
),

-- Expected hits are known only where every prediction has candidates of its breadth beside it.
known_expectation as (
    select
        tier_hit_rate.slate_id,
        tier_hit_rate.evidence_window,
        tier_hit_rate.population,
        tier_hit_rate.tier,
        if(expected.n_matched = tier_hit_rate.n_predictions, expected.expected_hits, null)
            as expected_hits,
        if(
            expected.n_matched_tie_safe = tier_hit_rate.n_predictions,
            expected.expected_hits_tie_safe,
            null
        ) as expected_hits_tie_safe
    from tier_hit_rate
    inner join expected using (slate_id, evidence_window, population, tier)
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
    tier_hit_rate.hit_rate
    / nullif(known_expectation.expected_hits / nullif(tier_hit_rate.n_predictions, 0), 0)
        as enrichment_vs_popularity,
    tier_hit_rate.hit_rate
    / nullif(
        known_expectation.expected_hits_tie_safe / nullif(tier_hit_rate.n_predictions, 0), 0
    )
        as enrichment_vs_popularity_tie_safe,
    case
        when slate.candidate_set_id is null and slate.label_set_id is null
            then 'the slate has no candidate set and no labeled pairs'
        when slate.candidate_set_id is null then 'the slate has no candidate set'
        when slate.label_set_id is null then 'the slate has no labeled pairs'
        when tier_hit_rate.reason is not null then tier_hit_rate.reason
        when known_expectation.expected_hits is null
            then 'a prediction has no candidates of its breadth to compare with'
        when known_expectation.expected_hits = 0 then 'no candidate of the same breadth is a hit'
    end as reason
from tier_hit_rate
inner join slate using (slate_id)
left join known_expectation using (slate_id, evidence_window, population, tier)
