-- Title:   Failures by tier
-- Formula: predictions with a trial_failed in the window / predictions; hits with one on or after
--          the day of the hit; in the window and population of the primary endpoint also the
--          stratified_ratio of failures, of predictions and of other candidates alike
-- Source:  docs/metrics.md#tier_failure
-- Units:   fractions 0..1, NULL for an empty tier or without hits; ratio, 1 = fails as often as
--          equally popular drugs
-- Grain:   slate_id, evidence_window, population, tier
with failure_count as (
    select
        slate_id,
        evidence_window,
        population,
        unnest([tier, 'all']) as tier,
        has_failed,
        is_hit
        and has_failed
        and coalesce(last_failure_date >= first_event_date, true) as is_failed_hit
    from population_pair
    where has_failed
),

tier_failed as (
    select
        slate_id,
        evidence_window,
        population,
        tier,
        count(*) as n_failed,
        count(*) filter (where is_failed_hit) as n_failed_hits
    from failure_count
    group by slate_id, evidence_window, population, tier
),

failure_ratio as (
    select
        *,
        list_name as tier
    from stratified_ratio
    where versus = 'none' and list_kind = 'failure'
)

select
    tier_count.slate_id,
    tier_count.evidence_window,
    tier_count.population,
    tier_count.tier,
    tier_count.n_predictions,
    coalesce(tier_failed.n_failed, 0) as n_failed,
    coalesce(tier_failed.n_failed, 0) / nullif(tier_count.n_predictions, 0) as failure_rate,
    tier_count.n_hits,
    coalesce(tier_failed.n_failed_hits, 0) as n_failed_hits,
    coalesce(tier_failed.n_failed_hits, 0) / nullif(tier_count.n_hits, 0) as failed_hit_share,
    if(
        primary_endpoint.slate_id is null,
        null,
        coalesce(
            failure_ratio.expected_hits,
            if(slate_sets.reason is null and tier_count.n_predictions > 0, 0, null)
        )
    ) as expected_failures,
    failure_ratio.ratio as failures_vs_matched,
    failure_ratio.own_share,
    case
        when tier_count.n_predictions = 0 then 'no predictions of this population in the tier'
        when primary_endpoint.slate_id is null
            then 'compared in the window and population of the primary endpoint'
        when slate_sets.reason is not null then slate_sets.reason
        when failure_ratio.ratio is null
            then coalesce(failure_ratio.reason, 'nothing failed among equally popular drugs')
    end as reason
from tier_count
inner join slate_sets using (slate_id)
left join tier_failed using (slate_id, evidence_window, population, tier)
left join failure_ratio using (slate_id, evidence_window, population, tier)
left join primary_endpoint
    on
        tier_count.slate_id = primary_endpoint.slate_id
        and tier_count.evidence_window = primary_endpoint.evidence_window
        and tier_count.population = primary_endpoint.population
