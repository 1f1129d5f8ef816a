-- Title:   Own baseline to be expected at the freeze
-- Formula: 1 - sum over novel predictions of (breadth + 1) x (1 - share of the stratum's novel
--          candidates that are predicted) x (1 - share of the disease's, each weighted by its
--          breadth + 1) / sum of breadth + 1
-- Source:  docs/metrics.md#freeze_own_share
-- Units:   0..1, as own_share of enrichment_vs_matched if all candidates became hits in proportion
--          to breadth + 1; a stratum is a breadth x degree_class; NULL without candidates
-- Grain:   slate_id, tier
with cell as materialized (
    select
        breadth_cell.slate_id,
        breadth_cell.disease_id,
        disease_activity.degree_class,
        breadth_cell.breadth,
        breadth_cell.n_candidates - breadth_cell.n_known as n_candidates
    from breadth_cell
    inner join disease_activity
        on
            breadth_cell.slate_id = disease_activity.slate_id
            and breadth_cell.disease_id = disease_activity.disease_id
),

tier_prediction as (
    select
        slate_id,
        disease_id,
        degree_class,
        breadth,
        unnest([tier, 'all']) as tier
    from freeze_expectation
),

listed_cell as materialized (
    select
        slate_id,
        tier,
        disease_id,
        degree_class,
        breadth,
        count(*) as n_predictions
    from tier_prediction
    group by slate_id, tier, disease_id, degree_class, breadth
),

stratum as (
    select
        slate_id,
        degree_class,
        breadth,
        sum(n_candidates) as n_candidates
    from cell
    group by slate_id, degree_class, breadth
),

predicted_stratum as (
    select
        slate_id,
        tier,
        degree_class,
        breadth,
        sum(n_predictions) as n_predictions
    from listed_cell
    group by slate_id, tier, degree_class, breadth
),

slate_disease as (
    select
        slate_id,
        disease_id,
        sum(n_candidates * (breadth + 1)) as weight
    from cell
    group by slate_id, disease_id
),

predicted_disease as (
    select
        slate_id,
        tier,
        disease_id,
        sum(n_predictions * (breadth + 1)) as weight
    from listed_cell
    group by slate_id, tier, disease_id
)

select
    listed_cell.slate_id,
    listed_cell.tier,
    1 - sum(
        listed_cell.n_predictions * (listed_cell.breadth + 1)
        * (1 - least(predicted_stratum.n_predictions / nullif(stratum.n_candidates, 0), 1))
        * (1 - least(predicted_disease.weight / nullif(slate_disease.weight, 0), 1))
        order by listed_cell.disease_id, listed_cell.breadth
    )
    / sum(listed_cell.n_predictions * (listed_cell.breadth + 1)) as own_share
from listed_cell
inner join predicted_stratum
    on
        listed_cell.slate_id = predicted_stratum.slate_id
        and listed_cell.tier = predicted_stratum.tier
        and listed_cell.degree_class = predicted_stratum.degree_class
        and listed_cell.breadth = predicted_stratum.breadth
inner join predicted_disease
    on
        listed_cell.slate_id = predicted_disease.slate_id
        and listed_cell.tier = predicted_disease.tier
        and listed_cell.disease_id = predicted_disease.disease_id
left join stratum
    on
        listed_cell.slate_id = stratum.slate_id
        and listed_cell.degree_class = stratum.degree_class
        and listed_cell.breadth = stratum.breadth
left join slate_disease
    on
        listed_cell.slate_id = slate_disease.slate_id
        and listed_cell.disease_id = slate_disease.disease_id
group by listed_cell.slate_id, listed_cell.tier
