-- Title:   Failures by tier
-- Result:  Hit rates and enrichment
-- Formula: predictions with a trial_failed in the window / predictions; hits with one on or after
--          the day of the hit; in the window and population of the primary endpoint also the
--          stratified_ratio of failures, of predictions and of other candidates alike
-- Units:   fractions 0..1, NULL for an empty tier or without hits; ratio, 1 = fails as often as
--          equally popular drugs. By itself it rises with foresight: a model that predicts what
--          enters trials also predicts pairs that fail there, so read failures among pairs in a
--          trial (phase_success) before it
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
    from stratified_ratio
    where list_kind = 'failure'
)

select
    tier_count.slate_id,
    tier_count.evidence_window,
    tier_count.population,
    tier_count.tier,
    ratio.list_number,
    tier_count.n_predictions,
    coalesce(tier_failed.n_failed, 0) as n_failed,
    coalesce(tier_failed.n_failed, 0) / nullif(tier_count.n_predictions, 0) as failure_rate,
    tier_count.n_hits,
    coalesce(tier_failed.n_failed_hits, 0) as n_failed_hits,
    coalesce(tier_failed.n_failed_hits, 0) / nullif(tier_count.n_hits, 0) as failed_hit_share,
    ratio.expected_hits as expected_failures,
    ratio.ratio as failures_vs_matched,
    ratio.own_share,
    case
        when tier_count.n_predictions = 0 then 'no predictions of this population in the tier'
        when ratio.list_number is null
            then 'compared in the window and population of the primary endpoint'
        else ratio.reason
    end as reason
from tier_count
left join tier_failed using (slate_id, evidence_window, population, tier)
left join failure_ratio as ratio using (slate_id, evidence_window, population, tier)
