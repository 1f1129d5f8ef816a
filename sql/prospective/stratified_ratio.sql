-- Title:   Hits of a list beside those of equally popular drugs
-- Formula: Mantel and Haenszel's ratio over strata of disease x breadth class,
--          ratio = r / s with the sums of list_stratum's r and s; own_share = sum of (predictions /
--          candidates)^2 x hits of all / left_in_hits
-- Units:   ratio, 1 = no better than equally popular drugs, NULL with a reason; n_listed_hits
--          counts hits, n_other_hits those of other candidates in the same strata, and listed_hits
--          their weights; expected_hits = hits / ratio where that is
--          above 0, else left_in_hits = sum of predictions x hits of all / candidates, and 0 where
--          nothing came true; own_share 0..1; sums are NULL where nothing came true
-- Grain:   slate_id, list_kind, list_name, evidence_window, population
-- Note:    no ratio where own_share is above 0.9; the reason has own_share as a share of 100
with total as (
    select
        slate_id,
        list_number,
        cast(sum(n_listed_hits) as bigint) as n_listed_hits,
        cast(sum(n_candidate_hits - n_listed_hits) as bigint) as n_other_hits,
        sum(listed_hits order by disease_id, breadth_class) as listed_hits,
        sum(r order by disease_id, breadth_class) as r,
        sum(s order by disease_id, breadth_class) as s,
        sum(listed_pairs * candidate_hits / candidates order by disease_id, breadth_class)
            as left_in_hits,
        sum(
            (listed_pairs / candidates) ** 2 * candidate_hits
            order by disease_id, breadth_class
        ) as own_hits
    from list_stratum
    group by slate_id, list_number
),

shared as (
    select
        *,
        own_hits / nullif(left_in_hits, 0) as own_share,
        if(own_share > 0.9, null, r / nullif(s, 0)) as ratio
    from total
)

select
    slate_id,
    list_number,
    list.list_kind,
    list.list_name,
    list.evidence_window,
    list.population,
    list.tier,
    shared.n_listed_hits,
    shared.n_other_hits,
    shared.listed_hits,
    shared.r,
    shared.s,
    shared.left_in_hits,
    coalesce(
        shared.listed_hits / nullif(shared.ratio, 0),
        shared.left_in_hits,
        if(slate_sets.reason is null and not list.is_empty, 0, null)
    ) as expected_hits,
    shared.ratio,
    shared.listed_hits / nullif(shared.left_in_hits, 0) as observed_vs_expected,
    shared.own_share,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when list.is_empty then 'no predictions of this population in the tier'
        when shared.own_share > 0.9
            then
                'no fair comparison: almost every equally popular drug is itself predicted ('
                || cast(cast(100 * shared.own_share as integer) as varchar)
                || '% of the expected hits)'
        when shared.ratio is not null then null
        when list.list_kind = 'unlabeled'
            then 'later evidence shows of no other candidate that it was public by the freeze'
        when shared.left_in_hits is not null
            then 'no other candidate came true where it can be compared'
        when list.list_kind = 'failure' then 'nothing failed among equally popular drugs'
        else 'nothing came true among equally popular drugs'
    end as reason
from prediction_list as list
inner join slate_sets using (slate_id)
left join shared using (slate_id, list_number)
