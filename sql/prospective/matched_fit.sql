-- Title:   Activities and ratio of a list of predictions
-- Formula: crude_ratio = Mantel and Haenszel's ratio with crude activities; weighted_hits = sum of
--          hits x other exposure / exposure over strata, weighted_other_hits of other hits x
--          predicted exposure / exposure, with the activities of matched_activity
-- Source:  docs/metrics.md#matched_fit
-- Units:   predictions, hits, ratio of at least 0.001, own_share of 0..1; lists by disease_id
-- Grain:   slate_id, subset, evidence_window, population, tier
-- Note:    n_matched predictions have candidates of their breadth; crude_ratio is NULL where no
--          stratum has both predictions and hits of other candidates; expected_hits and own_share
--          are those of the predictions left in; diseases are those with hits
-- Portability: sums of decimal(38, 18) and list_inner_product are the same whatever the number of
--          threads; list_inner_product needs no row for each list and candidate cell
with tier_cell as materialized (
    select * from predicted_cell
),

disease_list as materialized (
    select * from disease_candidates
),

compared_list as materialized (
    select * from matched_list
),

-- Its two lists are read here: matched_disease and matched_stratum would plan it twice.
crude_class as materialized (
    select * from matched_class
),

crude_disease as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        degree_class,
        unnest(diseases) as disease_id,
        unnest(hits_by_disease) as n_hits,
        unnest(crude_activity_by_disease) as crude_activity
    from crude_class
),

crude_stratum as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        degree_class,
        unnest(breadths) as breadth,
        unnest(hits_by_breadth) as stratum_hits,
        unnest(exposure_by_breadth) as exposure,
        unnest(crude_rate_by_breadth) as crude_rate
    from crude_class
),

list_disease as materialized (
    select
        slate_id,
        compared_list.list_number,
        population,
        crude_disease.disease_id,
        crude_disease.degree_class,
        crude_disease.n_hits,
        crude_disease.crude_activity
    from compared_list
    inner join crude_disease using (slate_id, subset, evidence_window, population)
),

-- Of diseases with hits alone: in the others none are expected.
predicted as materialized (
    select
        list_disease.slate_id,
        list_disease.list_number,
        list_disease.disease_id,
        list_disease.crude_activity,
        tier_cell.degree_class,
        tier_cell.breadth,
        tier_cell.n_predictions,
        least(tier_cell.n_predictions, tier_cell.n_candidates) as n_candidates
    from list_disease
    inner join compared_list using (slate_id, list_number, population)
    inner join tier_cell
        on
            list_disease.slate_id = tier_cell.slate_id
            and list_disease.population = tier_cell.population
            and compared_list.tier = tier_cell.tier
            and list_disease.disease_id = tier_cell.disease_id
    where tier_cell.n_candidates > 0
),

crude_exposure as (
    select
        slate_id,
        list_number,
        degree_class,
        breadth,
        cast(
            sum(cast(n_predictions * crude_activity as decimal(38, 18))) as double
        ) as exposure
    from predicted
    group by slate_id, list_number, degree_class, breadth
),

-- Hits of predictions, where the stratum has candidates.
stratum_hit as (
    select
        slate_id,
        compared_list.list_number,
        tier_cell.degree_class,
        breadth,
        sum(predicted_hit.n_hits) as n_hits
    from compared_list
    inner join predicted_hit using (slate_id, subset, evidence_window, population, tier)
    inner join tier_cell using (slate_id, population, tier, disease_id, breadth)
    where tier_cell.n_candidates > 0
    group by slate_id, compared_list.list_number, tier_cell.degree_class, breadth
),

stratum as materialized (
    select
        slate_id,
        list_number,
        degree_class,
        breadth,
        crude_stratum.stratum_hits,
        crude_stratum.exposure as crude_exposure,
        crude_stratum.crude_rate,
        coalesce(stratum_hit.n_hits, 0) as n_hits,
        coalesce(crude_exposure.exposure, 0) as predicted_crude_exposure
    from compared_list
    inner join crude_stratum using (slate_id, subset, evidence_window, population)
    left join stratum_hit using (slate_id, list_number, degree_class, breadth)
    left join crude_exposure using (slate_id, list_number, degree_class, breadth)
),

