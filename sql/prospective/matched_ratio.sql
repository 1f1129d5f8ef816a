-- Title:   Enrichment versus equally popular drugs, by the hits that count
-- Formula: Mantel and Haenszel's ratio of the hit rates of predictions and other candidates of
--          equal breadth in diseases of like degree: sum over strata of hits x other exposure /
--          exposure, over sum of other hits x predicted exposure / exposure
-- Source:  docs/metrics.md#enrichment_vs_matched
-- Units:   ratio, 1 = no better than equally popular drugs; where own_share is above 0.75, observed
--          over expected with the predictions left in, and a reason; own_share is 0..1
-- Grain:   slate_id, subset, evidence_window, population, tier
-- Note:    expected_hits = hits / enrichment, or with the predictions left in where that is 0 or
--          NULL; subset is that of counted_subset; tier may be a part of part_count; the reason has
--          own_share as a share of 100
-- Portability: sums of decimal(38, 18) and list_inner_product are the same whatever the number of
--          threads; list_inner_product needs no row for each tier and candidate cell
with list_activity as materialized (
    select * from matched_activity
),

tier_cell as materialized (
    select * from predicted_cell
),

counted_tier as materialized (
    select * from tier_count
),

compared_list as materialized (
    select * from matched_list
),

list_disease as materialized (
    select
        compared_list.slate_id,
        compared_list.list_number,
        matched_disease.disease_id,
        matched_disease.n_hits as disease_hits,
        matched_disease.crude_activity,
        coalesce(list_activity.activity, 0) as activity
    from compared_list
    inner join matched_disease using (slate_id, subset, evidence_window, population)
    left join list_activity
        using (slate_id, subset, evidence_window, population, tier, disease_id)
),

list_ratio as (
    select distinct
        slate_id,
        subset,
        evidence_window,
        population,
        tier,
        crude_ratio is not null as has_activity
    from list_activity
),

