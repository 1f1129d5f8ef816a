-- Title:   Rankers without skill through the primary endpoint
-- Formula: enrichment_vs_matched of the lists of unskilled_list
-- Source:  docs/metrics.md#leak_alarm
-- Units:   pairs, also parts of them, and ratios; window, population and tier are those of the
--          plan's primary endpoint; NULL enrichment with a reason
-- Grain:   slate_id, ranker
with named_ranker as (
    select
        slate_id,
        evidence_window,
        population,
        tier,
        unnest(['popularity', 'degree product', 'known pairs', 'random']) as ranker
    from primary_endpoint
),

listed as (
    select
        slate_id,
        ranker,
        sum(listed_pairs order by disease_id, breadth_class) as listed_pairs,
        sum(listed_hits order by disease_id, breadth_class) as listed_hits
    from unskilled_list
    group by slate_id, ranker
)

select
    named_ranker.slate_id,
    named_ranker.ranker,
    named_ranker.evidence_window,
    named_ranker.population,
    named_ranker.tier,
    coalesce(listed.listed_pairs, 0) as listed_pairs,
    coalesce(listed.listed_hits, 0) as listed_hits,
    if(
        slate_sets.reason is null and listed.ranker is not null,
        coalesce(stratified_ratio.expected_hits, 0),
        null
    ) as expected_hits,
    stratified_ratio.own_share,
    stratified_ratio.ratio as enrichment_vs_matched,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when listed.ranker is null and named_ranker.ranker = 'known pairs'
            then 'no known pair can be listed'
        when listed.ranker is null then 'no predictions of this population in the tier'
        when stratified_ratio.list_name is null
            then 'nothing came true among equally popular drugs'
        else stratified_ratio.reason
    end as reason
from named_ranker
inner join slate_sets on named_ranker.slate_id = slate_sets.slate_id
left join listed
    on named_ranker.slate_id = listed.slate_id and named_ranker.ranker = listed.ranker
left join stratified_ratio
    on
        named_ranker.slate_id = stratified_ratio.slate_id
        and stratified_ratio.versus = 'none'
        and stratified_ratio.list_kind = 'unskilled'
        and named_ranker.ranker = stratified_ratio.list_name