crude_sum as (
    select
        slate_id,
        list_number,
        sum(
            n_hits * greatest(1 - predicted_crude_exposure / crude_exposure, 0)
            order by degree_class, breadth
        ) as weighted_hits,
        sum(
            (stratum_hits - n_hits) * least(predicted_crude_exposure / crude_exposure, 1)
            order by degree_class, breadth
        ) as weighted_other_hits
    from stratum
    where crude_exposure > 0
    group by slate_id, list_number
),

list_ratio as materialized (
    select
        slate_id,
        list_number,
        greatest(weighted_hits / weighted_other_hits, 0.001) as crude_ratio
    from crude_sum
    where weighted_other_hits > 0
),

-- The rate of each stratum for a list, its predictions counted as often as the ratio says.
adjusted_stratum as materialized (
    select
        slate_id,
        list_number,
        stratum.degree_class,
        stratum.breadth,
        list_ratio.crude_ratio,
        coalesce(
            stratum.stratum_hits
            / nullif(
                stratum.crude_exposure
                + (list_ratio.crude_ratio - 1)
                * least(stratum.predicted_crude_exposure, stratum.crude_exposure),
                0
            ),
            0
        ) as adjusted_rate
    from list_ratio
    inner join stratum using (slate_id, list_number)
),

class_rate as (
    select
        slate_id,
        list_number,
        degree_class,
        crude_ratio,
        list(adjusted_rate order by breadth) as adjusted_rates
    from adjusted_stratum
    group by slate_id, list_number, degree_class, crude_ratio
),

-- What is expected of the predictions of a disease, and how much of it they are by themselves,
-- which its activity multiplies.
predicted_disease as (
    select
        predicted.slate_id,
        predicted.list_number,
        predicted.disease_id,
        cast(
            sum(cast(predicted.n_candidates * adjusted_stratum.adjusted_rate as decimal(38, 18)))
            as double
        ) as expected_hits,
        cast(
            sum(cast(predicted.n_predictions * stratum.crude_rate as decimal(38, 18))) as double
        ) as crude_hits
    from predicted
    inner join stratum using (slate_id, list_number, degree_class, breadth)
    left join adjusted_stratum using (slate_id, list_number, degree_class, breadth)
    where stratum.crude_rate > 0 or adjusted_stratum.adjusted_rate > 0
    group by predicted.slate_id, predicted.list_number, predicted.disease_id
),

disease_fit as materialized (
    select
        slate_id,
        list_number,
        disease_id,
        list_disease.crude_activity
        * (
            1
            - coalesce(
                least(
                    list_disease.crude_activity * predicted_disease.crude_hits
                    / nullif(list_disease.n_hits, 0),
                    1
                ),
                0
            )
        ) as others_activity,
        if(
            class_rate.crude_ratio is null,
            null,
            coalesce(
                list_disease.n_hits
                / nullif(
                    list_inner_product(
                        disease_list.candidates_by_breadth, class_rate.adjusted_rates
                    )
                    + (class_rate.crude_ratio - 1)
                    * coalesce(predicted_disease.expected_hits, 0),
                    0
                ),
                0
            )
        ) as activity
    from list_disease
    inner join disease_list using (slate_id, population, disease_id, degree_class)
    left join class_rate using (slate_id, list_number, degree_class)
    left join predicted_disease using (slate_id, list_number, disease_id)
),

class_activity as (
    select
        slate_id,
        compared_list.list_number,
        population,
        disease_list.degree_class,
        list(coalesce(disease_fit.activity, 0) order by disease_id) as activities
    from compared_list
    inner join list_ratio using (slate_id, list_number)
    inner join disease_list using (slate_id, population)
    left join disease_fit using (slate_id, list_number, disease_id)
    group by slate_id, compared_list.list_number, population, disease_list.degree_class
),

