-- Title:   Enrichment by nearness
-- Formula: enrichment_vs_matched of the primary endpoint's tier and window in each class of
--          nearness, beside the other candidates of the class alone; hit rate = hits / predictions
-- Source:  docs/metrics.md#enrichment_by_nearness
-- Units:   nearness is 'known', which is of population 'all', 'near-known' or 'new', which are of
--          that of the endpoint; ratio, as in enrichment_vs_matched; hit rate 0..1; a class without
--          predictions has no row, nor has a slate without pairs of nearness
-- Grain:   slate_id, nearness
with class_pair as (
    select
        slate_id,
        evidence_window,
        primary_endpoint.population,
        primary_endpoint.tier,
        case
            when not pair_outcome.is_novel then 'known'
            when near.relation is not null then 'near-known'
            else 'new'
        end as nearness,
        disease_id,
        pair_outcome.is_hit
    from pair_outcome
    inner join primary_endpoint using (slate_id, evidence_window)
    semi join nearness using (slate_id)
    left join nearness as near using (slate_id, disease_id, drug_id)
    where primary_endpoint.tier in (pair_outcome.tier, 'all')
),

class_count as (
    select
        slate_id,
        evidence_window,
        if(nearness = 'known', 'all', population) as population,
        tier,
        nearness,
        count(distinct disease_id) as n_diseases,
        count(*) as n_predictions,
        count(*) filter (where is_hit) as n_hits
    from class_pair
    group by slate_id, evidence_window, population, tier, nearness
)

select
    class_count.slate_id,
    class_count.nearness,
    class_count.evidence_window,
    class_count.population,
    class_count.tier,
    class_count.n_diseases,
    class_count.n_predictions,
    class_count.n_hits,
    class_count.n_hits / class_count.n_predictions as hit_rate,
    if(slate_sets.reason is null, coalesce(stratified_ratio.expected_hits, 0), null)
        as expected_hits,
    stratified_ratio.ratio as enrichment_vs_matched,
    stratified_ratio.own_share,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when stratified_ratio.ratio is null
            then
                coalesce(stratified_ratio.reason, 'nothing came true among equally popular drugs')
    end as reason
from class_count
inner join slate_sets using (slate_id)
left join stratified_ratio
    on
        class_count.slate_id = stratified_ratio.slate_id
        and stratified_ratio.versus = 'none'
        and stratified_ratio.list_kind = 'tier'
        and class_count.tier = stratified_ratio.list_name
        and class_count.evidence_window = stratified_ratio.evidence_window
        and class_count.nearness = stratified_ratio.population
