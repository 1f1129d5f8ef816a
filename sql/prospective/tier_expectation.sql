-- Title:   Hits expected of popular drugs
-- Formula: sum over breadth groups of predictions in the group x candidate hit rate of the group
-- Units:   hits; NULL where a prediction has no candidates of its breadth to compare with
-- Grain:   slate_id, evidence_window, population, tier, grouping_kind
with tier_group as (
    select
        * exclude (tier),
        unnest([tier, 'all']) as tier
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
    group by all
),

-- Multiplied before divided: a slate that is its whole candidate set then expects exactly its hits.
matched_group as (
    select
        slate_id,
        breadth_baseline.evidence_window,
        population,
        tier_group_count.tier,
        grouping_kind,
        sum(
            tier_group_count.n_predictions * breadth_baseline.n_candidate_hits
            / breadth_baseline.n_candidates
            order by breadth_group
        ) as expected_hits,
        sum(tier_group_count.n_predictions) as n_matched
    from tier_group_count
    inner join breadth_baseline using (slate_id, population, grouping_kind, breadth_group)
    where breadth_baseline.n_candidates > 0
    group by all
)

select
    slate_id,
    evidence_window,
    population,
    tier,
    matched_group.grouping_kind,
    if(matched_group.n_matched = tier_count.n_predictions, matched_group.expected_hits, null)
        as expected_hits
from matched_group
inner join tier_count using (slate_id, evidence_window, population, tier)
