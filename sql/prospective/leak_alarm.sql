-- Title:   Rankers that need no model through the primary endpoint
-- Result:  Lists and baselines
-- Formula: enrichment_vs_matched of the lists of naive_list
-- Units:   pairs, also parts of them, and ratios; window, population and tier are those of the
--          plan's primary endpoint; NULL enrichment with a reason
-- Inlines: list_stratum, stratified_ratio
-- Grain:   slate_id, ranker
with naive_total as (
    select
        slate_id,
        ranker,
        sum(listed_pairs order by disease_id, breadth_class) as listed_pairs,
        sum(listed_hits order by disease_id, breadth_class) as listed_hits
    from naive_list
    group by slate_id, ranker
),

prediction_list as (
    select
        endpoint.*,
        ranker.list_number,
        'naive' as list_kind,
        ranker.list_name,
        false as is_empty
    from primary_endpoint as endpoint
    cross join
        (
            values
            (1, 'popularity'),
            (2, 'degree product'),
            (3, 'nearest neighbours'),
            (4, 'related diseases'),
            (5, 'known pairs'),
            (6, 'random')
        ) as ranker (list_number, list_name)
),

stratum_count as (
    select
        naive.*,
        list.list_number,
        null as candidate_squares,
        null as listed_squares,
        null as n_candidate_hits,
        null as n_listed_hits
    from naive_list as naive
    inner join prediction_list as list
        on naive.slate_id = list.slate_id and naive.ranker = list.list_name
    where naive.candidate_hits > 0
)

select
    slate_id,
    ratio.list_name as ranker,
    ratio.evidence_window,
    ratio.population,
    ratio.tier,
    coalesce(naive_total.listed_pairs, 0) as listed_pairs,
    coalesce(naive_total.listed_hits, 0) as listed_hits,
    if(naive_total.listed_pairs is null, null, ratio.expected_hits) as expected_hits,
    ratio.own_share,
    ratio.ratio as enrichment_vs_matched,
    case
        when slate_sets.reason is not null or naive_total.listed_pairs is not null then ratio.reason
        when count(naive_total.ranker) over (partition by ratio.slate_id) = 0
            then 'no predictions of this population in the tier'
        when ratio.list_name = 'known pairs' then 'no known pair can be listed'
        when ratio.list_name = 'nearest neighbours'
            then 'no candidate of this population is known for a similar disease'
        when ratio.list_name = 'related diseases'
            then 'no candidate of this population is known for a closely related disease'
    end as reason
from stratified_ratio as ratio
inner join slate_sets using (slate_id)
left join naive_total
    on ratio.slate_id = naive_total.slate_id and ratio.list_name = naive_total.ranker