class_activity as (
    select
        slate_id,
        compared_list.list_number,
        population,
        disease_candidates.degree_class,
        list(coalesce(list_disease.activity, 0) order by disease_id) as activities
    from compared_list
    inner join list_ratio using (slate_id, subset, evidence_window, population, tier)
    inner join disease_candidates using (slate_id, population)
    left join list_disease using (slate_id, list_number, disease_id)
    where list_ratio.has_activity
    group by slate_id, compared_list.list_number, population, disease_candidates.degree_class
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

predicted as materialized (
    select
        slate_id,
        compared_list.list_number,
        tier_cell.disease_id,
        tier_cell.degree_class,
        tier_cell.breadth,
        tier_cell.n_predictions
    from compared_list
    inner join tier_cell using (slate_id, population, tier)
    where tier_cell.n_candidates > 0
),

rated_stratum as materialized (
    select
        slate_id,
        compared_list.list_number,
        matched_stratum.degree_class,
        matched_stratum.breadth,
        matched_stratum.n_hits as stratum_hits,
        matched_stratum.crude_rate
    from compared_list
    inner join matched_stratum using (slate_id, subset, evidence_window, population)
),

-- How much of what is expected in a disease comes from predictions, which its activity multiplies.
predicted_disease as (
    select
        predicted.slate_id,
        predicted.list_number,
        predicted.disease_id,
        cast(
            sum(cast(predicted.n_predictions * rated_stratum.crude_rate as decimal(38, 18)))
            as double
        ) as crude_hits
    from predicted
    inner join rated_stratum
        on
            predicted.slate_id = rated_stratum.slate_id
            and predicted.list_number = rated_stratum.list_number
            and predicted.degree_class = rated_stratum.degree_class
            and predicted.breadth = rated_stratum.breadth
    where rated_stratum.crude_rate > 0
    group by predicted.slate_id, predicted.list_number, predicted.disease_id
),

disease_share as (
    select
        slate_id,
        list_number,
        disease_id,
        list_disease.crude_activity,
        list_disease.activity,
        list_disease.crude_activity
        * (
            1
            - coalesce(
                least(
                    list_disease.crude_activity * predicted_disease.crude_hits
                    / nullif(list_disease.disease_hits, 0),
                    1
                ),
                0
            )
        ) as others_activity
    from list_disease
    left join predicted_disease using (slate_id, list_number, disease_id)
),

predicted_stratum as (
    select
        predicted.slate_id,
        predicted.list_number,
        predicted.degree_class,
        predicted.breadth,
        cast(
            sum(cast(predicted.n_predictions * disease_share.crude_activity as decimal(38, 18)))
            as double
        ) as crude_exposure,
        cast(
            sum(cast(predicted.n_predictions * disease_share.others_activity as decimal(38, 18)))
            as double
        ) as others_exposure,
        cast(
            sum(cast(predicted.n_predictions * disease_share.activity as decimal(38, 18)))
            as double
        ) as predicted_exposure
    from predicted
    inner join disease_share
        on
            predicted.slate_id = disease_share.slate_id
            and predicted.list_number = disease_share.list_number
            and predicted.disease_id = disease_share.disease_id
    group by
        predicted.slate_id, predicted.list_number, predicted.degree_class, predicted.breadth
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
        rated_stratum.stratum_hits,
        candidate_exposure.exposure,
        coalesce(stratum_hit.n_hits, 0) as n_hits,
        coalesce(predicted_stratum.predicted_exposure, 0) as predicted_exposure,
        rated_stratum.crude_rate * coalesce(predicted_stratum.crude_exposure, 0) as expected_hits,
        rated_stratum.crude_rate * coalesce(predicted_stratum.others_exposure, 0) as others_hits
    from rated_stratum
    left join candidate_exposure using (slate_id, list_number, degree_class, breadth)
    left join stratum_hit using (slate_id, list_number, degree_class, breadth)
    left join predicted_stratum using (slate_id, list_number, degree_class, breadth)
),

-- How much of what is expected of a prediction comes from predictions: by stratum, by disease.
stratum_sum as (
    select
        slate_id,
        list_number,
        sum(n_hits) as n_hits,
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
    from stratum
    group by slate_id, list_number
),

list_total as (
    select
        slate_id,
        compared_list.subset,
        compared_list.evidence_window,
        population,
        tier,
        predicted_count.n_matched,
        cast(stratum_sum.n_hits as bigint) as n_hits,
        stratum_sum.expected_hits,
        stratum_sum.own_share,
        stratum_sum.weighted_hits,
        stratum_sum.weighted_other_hits
    from compared_list
    inner join predicted_count using (slate_id, population, tier)
    inner join stratum_sum using (slate_id, list_number)
),

tier_match as (
    select
        slate_id,
        'all' as subset,
        evidence_window,
        population,
        tier,
        n_predictions,
        n_hits
    from counted_tier
    union all
    select
        counted_tier.slate_id,
        list_total.subset,
        counted_tier.evidence_window,
        counted_tier.population,
        counted_tier.tier,
        counted_tier.n_predictions,
        list_total.n_hits
    from counted_tier
    inner join list_total
        on
            counted_tier.slate_id = list_total.slate_id
            and counted_tier.evidence_window = list_total.evidence_window
            and counted_tier.population = list_total.population
            and counted_tier.tier = list_total.tier
    where list_total.subset <> 'all'
    union all
    select
        slate_id,
        'all' as subset,
        evidence_window,
        population,
        part as tier,
        n_predictions,
        n_hits
    from part_count
),

compared as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        tier,
        tier_match.n_predictions,
        tier_match.n_hits,
        if(list_total.n_matched = tier_match.n_predictions, list_total.expected_hits, null)
            as left_in_hits,
        if(list_total.n_matched = tier_match.n_predictions, list_total.own_share, null)
            as own_share,
        -- Hits only where every candidate is predicted say nothing, and not a ratio of 0.
        if(
            list_total.n_matched = tier_match.n_predictions
            and (list_total.weighted_hits > 0 or tier_match.n_hits = 0),
            list_total.weighted_hits,
            null
        )
        / nullif(list_total.weighted_other_hits, 0) as rate_ratio
    from tier_match
    left join list_total using (slate_id, subset, evidence_window, population, tier)
),

chosen as (
    select
        *,
        if(own_share <= 0.75, rate_ratio, n_hits / nullif(left_in_hits, 0)) as enrichment
    from compared
)

select
    chosen.slate_id,
    chosen.subset,
    chosen.evidence_window,
    chosen.population,
    chosen.tier,
    chosen.n_predictions,
    chosen.n_hits,
    coalesce(chosen.n_hits / nullif(chosen.enrichment, 0), chosen.left_in_hits) as expected_hits,
    chosen.enrichment as enrichment_vs_matched,
    chosen.n_hits / nullif(chosen.left_in_hits, 0) as observed_vs_expected,
    chosen.own_share,
    case
        when slate_sets.candidate_set_id is null and slate_sets.label_set_id is null
            then 'the slate has no candidate set and no labeled pairs'
        when slate_sets.candidate_set_id is null then 'the slate has no candidate set'
        when slate_sets.label_set_id is null then 'the slate has no labeled pairs'
        when chosen.n_predictions = 0 then 'no predictions of this population in the tier'
        when chosen.left_in_hits is null
            then 'a prediction has no candidates of its breadth to compare with'
        when chosen.left_in_hits = 0 then 'no candidate of the same breadth is a hit'
        when chosen.own_share > 0.75
            then
                'the predictions are their own baseline: '
                || cast(cast(100 * chosen.own_share as integer) as varchar)
                || '% of the hits expected of them rest on themselves'
        when chosen.enrichment is null
            then 'the strata with hits do not have both predictions and other candidates'
    end as reason
from chosen
inner join slate_sets on chosen.slate_id = slate_sets.slate_id
