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
        cell.degree_class,
        breadth,
        matched_prediction.n_predictions,
        matched_prediction.n_hits,
        matched_prediction.n_predictions * cell.crude_rate * cell.crude_activity as expected_hits
    from matched_prediction
    inner join cell
        using (slate_id, subset, evidence_window, population, disease_id, breadth)
),

activity as materialized (
    select * from matched_activity
),

candidate_stratum as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        activity.tier,
        cell.degree_class,
        cell.breadth,
        sum(cell.n_candidate_hits) as stratum_hits,
        list_sum(list_sort(list(cell.n_candidates * activity.activity))) as exposure
    from activity
    inner join cell using (slate_id, subset, evidence_window, population, disease_id)
    group by
        slate_id,
        subset,
        evidence_window,
        population,
        activity.tier,
        cell.degree_class,
        cell.breadth
),

predicted_stratum as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        tier,
        predicted_cell.degree_class,
        predicted_cell.breadth,
        sum(predicted_cell.n_hits) as n_hits,
        list_sum(list_sort(list(predicted_cell.expected_hits))) as expected_hits,
        list_sum(list_sort(list(predicted_cell.n_predictions * activity.activity)))
            as predicted_exposure
    from predicted_cell
    inner join activity using (slate_id, subset, evidence_window, population, tier, disease_id)
    group by
        slate_id,
        subset,
        evidence_window,
        population,
        tier,
        predicted_cell.degree_class,
        predicted_cell.breadth
),

stratum as materialized (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        tier,
        degree_class,
        breadth,
        candidate_stratum.stratum_hits,
        candidate_stratum.exposure,
        predicted_stratum.n_hits,
        predicted_stratum.expected_hits,
        predicted_stratum.predicted_exposure
    from predicted_stratum
    inner join candidate_stratum
        using (slate_id, subset, evidence_window, population, tier, degree_class, breadth)
),

disease_sum as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        disease_id,
        sum(n_candidate_hits) as disease_hits
    from cell
    group by slate_id, subset, evidence_window, population, disease_id
),

predicted_disease as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        tier,
        disease_id,
        list_sum(list_sort(list(expected_hits))) as expected_hits
    from predicted_cell
    group by slate_id, subset, evidence_window, population, tier, disease_id
),

-- How much of what is expected of a prediction comes from predictions: by stratum, by disease.
left_in as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        tier,
        cast(sum(predicted_cell.n_predictions) as bigint) as n_matched,
        list_sum(list_sort(list(predicted_cell.expected_hits))) as expected_hits,
        1 - list_sum(list_sort(list(
            predicted_cell.expected_hits
            * (1 - coalesce(least(stratum.expected_hits / nullif(stratum.stratum_hits, 0), 1), 0))
            * (
                1
                - coalesce(
                    least(predicted_disease.expected_hits / nullif(disease_sum.disease_hits, 0), 1),
                    0
                )
            )
        ))) / nullif(list_sum(list_sort(list(predicted_cell.expected_hits)
        )), 0) as own_share
    from predicted_cell
    inner join stratum
        using (slate_id, subset, evidence_window, population, tier, degree_class, breadth)
    inner join
        predicted_disease
        using (slate_id, subset, evidence_window, population, tier, disease_id)
    inner join disease_sum using (slate_id, subset, evidence_window, population, disease_id)
    group by slate_id, subset, evidence_window, population, tier
),

stratum_sum as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        tier,
        sum(
            n_hits * greatest(1 - predicted_exposure / exposure, 0) order by degree_class, breadth
        ) as weighted_hits,
        sum(
            (stratum_hits - n_hits) * least(predicted_exposure / exposure, 1)
            order by degree_class, breadth
        ) as weighted_other_hits
    from stratum
    where exposure > 0
    group by slate_id, subset, evidence_window, population, tier
),

-- Hits are of the whole tier, also those that no stratum has, which leave no ratio.
subset_count as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        tier,
        cast(sum(n_hits) as bigint) as n_hits
    from predicted_cell
    where subset <> 'all'
    group by slate_id, subset, evidence_window, population, tier
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
    from tier_count
    union all
    select
        tier_count.slate_id,
        subset_count.subset,
        tier_count.evidence_window,
        tier_count.population,
        tier_count.tier,
        tier_count.n_predictions,
        subset_count.n_hits
    from tier_count
    inner join subset_count
        on
            tier_count.slate_id = subset_count.slate_id
            and tier_count.evidence_window = subset_count.evidence_window
            and tier_count.population = subset_count.population
            and tier_count.tier = subset_count.tier
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
        if(left_in.n_matched = tier_match.n_predictions, left_in.expected_hits, null)
            as left_in_hits,
        if(left_in.n_matched = tier_match.n_predictions, left_in.own_share, null) as own_share,
        -- Hits only where every candidate is predicted say nothing, and not a ratio of 0.
        if(
            left_in.n_matched = tier_match.n_predictions
            and (stratum_sum.weighted_hits > 0 or tier_match.n_hits = 0),
            stratum_sum.weighted_hits,
            null
        )
        / nullif(stratum_sum.weighted_other_hits, 0) as rate_ratio
    from tier_match
    left join left_in using (slate_id, subset, evidence_window, population, tier)
    left join stratum_sum using (slate_id, subset, evidence_window, population, tier)
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
