-- Title:   Activity of a disease without the lift of predictions
-- Formula: activity = the disease's hits / sum over its candidates of the rate of their stratum,
--          where each prediction of the tier counts crude_ratio times, in the rates too;
--          crude_ratio = Mantel and Haenszel's ratio of the tier with crude_activity
-- Source:  docs/metrics.md#matched_activity
-- Units:   1 in a disease as active as its strata; crude_ratio is at least 0.001; NULL where no
--          stratum has both predictions and hits of other candidates
-- Grain:   slate_id, subset, evidence_window, population, tier, disease_id
-- Portability: sums of decimal(38, 18) and list_inner_product are the same whatever the number of
--          threads; list_inner_product needs no row for each tier and candidate cell
with tier_cell as materialized (
    select * from predicted_cell
),

candidate_list as materialized (
    select * from disease_candidates
),

compared_list as materialized (
    select * from matched_list
),

list_disease as materialized (
    select
        compared_list.slate_id,
        compared_list.list_number,
        compared_list.population,
        matched_disease.disease_id,
        matched_disease.degree_class,
        matched_disease.n_hits,
        matched_disease.crude_activity
    from compared_list
    inner join matched_disease using (slate_id, subset, evidence_window, population)
),

predicted as materialized (
    select
        slate_id,
        compared_list.list_number,
        tier_cell.disease_id,
        tier_cell.degree_class,
        tier_cell.breadth,
        tier_cell.n_predictions,
        least(tier_cell.n_predictions, tier_cell.n_candidates) as n_candidates
    from compared_list
    inner join tier_cell using (slate_id, population, tier)
    where tier_cell.n_candidates > 0
),

predicted_exposure as (
    select
        predicted.slate_id,
        predicted.list_number,
        predicted.degree_class,
        predicted.breadth,
        cast(
            sum(cast(predicted.n_predictions * list_disease.crude_activity as decimal(38, 18)))
            as double
        ) as exposure
    from predicted
    inner join list_disease
        on
            predicted.slate_id = list_disease.slate_id
            and predicted.list_number = list_disease.list_number
            and predicted.disease_id = list_disease.disease_id
    group by
        predicted.slate_id, predicted.list_number, predicted.degree_class, predicted.breadth
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
        matched_stratum.n_hits as stratum_hits,
        matched_stratum.exposure,
        coalesce(stratum_hit.n_hits, 0) as n_hits,
        coalesce(predicted_exposure.exposure, 0) as predicted_exposure
    from compared_list
    inner join matched_stratum using (slate_id, subset, evidence_window, population)
    left join stratum_hit using (slate_id, list_number, degree_class, breadth)
    left join predicted_exposure using (slate_id, list_number, degree_class, breadth)
),

tier_sum as (
    select
        slate_id,
        list_number,
        sum(
            n_hits * greatest(1 - predicted_exposure / exposure, 0) order by degree_class, breadth
        ) as weighted_hits,
        sum(
            (stratum_hits - n_hits) * least(predicted_exposure / exposure, 1)
            order by degree_class, breadth
        ) as weighted_other_hits
    from stratum
    where exposure > 0
    group by slate_id, list_number
),

tier_ratio as materialized (
    select
        slate_id,
        list_number,
        greatest(weighted_hits / weighted_other_hits, 0.001) as crude_ratio
    from tier_sum
    where weighted_other_hits > 0
),

-- The rate of each stratum for a tier, its predictions counted as often as the ratio says.
adjusted_stratum as materialized (
    select
        slate_id,
        list_number,
        stratum.degree_class,
        stratum.breadth,
        tier_ratio.crude_ratio,
        coalesce(
            stratum.stratum_hits
            / nullif(
                stratum.exposure
                + (tier_ratio.crude_ratio - 1)
                * least(stratum.predicted_exposure, stratum.exposure),
                0
            ),
            0
        ) as adjusted_rate
    from tier_ratio
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

predicted_expectation as (
    select
        predicted.slate_id,
        predicted.list_number,
        predicted.disease_id,
        cast(
            sum(cast(predicted.n_candidates * adjusted_stratum.adjusted_rate as decimal(38, 18)))
            as double
        ) as expected_hits
    from predicted
    inner join adjusted_stratum
        on
            predicted.slate_id = adjusted_stratum.slate_id
            and predicted.list_number = adjusted_stratum.list_number
            and predicted.degree_class = adjusted_stratum.degree_class
            and predicted.breadth = adjusted_stratum.breadth
    where adjusted_stratum.adjusted_rate > 0
    group by predicted.slate_id, predicted.list_number, predicted.disease_id
),

-- Without hits the activity is 0 whatever the rates.
hit_disease_activity as (
    select
        slate_id,
        list_number,
        disease_id,
        list_disease.n_hits
        / nullif(
            list_inner_product(candidate_list.candidates_by_breadth, class_rate.adjusted_rates)
            + (class_rate.crude_ratio - 1) * coalesce(predicted_expectation.expected_hits, 0),
            0
        ) as activity
    from list_disease
    inner join class_rate using (slate_id, list_number, degree_class)
    inner join candidate_list using (slate_id, population, disease_id)
    left join predicted_expectation using (slate_id, list_number, disease_id)
),

-- Predictions of a tier that have candidates of their breadth among those of the population.
predicted_disease as (
    select distinct
        tier_cell.slate_id,
        population.population,
        tier_cell.tier,
        tier_cell.disease_id
    from tier_cell
    inner join breadth_cell using (slate_id, disease_id, breadth)
    cross join (values ('all'), ('novel')) as population (population)
    where
        tier_cell.population = 'all'
        and (
            population.population = 'all' or breadth_cell.n_candidates > breadth_cell.n_known
        )
),

listed_disease as (
    select
        slate_id,
        compared_list.list_number,
        candidate_list.disease_id
    from compared_list
    inner join candidate_list using (slate_id, population)
    where compared_list.subset = 'all' and list_sum(candidate_list.candidates_by_breadth) > 0
    union
    select
        list_disease.slate_id,
        list_disease.list_number,
        list_disease.disease_id
    from list_disease
    union
    select
        slate_id,
        compared_list.list_number,
        predicted_disease.disease_id
    from compared_list
    inner join predicted_disease using (slate_id, population, tier)
    where compared_list.subset <> 'all'
)

select
    slate_id,
    compared_list.subset,
    compared_list.evidence_window,
    compared_list.population,
    compared_list.tier,
    listed_disease.disease_id,
    tier_ratio.crude_ratio,
    if(
        tier_ratio.crude_ratio is null, null, coalesce(hit_disease_activity.activity, 0)
    ) as activity
from compared_list
inner join listed_disease using (slate_id, list_number)
left join tier_ratio using (slate_id, list_number)
left join hit_disease_activity using (slate_id, list_number, disease_id)
