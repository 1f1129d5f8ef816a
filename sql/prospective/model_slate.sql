-- Title:   Slates of models, through their primary endpoints
-- Result:  Comparisons and models
-- Formula: enrichment_vs_matched in the window, population and tier of a slate's primary endpoint,
--          beside the hits of lists as long by popularity, degree product and chance, as in
--          naive_list
-- Units:   predictions and hits, of the lists also parts of hits; ratio, 1 = no better than equally
--          popular drugs; NULL with a reason; r and s are the sums of which it is made, own_share
--          0..1, as in stratified_ratio
-- Grain:   slate_id
-- Note:    slates made after the as-of instant are left out; is_replay marks those whose lists
--          were made after the fact
with unskilled as materialized (
    select
        slate_id,
        sum(listed_hits order by disease_id, breadth_class)
        filter (where ranker = 'popularity') as popularity_hits,
        sum(listed_hits order by disease_id, breadth_class)
        filter (where ranker = 'degree product') as degree_product_hits,
        sum(listed_hits order by disease_id, breadth_class)
        filter (where ranker = 'random') as random_hits
    from naive_list
    group by slate_id
),

endpoint as materialized (
    from enrichment_vs_matched
    semi join primary_endpoint using (slate_id, evidence_window, population, tier)
)

select
    slate_id,
    slate.model_version,
    slate.is_replay,
    slate.frozen_on,
    primary_endpoint.evidence_window,
    primary_endpoint.population,
    primary_endpoint.tier,
    coalesce(endpoint.n_predictions, 0) as n_predictions,
    coalesce(endpoint.n_hits, 0) as n_hits,
    endpoint.expected_hits,
    endpoint.enrichment_vs_matched,
    stratified_ratio.r,
    stratified_ratio.s,
    endpoint.own_share,
    unskilled.popularity_hits,
    unskilled.degree_product_hits,
    unskilled.random_hits,
    if(endpoint.tier is null, 'no predictions of this tier', endpoint.reason) as reason
from slate
inner join primary_endpoint using (slate_id)
left join endpoint using (slate_id)
left join stratified_ratio using (slate_id, list_number)
left join unskilled using (slate_id)
where slate.created_at <= (select report_instant.as_of from report_instant)
