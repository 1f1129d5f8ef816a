-- Title:   Base rate at freeze
-- Result:  At the freeze
-- Formula: mean yearly_rate of the tier's novel predictions; own_share = their mean listed_share,
--          weighted by degree_product; drug_spread = sum over drugs of ((past events -
--          expected)^2 - past events x other) / sum of (expected x other)^2, at least 0; other =
--          share of the events expected of drugs of like breadth that other drugs have
-- Units:   rate and share 0..1; events are pairs; drug_spread is a relative variance, 0 if not
--          above 1e-9
-- Grain:   slate_id, tier
-- Note:    expected and like are those of freeze_expectation
with past_drug as (
    select
        slate_id,
        drug_id,
        n_events,
        years,
        cast(floor(log2(breadth_then + 1)) as integer) as octave,
        (breadth_then + 1) * degree_sum as degree_product
    from past_drug_count
),

expected_drug as (
    select
        slate_id,
        drug_id,
        n_events,
        years,
        degree_product / nullif(sum(degree_product) over like_breadth, 0) as own_share,
        sum(n_events) over like_breadth as n_like_events
    from past_drug
    window like_breadth as (partition by slate_id, octave)
),

slate_past as (
    select
        slate_id,
        any_value(years) as years,
        cast(sum(n_events) as bigint) as n_past_events,
        sum(
            (n_events - own_share * n_like_events) ** 2 - n_events * (1 - own_share)
            order by drug_id
        )
        / nullif(
            sum((own_share * n_like_events * (1 - own_share)) ** 2 order by drug_id), 0
        ) as drug_spread
    from expected_drug
    group by slate_id
),

slate_tier as (
    select distinct
        slate_id,
        unnest([tier, 'all']) as tier
    from prediction
),

expected_then as (
    select
        slate_id,
        tier,
        count(*) as n_predictions,
        sum(yearly_rate order by disease_id, drug_id) as expected_events,
        sum(listed_share * degree_product order by disease_id, drug_id)
        / sum(degree_product order by disease_id, drug_id) as own_share,
        any_value(basis) as basis
    from freeze_expectation
    group by slate_id, tier
)

select
    slate_id,
    slate_tier.tier,
    coalesce(expected_then.n_predictions, 0) as n_predictions,
    expected_then.basis,
    if(expected_then.basis = 'events', slate_past.years, null) as years,
    coalesce(slate_past.n_past_events, 0) as n_past_events,
    expected_then.expected_events,
    expected_then.expected_events / expected_then.n_predictions as yearly_rate,
    case
        when expected_then.basis = 'events' and slate_past.drug_spread is not null
            -- Not the noise of the last bits.
            then if(slate_past.drug_spread > 1e-9, slate_past.drug_spread, 0)
    end as drug_spread,
    expected_then.own_share,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when expected_then.n_predictions is null
            then 'no novel prediction to compare with candidates'
        when expected_then.basis is null
            then 'no event or approval of the years before the freeze is dated'
    end as reason
from slate_tier
inner join slate_sets using (slate_id)
left join expected_then using (slate_id, tier)
left join slate_past using (slate_id)
