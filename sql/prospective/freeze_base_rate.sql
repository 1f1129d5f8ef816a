-- Title:   Base rate at freeze
-- Formula: mean yearly_rate of the tier's novel predictions; drug_spread = sum over drugs of
--          ((past events - expected)^2 - past events x other) / sum of (expected x other)^2, at
--          least 0; other = share of its breadth's expected events that other drugs have
-- Source:  docs/metrics.md#freeze_base_rate
-- Units:   rate 0..1; events are pairs; drug_spread is a relative variance, 0 if not above 1e-9
-- Grain:   slate_id, tier
with drug_count as materialized (
    select * from past_drug_count
),

stratum as (
    select
        slate_id,
        degree_class,
        breadth_then,
        sum(n_events) / nullif(sum(n_pairs), 0) as event_share
    from drug_count
    group by slate_id, degree_class, breadth_then
),

past_drug as (
    select
        drug_count.slate_id,
        drug_count.drug_id,
        drug_count.breadth_then,
        sum(drug_count.n_events) as n_events,
        sum(drug_count.n_pairs * stratum.event_share order by degree_class) as expected_events
    from drug_count
    inner join stratum using (slate_id, degree_class, breadth_then)
    group by drug_count.slate_id, drug_count.drug_id, drug_count.breadth_then
),

shared_drug as (
    select
        slate_id,
        drug_id,
        n_events,
        expected_events,
        1 - expected_events
        / nullif(
            sum(expected_events) over (
                partition by slate_id, breadth_then
                order by drug_id
                rows between unbounded preceding and unbounded following
            ),
            0
        ) as other_share
    from past_drug
),

slate_past as (
    select
        slate_id,
        cast(sum(n_events) as bigint) as n_past_events,
        sum((n_events - expected_events) ** 2 - n_events * other_share order by drug_id)
        / nullif(sum((expected_events * other_share) ** 2 order by drug_id), 0) as drug_spread
    from shared_drug
    group by slate_id
),

slate_years as (
    select
        slate_id,
        any_value(years) as years
    from drug_count
    group by slate_id
),

slate_tier as (
    select distinct
        slate_id,
        unnest([tier, 'all']) as tier
    from prediction
),

tier_prediction as (
    select
        slate_id,
        disease_id,
        drug_id,
        unnest([tier, 'all']) as tier,
        yearly_rate,
        basis
    from freeze_expectation
),

expected_then as (
    select
        slate_id,
        tier,
        count(*) as n_predictions,
        sum(yearly_rate order by disease_id, drug_id) as expected_events,
        any_value(basis) as basis
    from tier_prediction
    group by slate_id, tier
)

select
    slate_tier.slate_id,
    slate_tier.tier,
    coalesce(expected_then.n_predictions, 0) as n_predictions,
    expected_then.basis,
    if(expected_then.basis = 'events', slate_years.years, null) as years,
    coalesce(slate_past.n_past_events, 0) as n_past_events,
    expected_then.expected_events,
    expected_then.expected_events / expected_then.n_predictions as yearly_rate,
    case
        when expected_then.basis = 'events' and slate_past.drug_spread is not null
            -- Not the noise of the last bits.
            then if(slate_past.drug_spread > 1e-9, slate_past.drug_spread, 0)
    end as drug_spread,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when expected_then.n_predictions is null
            then 'no novel prediction to compare with candidates'
        when expected_then.basis is null
            then 'no event or approval of the years before the freeze is dated'
    end as reason
from slate_tier
inner join slate_sets on slate_tier.slate_id = slate_sets.slate_id
left join expected_then
    on
        slate_tier.slate_id = expected_then.slate_id
        and slate_tier.tier = expected_then.tier
left join slate_past on slate_tier.slate_id = slate_past.slate_id
left join slate_years on slate_tier.slate_id = slate_years.slate_id
