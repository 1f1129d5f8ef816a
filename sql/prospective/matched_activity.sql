-- Title:   Activity of a disease without the lift of predictions
-- Formula: activity = the disease's hits / sum over its candidates of the rate of their stratum,
--          where each prediction of the tier counts crude_ratio times, in the rates too;
--          crude_ratio = Mantel and Haenszel's ratio of the tier with crude_activity
-- Source:  docs/metrics.md#matched_activity
-- Units:   1 in a disease as active as its strata; crude_ratio is at least 0.001; NULL where no
--          stratum has both predictions and hits of other candidates
-- Grain:   slate_id, subset, evidence_window, population, tier, disease_id
-- Portability: list_sum(list_sort(list(...))) adds in one order, whatever the number of threads, in
--          less memory than sum(... order by ...) over millions of rows
with cell as materialized (
    select * from matched_cell
),

predicted_cell as materialized (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        matched_prediction.tier,
        disease_id,
        breadth,
        cell.degree_class,
        matched_prediction.n_hits,
        least(matched_prediction.n_predictions, cell.n_candidates) as n_candidates,
        matched_prediction.n_predictions * cell.crude_activity as exposure
    from matched_prediction
    inner join cell
        using (slate_id, subset, evidence_window, population, disease_id, breadth)
),

stratum as materialized (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        degree_class,
        breadth,
        sum(n_candidate_hits) as stratum_hits,
        list_sum(list_sort(list(n_candidates * crude_activity))) as exposure
    from cell
    group by slate_id, subset, evidence_window, population, degree_class, breadth
),

predicted_stratum as materialized (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        tier,
        degree_class,
        breadth,
        sum(n_hits) as n_hits,
        list_sum(list_sort(list(exposure))) as exposure
    from predicted_cell
    group by slate_id, subset, evidence_window, population, tier, degree_class, breadth
),

tier_sum as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        predicted_stratum.tier,
        sum(
            predicted_stratum.n_hits
            * greatest(1 - predicted_stratum.exposure / stratum.exposure, 0)
            order by degree_class, breadth
        ) as weighted_hits,
        sum(
            (stratum.stratum_hits - predicted_stratum.n_hits)
            * least(predicted_stratum.exposure / stratum.exposure, 1)
            order by degree_class, breadth
        ) as weighted_other_hits
    from predicted_stratum
    inner join stratum
        using (slate_id, subset, evidence_window, population, degree_class, breadth)
    where stratum.exposure > 0
    group by slate_id, subset, evidence_window, population, predicted_stratum.tier
),

known_tier as (
    select distinct
        slate_id,
        subset,
        evidence_window,
        population,
        tier
    from matched_prediction
),

tier_ratio as materialized (
    select
        known_tier.slate_id,
        known_tier.subset,
        known_tier.evidence_window,
        known_tier.population,
        known_tier.tier,
        if(
            tier_sum.weighted_other_hits > 0,
            greatest(tier_sum.weighted_hits / tier_sum.weighted_other_hits, 0.001),
            null
        ) as crude_ratio
    from known_tier
    left join tier_sum
        on
            known_tier.slate_id = tier_sum.slate_id
            and known_tier.subset = tier_sum.subset
            and known_tier.evidence_window = tier_sum.evidence_window
            and known_tier.population = tier_sum.population
            and known_tier.tier = tier_sum.tier
),

-- The rate of each stratum for a tier, its predictions counted as often as the ratio says.
adjusted_stratum as (
    select
        tier_ratio.slate_id,
        tier_ratio.subset,
        tier_ratio.evidence_window,
        tier_ratio.population,
        tier_ratio.tier,
        stratum.degree_class,
        stratum.breadth,
        tier_ratio.crude_ratio,
        coalesce(
            stratum.stratum_hits
            / nullif(
                stratum.exposure
                + (tier_ratio.crude_ratio - 1)
                * least(coalesce(predicted_stratum.exposure, 0), stratum.exposure),
                0
            ),
            0
        ) as adjusted_rate
    from tier_ratio
    inner join stratum
        on
            tier_ratio.slate_id = stratum.slate_id
            and tier_ratio.subset = stratum.subset
            and tier_ratio.evidence_window = stratum.evidence_window
            and tier_ratio.population = stratum.population
    left join predicted_stratum
        on
            tier_ratio.slate_id = predicted_stratum.slate_id
            and tier_ratio.subset = predicted_stratum.subset
            and tier_ratio.evidence_window = predicted_stratum.evidence_window
            and tier_ratio.population = predicted_stratum.population
            and tier_ratio.tier = predicted_stratum.tier
            and stratum.degree_class = predicted_stratum.degree_class
            and stratum.breadth = predicted_stratum.breadth
),

cell_disease as materialized (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        disease_id,
        sum(n_candidate_hits) as n_hits
    from cell
    group by slate_id, subset, evidence_window, population, disease_id
),

-- Without hits the activity is 0 whatever the rates: most diseases of a large matrix have none.
hit_disease_activity as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        tier,
        disease_id,
        cell_disease.n_hits
        / nullif(
            list_sum(list_sort(list((
                cell.n_candidates
                + (adjusted_stratum.crude_ratio - 1) * coalesce(predicted_cell.n_candidates, 0)
            )
            * adjusted_stratum.adjusted_rate))),
            0
        ) as activity
    from adjusted_stratum
    inner join cell
        using (slate_id, subset, evidence_window, population, degree_class, breadth)
    inner join cell_disease using (slate_id, subset, evidence_window, population, disease_id)
    left join predicted_cell
        using (slate_id, subset, evidence_window, population, tier, disease_id, breadth)
    where adjusted_stratum.crude_ratio is not null and cell_disease.n_hits > 0
    group by
        slate_id, subset, evidence_window, population, tier, disease_id, cell_disease.n_hits
)

select
    slate_id,
    subset,
    evidence_window,
    population,
    tier,
    disease_id,
    tier_ratio.crude_ratio,
    if(
        tier_ratio.crude_ratio is null, null, coalesce(hit_disease_activity.activity, 0)
    ) as activity
from tier_ratio
inner join cell_disease using (slate_id, subset, evidence_window, population)
left join hit_disease_activity
    using (slate_id, subset, evidence_window, population, tier, disease_id)
