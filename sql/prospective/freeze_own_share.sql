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
        disease_breadth_count.slate_id,
        disease_breadth_count.disease_id,
        disease_activity.degree_class,
        disease_breadth_count.breadth_group as breadth,
        disease_breadth_count.n_candidates
    from disease_breadth_count
    inner join disease_activity
        on
            disease_breadth_count.slate_id = disease_activity.slate_id
            and disease_breadth_count.disease_id = disease_activity.disease_id
    where
        disease_breadth_count.grouping_kind = 'breadth'
        and disease_breadth_count.evidence_window = 'all'
        and disease_breadth_count.population = 'novel'
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

predicted_cell as materialized (
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
    from predicted_cell
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
    from predicted_cell
    group by slate_id, tier, disease_id
)

select
    predicted_cell.slate_id,
    predicted_cell.tier,
    1 - sum(
        predicted_cell.n_predictions * (predicted_cell.breadth + 1)
        * (1 - least(predicted_stratum.n_predictions / nullif(stratum.n_candidates, 0), 1))
        * (1 - least(predicted_disease.weight / nullif(slate_disease.weight, 0), 1))
        order by predicted_cell.disease_id, predicted_cell.breadth
    )
    / sum(predicted_cell.n_predictions * (predicted_cell.breadth + 1)) as own_share
from predicted_cell
inner join predicted_stratum
    on
        predicted_cell.slate_id = predicted_stratum.slate_id
        and predicted_cell.tier = predicted_stratum.tier
        and predicted_cell.degree_class = predicted_stratum.degree_class
        and predicted_cell.breadth = predicted_stratum.breadth
inner join predicted_disease
    on
        predicted_cell.slate_id = predicted_disease.slate_id
        and predicted_cell.tier = predicted_disease.tier
        and predicted_cell.disease_id = predicted_disease.disease_id
left join stratum
    on
        predicted_cell.slate_id = stratum.slate_id
        and predicted_cell.degree_class = stratum.degree_class
        and predicted_cell.breadth = stratum.breadth
left join slate_disease
    on
        predicted_cell.slate_id = slate_disease.slate_id
        and predicted_cell.disease_id = slate_disease.disease_id
group by predicted_cell.slate_id, predicted_cell.tier
