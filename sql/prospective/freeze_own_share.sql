-- Title:   Own baseline to be expected at the freeze
-- Formula: own_share of stratified_ratio for the novel predictions, were the hits of each stratum
--          in proportion to the sum of breadth + 1 over its novel candidates
-- Source:  docs/metrics.md#freeze_own_share
-- Units:   0..1; a stratum is a disease x breadth class; NULL without candidates
-- Grain:   slate_id, tier
with stratum as (
    select
        slate_id,
        disease_id,
        breadth_class,
        sum(n_candidates - n_known) as n_candidates,
        sum((n_candidates - n_known) * (breadth + 1)) as weight
    from breadth_cell
    group by slate_id, disease_id, breadth_class
),

tier_prediction as (
    select
        slate_id,
        unnest([freeze_expectation.tier, 'all']) as tier,
        freeze_expectation.disease_id,
        drug_breadth.breadth_class
    from freeze_expectation
    inner join drug_breadth using (slate_id, drug_id)
),

listed as (
    select
        slate_id,
        tier,
        disease_id,
        breadth_class,
        count(*) as n_predictions
    from tier_prediction
    group by slate_id, tier, disease_id, breadth_class
),

shared as (
    select
        slate_id,
        listed.tier,
        disease_id,
        breadth_class,
        least(listed.n_predictions / nullif(stratum.n_candidates, 0), 1) as predicted_share,
        stratum.weight
    from listed
    left join stratum using (slate_id, disease_id, breadth_class)
)

select
    slate_id,
    tier,
    sum(predicted_share ** 2 * weight order by disease_id, breadth_class)
    / nullif(sum(predicted_share * weight order by disease_id, breadth_class), 0) as own_share
from shared
group by slate_id, tier
