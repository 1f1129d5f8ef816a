-- Title:   Rankers without skill through the primary endpoint
-- Formula: enrichment_vs_matched of lists as long as the primary tier: per disease the broadest
--          drugs (popularity), known pairs or any pairs (random), over all diseases the pairs of
--          highest breadth x n_known_pairs (degree product); of equals each is listed in like part
-- Source:  docs/metrics.md#leak_alarm
-- Units:   pairs, also parts of them, and ratios; window, population and tier are those of the
--          plan's primary endpoint; NULL enrichment with a reason
-- Grain:   slate_id, ranker
-- Note:    Mantel and Haenszel's ratio with crude_activity, where own_share is above 0.75 observed
--          over expected, as in enrichment_vs_matched
-- Portability: sums of decimal(38, 18) are the same whatever the number of threads
with endpoint_class as materialized (
    select
        slate_id,
        matched_class.degree_class,
        matched_class.diseases,
        matched_class.crude_activity_by_disease,
        matched_class.breadths,
        matched_class.crude_rate_by_breadth
    from matched_class
    inner join primary_endpoint using (slate_id, evidence_window, population)
    where matched_class.subset = 'all'
),

crude_disease as (
    select
        slate_id,
        unnest(diseases) as disease_id,
        unnest(crude_activity_by_disease) as crude_activity
    from endpoint_class
),

crude_stratum as (
    select
        slate_id,
        degree_class,
        unnest(breadths) as breadth,
        unnest(crude_rate_by_breadth) as crude_rate
    from endpoint_class
),

-- As in matched_cell, for one window and population.
endpoint_cell as (
    select
        slate_id,
        breadth_cell.disease_id,
        breadth_cell.breadth,
        if(
            primary_endpoint.population = 'all',
            breadth_cell.n_candidates,
            breadth_cell.n_candidates - breadth_cell.n_known
        ) as n_candidates,
        case
            when primary_endpoint.evidence_window = 'all' and primary_endpoint.population = 'all'
                then breadth_cell.n_hits
            when primary_endpoint.evidence_window = 'all' then breadth_cell.n_novel_hits
            when primary_endpoint.population = 'all' then breadth_cell.n_prospective_hits
            else breadth_cell.n_novel_prospective_hits
        end as n_candidate_hits
    from breadth_cell
    inner join primary_endpoint using (slate_id)
),

disease_degree as (
    select
        slate_id,
        disease_id,
        disease_activity.degree_class,
        disease_activity.n_known_pairs,
        coalesce(crude_disease.crude_activity, 0) as crude_activity
    from disease_activity
    left join crude_disease using (slate_id, disease_id)
),

cell as materialized (
    select
        slate_id,
        disease_id,
        degree_class,
        breadth,
        endpoint_cell.n_candidates,
        endpoint_cell.n_candidate_hits,
        disease_degree.crude_activity,
        crude_stratum.crude_rate,
        breadth * disease_degree.n_known_pairs as degree_product
    from endpoint_cell
    inner join disease_degree using (slate_id, disease_id)
    inner join crude_stratum using (slate_id, degree_class, breadth)
    where endpoint_cell.n_candidates > 0
),

-- As many as the tier predicts among the candidates.
listed_number as materialized (
    select
        predicted_cell.slate_id,
        predicted_cell.disease_id,
        sum(predicted_cell.n_predictions) as n_listed
    from predicted_cell
    inner join primary_endpoint
        on
            predicted_cell.slate_id = primary_endpoint.slate_id
            and predicted_cell.population = primary_endpoint.population
            and predicted_cell.tier = primary_endpoint.tier
    where predicted_cell.n_candidates > 0
    group by predicted_cell.slate_id, predicted_cell.disease_id
),

-- Candidates of population 'all' that are not novel; of population 'novel' there are none.
known_cell as (
    select
        breadth_cell.slate_id,
        breadth_cell.disease_id,
        breadth_cell.breadth,
        breadth_cell.n_known,
        if(
            primary_endpoint.evidence_window = 'all',
            breadth_cell.n_hits - breadth_cell.n_novel_hits,
            breadth_cell.n_prospective_hits - breadth_cell.n_novel_prospective_hits
        ) as n_known_hits
    from breadth_cell
    inner join primary_endpoint on breadth_cell.slate_id = primary_endpoint.slate_id
    where primary_endpoint.population = 'all'
),

