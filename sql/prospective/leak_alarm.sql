-- Title:   Rankers that need no model through the primary endpoint
-- Formula: enrichment_vs_matched of the lists of unskilled_list
-- Source:  docs/metrics.md#leak_alarm
-- Units:   pairs, also parts of them, and ratios; window, population and tier are those of the
--          plan's primary endpoint; NULL enrichment with a reason
-- Grain:   slate_id, ranker
with named_ranker as (
    select
        * exclude (tier),
        'none' as versus,
        'unskilled' as list_kind,
        unnest(
            [
                'popularity',
                'degree product',
                'nearest neighbours',
                'related diseases',
                'known pairs',
                'random'
            ]
        ) as list_name,
        tier
    from primary_endpoint
),

listed as (
    select
        slate_id,
        ranker as list_name,
        sum(listed_pairs order by disease_id, breadth_class) as listed_pairs,
        sum(listed_hits order by disease_id, breadth_class) as listed_hits
    from unskilled_list
    group by slate_id, ranker
)

select
    slate_id,
    list_name as ranker,
    evidence_window,
    population,
    named_ranker.tier,
    coalesce(listed.listed_pairs, 0) as listed_pairs,
    coalesce(listed.listed_hits, 0) as listed_hits,
    coalesce(
        stratified_ratio.expected_hits,
        if(slate_sets.reason is null and listed.listed_pairs is not null, 0, null)
    ) as expected_hits,
    stratified_ratio.own_share,
    stratified_ratio.ratio as enrichment_vs_matched,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when listed.listed_pairs is null and list_name = 'known pairs'
            then 'no known pair can be listed'
        when listed.listed_pairs is null and list_name = 'nearest neighbours'
            then 'no other disease shares a known drug'
        when listed.listed_pairs is null and list_name = 'related diseases'
            then 'no closely related disease has a known drug'
        when listed.listed_pairs is null then 'no predictions of this population in the tier'
        when stratified_ratio.ratio is null
            then
                coalesce(stratified_ratio.reason, 'nothing came true among equally popular drugs')
    end as reason
from named_ranker
inner join slate_sets using (slate_id)
left join listed using (slate_id, list_name)
left join stratified_ratio
    using (slate_id, versus, list_kind, list_name, evidence_window, population)
