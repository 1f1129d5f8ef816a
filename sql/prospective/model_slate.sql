-- Title:   Slates of models, through their primary endpoints
-- Formula: enrichment_vs_matched in the window, population and tier of a slate's primary endpoint,
--          beside the hits of lists as long by popularity, degree product and chance, as in
--          unskilled_list
-- Source:  docs/metrics.md#model_slate
-- Units:   predictions and hits, of the lists also parts of hits; ratio, 1 = no better than equally
--          popular drugs; NULL with a reason
-- Grain:   slate_id
-- Note:    replays, and slates made after the as-of instant, are left out
with unskilled as materialized (
    select
        slate_id,
        sum(listed_hits order by disease_id, breadth_class)
        filter (where ranker = 'popularity') as popularity_hits,
        sum(listed_hits order by disease_id, breadth_class)
        filter (where ranker = 'degree product') as degree_product_hits,
        sum(listed_hits order by disease_id, breadth_class)
        filter (where ranker = 'random') as random_hits
    from unskilled_list
    group by slate_id
),

endpoint as materialized (
    select
        enrichment_vs_matched.slate_id,
        enrichment_vs_matched.n_predictions,
        enrichment_vs_matched.n_hits,
        enrichment_vs_matched.expected_hits,
        enrichment_vs_matched.enrichment_vs_matched,
        enrichment_vs_matched.reason
    from enrichment_vs_matched
    inner join primary_endpoint
        on
            enrichment_vs_matched.slate_id = primary_endpoint.slate_id
            and enrichment_vs_matched.evidence_window = primary_endpoint.evidence_window
            and enrichment_vs_matched.population = primary_endpoint.population
            and enrichment_vs_matched.tier = primary_endpoint.tier
)

select
    slate.slate_id,
    slate.model_version,
    slate.frozen_on,
    primary_endpoint.evidence_window,
    primary_endpoint.population,
    primary_endpoint.tier,
    coalesce(endpoint.n_predictions, 0) as n_predictions,
    coalesce(endpoint.n_hits, 0) as n_hits,
    endpoint.expected_hits,
    endpoint.enrichment_vs_matched,
    unskilled.popularity_hits,
    unskilled.degree_product_hits,
    unskilled.random_hits,
    if(endpoint.slate_id is null, 'no predictions of this tier', endpoint.reason) as reason
from slate
inner join primary_endpoint on slate.slate_id = primary_endpoint.slate_id
left join endpoint on slate.slate_id = endpoint.slate_id
left join unskilled on slate.slate_id = unskilled.slate_id
where
    not slate.is_replay
    and slate.created_at <= (select report_instant.as_of from report_instant)