known_part as (
    select
        known_cell.slate_id,
        known_cell.disease_id,
        known_cell.breadth,
        known_cell.n_known,
        known_cell.n_known_hits,
        least(
            listed_number.n_listed
            / nullif(
                sum(known_cell.n_known) over (
                    partition by known_cell.slate_id, known_cell.disease_id
                ),
                0
            ),
            1
        ) as part
    from known_cell
    inner join listed_number
        on
            known_cell.slate_id = listed_number.slate_id
            and known_cell.disease_id = listed_number.disease_id
),

disease_total as materialized (
    select
        slate_id,
        disease_id,
        sum(n_candidates) as n_candidates,
        sum(n_candidate_hits) as disease_hits
    from cell
    group by slate_id, disease_id
),

-- How many pairs of the list are left for a cell by those before it.
popularity_left as (
    select
        cell.slate_id,
        cell.disease_id,
        cell.breadth,
        cell.n_candidates,
        listed_number.n_listed - coalesce(
            sum(cell.n_candidates) over (
                partition by cell.slate_id, cell.disease_id
                order by cell.breadth desc
                rows between unbounded preceding and 1 preceding
            ),
            0
        ) as n_left
    from cell
    inner join listed_number
        on
            cell.slate_id = listed_number.slate_id
            and cell.disease_id = listed_number.disease_id
),

product_total as (
    select
        slate_id,
        degree_product,
        sum(n_candidates) as n_equal
    from cell
    group by slate_id, degree_product
),

listed_slate as (
    select
        slate_id,
        sum(n_listed) as n_listed
    from listed_number
    group by slate_id
),

product_left as (
    select
        product_total.slate_id,
        product_total.degree_product,
        product_total.n_equal,
        listed_slate.n_listed - coalesce(
            sum(product_total.n_equal) over (
                partition by product_total.slate_id
                order by product_total.degree_product desc
                rows between unbounded preceding and 1 preceding
            ),
            0
        ) as n_left
    from product_total
    inner join listed_slate on product_total.slate_id = listed_slate.slate_id
),

cell_part as (
    select
        'popularity' as ranker,
        popularity_left.slate_id,
        popularity_left.disease_id,
        popularity_left.breadth,
        greatest(least(popularity_left.n_left / popularity_left.n_candidates, 1), 0) as part
    from popularity_left
    union all
    select
        'degree product' as ranker,
        cell.slate_id,
        cell.disease_id,
        cell.breadth,
        greatest(least(product_left.n_left / product_left.n_equal, 1), 0) as part
    from cell
    inner join product_left
        on
            cell.slate_id = product_left.slate_id
            and cell.degree_product = product_left.degree_product
    union all
    select
        'random' as ranker,
        cell.slate_id,
        cell.disease_id,
        cell.breadth,
        least(listed_number.n_listed / disease_total.n_candidates, 1) as part
    from cell
    inner join listed_number
        on
            cell.slate_id = listed_number.slate_id
            and cell.disease_id = listed_number.disease_id
    inner join disease_total
        on
            cell.slate_id = disease_total.slate_id
            and cell.disease_id = disease_total.disease_id
),

listed as materialized (
    select
        cell_part.ranker,
        cell_part.slate_id,
        cell_part.disease_id,
        cell.degree_class,
        cell.breadth,
        cell_part.part * cell.n_candidates as n_predictions,
        cell_part.part * cell.n_candidate_hits as n_hits,
        cell.crude_rate,
        cell.crude_activity
    from cell_part
    inner join cell
        on
            cell_part.slate_id = cell.slate_id
            and cell_part.disease_id = cell.disease_id
            and cell_part.breadth = cell.breadth
    where cell_part.part > 0
    union all
    select
        'known pairs' as ranker,
        known_part.slate_id,
        known_part.disease_id,
        cell.degree_class,
        cell.breadth,
        known_part.part * known_part.n_known as n_predictions,
        known_part.part * known_part.n_known_hits as n_hits,
        cell.crude_rate,
        cell.crude_activity
    from known_part
    inner join cell
        on
            known_part.slate_id = cell.slate_id
            and known_part.disease_id = cell.disease_id
            and known_part.breadth = cell.breadth
    where known_part.part * known_part.n_known > 0
),

stratum_total as (
    select
        slate_id,
        degree_class,
        breadth,
        cast(sum(n_candidate_hits) as bigint) as stratum_hits,
        cast(sum(cast(n_candidates * crude_activity as decimal(38, 18))) as double) as exposure
    from cell
    group by slate_id, degree_class, breadth
),

stratum as materialized (
    select
        ranker,
        slate_id,
        degree_class,
        breadth,
        crude_rate,
        cast(sum(cast(n_predictions as decimal(38, 18))) as double) as n_predictions,
        cast(sum(cast(n_hits as decimal(38, 18))) as double) as n_hits,
        cast(sum(cast(n_predictions * crude_activity as decimal(38, 18))) as double)
            as listed_exposure
    from listed
    group by ranker, slate_id, degree_class, breadth, crude_rate
),

