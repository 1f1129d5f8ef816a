-- Title:   Primary enrichment by what dates the hits
-- Result:  Hit rates and enrichment
-- Formula: stratified_ratio of the slate's primary endpoint with every hit, and with those alone
--          that are dated by more than the release of ChEMBL that showed them; of predictions and
--          of other candidates alike
-- Units:   dating is 'every hit' or 'dated'; the rest as in enrichment_vs_matched
-- Grain:   slate_id, dating
with endpoint as (
    select
        slate_id,
        evidence_window,
        population,
        tier,
        tier_count.n_predictions,
        tier_count.n_hits
    from primary_endpoint
    inner join tier_count using (slate_id, evidence_window, population, tier)
),

dated_count as (
    select
        slate_id,
        count(*) filter (where pair_outcome.is_dated_hit) as n_dated_hits
    from pair_outcome
    inner join primary_endpoint using (slate_id, evidence_window)
    where
        primary_endpoint.tier in (pair_outcome.tier, 'all')
        and (primary_endpoint.population = 'all' or pair_outcome.is_novel)
    group by slate_id
),

listed as (
    select
        endpoint.* exclude (n_hits),
        unnest(['every hit', 'dated']) as dating,
        unnest(['tier', 'with a date']) as list_kind,
        unnest([endpoint.n_hits, coalesce(dated_count.n_dated_hits, 0)]) as n_hits
    from endpoint
    left join dated_count using (slate_id)
)

select
    slate_id,
    listed.dating,
    evidence_window,
    population,
    tier,
    ratio.list_number,
    listed.n_predictions,
    listed.n_hits,
    ratio.expected_hits,
    ratio.ratio as enrichment_vs_matched,
    ratio.observed_vs_expected,
    ratio.own_share,
    ratio.reason
from listed
inner join stratified_ratio as ratio
    using (slate_id, list_kind, evidence_window, population, tier)