candidate_exposure as (
    select
        slate_id,
        class_activity.list_number,
        degree_class,
        stratum_candidates.breadth,
        list_inner_product(stratum_candidates.candidates_by_disease, class_activity.activities)
            as exposure
    from class_activity
    inner join stratum_candidates using (slate_id, population, degree_class)
),

predicted_exposure as (
    select
        predicted.slate_id,
        predicted.list_number,
        predicted.degree_class,
        predicted.breadth,
        cast(
            sum(cast(predicted.n_predictions * disease_fit.others_activity as decimal(38, 18)))
            as double
        ) as others_exposure,
        cast(
            sum(
                cast(
                    predicted.n_predictions * coalesce(disease_fit.activity, 0) as decimal(38, 18)
                )
            ) as double
        ) as exposure
    from predicted
    inner join disease_fit
        on
            predicted.slate_id = disease_fit.slate_id
            and predicted.list_number = disease_fit.list_number
            and predicted.disease_id = disease_fit.disease_id
    group by
        predicted.slate_id, predicted.list_number, predicted.degree_class, predicted.breadth
),

compared_stratum as (
    select
        slate_id,
        list_number,
        degree_class,
        breadth,
        stratum.stratum_hits,
        stratum.n_hits,
        candidate_exposure.exposure,
        coalesce(predicted_exposure.exposure, 0) as predicted_exposure,
        stratum.crude_rate * stratum.predicted_crude_exposure as expected_hits,
        stratum.crude_rate * coalesce(predicted_exposure.others_exposure, 0) as others_hits
    from stratum
    left join candidate_exposure using (slate_id, list_number, degree_class, breadth)
    left join predicted_exposure using (slate_id, list_number, degree_class, breadth)
),

-- How much of what is expected of a prediction comes from predictions: by stratum, by disease.
list_sum as (
    select
        slate_id,
        list_number,
        cast(sum(n_hits) as bigint) as n_hits,
        sum(expected_hits order by degree_class, breadth) as expected_hits,
        1 - sum(
            others_hits * (1 - coalesce(least(expected_hits / nullif(stratum_hits, 0), 1), 0))
            order by degree_class, breadth
        ) / nullif(sum(expected_hits order by degree_class, breadth), 0) as own_share,
        sum(
            n_hits * greatest(1 - predicted_exposure / exposure, 0) order by degree_class, breadth
        ) filter (where exposure > 0) as weighted_hits,
        sum(
            (stratum_hits - n_hits) * least(predicted_exposure / exposure, 1)
            order by degree_class, breadth
        ) filter (where exposure > 0) as weighted_other_hits
    from compared_stratum
    group by slate_id, list_number
),

predicted_count as (
    select
        slate_id,
        population,
        tier,
        cast(sum(n_predictions) as bigint) as n_matched
    from tier_cell
    where n_candidates > 0
    group by slate_id, population, tier
),

fitted_disease as (
    select
        slate_id,
        list_number,
        list(disease_id order by disease_id) as diseases,
        list(activity order by disease_id) as activity_by_disease
    from disease_fit
    group by slate_id, list_number
)

select
    slate_id,
    compared_list.subset,
    compared_list.evidence_window,
    compared_list.population,
    compared_list.tier,
    coalesce(predicted_count.n_matched, 0) as n_matched,
    list_sum.n_hits,
    list_sum.expected_hits,
    list_sum.own_share,
    list_sum.weighted_hits,
    list_sum.weighted_other_hits,
    list_ratio.crude_ratio,
    fitted_disease.diseases,
    fitted_disease.activity_by_disease
from compared_list
left join list_sum using (slate_id, list_number)
left join predicted_count using (slate_id, population, tier)
left join list_ratio using (slate_id, list_number)
left join fitted_disease using (slate_id, list_number)