listed_disease as (
    select
        ranker,
        slate_id,
        disease_id,
        cast(
            sum(cast(n_predictions * crude_rate * crude_activity as decimal(38, 18))) as double
        ) as expected_hits
    from listed
    group by ranker, slate_id, disease_id
),

disease_share as (
    select
        listed_disease.ranker,
        slate_id,
        disease_id,
        1 - coalesce(
            least(listed_disease.expected_hits / nullif(disease_total.disease_hits, 0), 1), 0
        ) as others_share
    from listed_disease
    inner join disease_total using (slate_id, disease_id)
),

others_stratum as (
    select
        ranker,
        slate_id,
        listed.degree_class,
        listed.breadth,
        cast(
            sum(
                cast(
                    listed.n_predictions * listed.crude_activity * disease_share.others_share
                    as decimal(38, 18)
                )
            ) as double
        ) as others_exposure
    from listed
    inner join disease_share using (ranker, slate_id, disease_id)
    group by ranker, slate_id, listed.degree_class, listed.breadth
),

left_in as (
    select
        ranker,
        slate_id,
        sum(stratum.n_predictions order by degree_class, breadth) as n_predictions,
        sum(stratum.n_hits order by degree_class, breadth) as n_hits,
        sum(stratum.crude_rate * stratum.listed_exposure order by degree_class, breadth)
            as expected_hits,
        sum(
            stratum.crude_rate * others_stratum.others_exposure
            * (1 - coalesce(
                least(
                    stratum.crude_rate * stratum.listed_exposure
                    / nullif(stratum_total.stratum_hits, 0),
                    1
                ),
                0
            ))
            order by degree_class, breadth
        ) as others_hits
    from stratum
    inner join stratum_total using (slate_id, degree_class, breadth)
    inner join others_stratum using (ranker, slate_id, degree_class, breadth)
    group by ranker, slate_id
),

rate_ratio as (
    select
        stratum.ranker,
        slate_id,
        sum(
            stratum.n_hits * greatest(1 - stratum.listed_exposure / stratum_total.exposure, 0)
            order by degree_class, breadth
        ) / nullif(
            sum(
                (stratum_total.stratum_hits - stratum.n_hits)
                * least(stratum.listed_exposure / stratum_total.exposure, 1)
                order by degree_class, breadth
            ),
            0
        ) as crude_ratio
    from stratum
    inner join stratum_total using (slate_id, degree_class, breadth)
    where stratum_total.exposure > 0
    group by stratum.ranker, slate_id
),

compared as (
    select
        left_in.ranker,
        left_in.slate_id,
        left_in.n_predictions,
        left_in.n_hits,
        left_in.expected_hits,
        1 - left_in.others_hits / nullif(left_in.expected_hits, 0) as own_share,
        rate_ratio.crude_ratio
    from left_in
    left join rate_ratio
        on left_in.ranker = rate_ratio.ranker and left_in.slate_id = rate_ratio.slate_id
),

named_ranker as (
    select
        slate_id,
        evidence_window,
        population,
        tier,
        unnest(['popularity', 'degree product', 'known pairs', 'random']) as ranker
    from primary_endpoint
)

select
    named_ranker.slate_id,
    named_ranker.ranker,
    named_ranker.evidence_window,
    named_ranker.population,
    named_ranker.tier,
    coalesce(compared.n_predictions, 0) as listed_pairs,
    coalesce(compared.n_hits, 0) as listed_hits,
    compared.expected_hits,
    compared.own_share,
    if(
        compared.own_share <= 0.75,
        compared.crude_ratio,
        compared.n_hits / nullif(compared.expected_hits, 0)
    ) as enrichment_vs_matched,
    case
        when slate_sets.candidate_set_id is null then 'the slate has no candidate set'
        when slate_sets.label_set_id is null then 'the slate has no labeled pairs'
        when compared.n_predictions is null and named_ranker.ranker = 'known pairs'
            then 'no known pair can be listed'
        when compared.n_predictions is null then 'no predictions of this population in the tier'
        when coalesce(compared.expected_hits, 0) = 0
            then 'no candidate of the same breadth is a hit'
        when compared.own_share <= 0.75 and compared.crude_ratio is null
            then 'the strata with hits do not have both listed and other candidates'
    end as reason
from named_ranker
inner join slate_sets on named_ranker.slate_id = slate_sets.slate_id
left join compared
    on
        named_ranker.slate_id = compared.slate_id
        and named_ranker.ranker = compared.ranker
