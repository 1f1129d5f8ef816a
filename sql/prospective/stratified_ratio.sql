-- Title:   Hits of a list beside those of equally popular drugs
-- Formula: Mantel and Haenszel's ratio over strata of disease x breadth class,
--          ratio = r / s with the sums of list_stratum's r and s; own_share = sum of (predictions /
--          candidates)^2 x hits of all / left_in_hits
-- Source:  docs/metrics.md#enrichment_vs_matched
-- Units:   ratio, 1 = no better than equally popular drugs, NULL with a reason; n_listed_hits
--          counts hits, and listed_hits those of subset 'information' by weight; expected_hits =
--          hits / ratio where that is above 0, else left_in_hits = sum of predictions x hits of all
--          / candidates; own_share 0..1
-- Grain:   slate_id, versus, list_kind, list_name, evidence_window, population
-- Note:    lists of which nothing is expected have no row; no ratio where own_share is above 0.9;
--          the reason has own_share as a share of 100
with total as (
    select
        slate_id,
        versus,
        list_kind,
        list_name,
        evidence_window,
        population,
        cast(sum(n_listed_hits) as bigint) as n_listed_hits,
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
    group by slate_id, versus, list_kind, list_name, evidence_window, population
),

shared as (
    select
        *,
        own_hits / left_in_hits as own_share,
        if(own_hits / left_in_hits > 0.9, null, r / nullif(s, 0)) as ratio
    from total
)

select
    slate_id,
    versus,
    list_kind,
    list_name,
    evidence_window,
    population,
    n_listed_hits,
    listed_hits,
    r,
    s,
    left_in_hits,
    coalesce(listed_hits / nullif(ratio, 0), left_in_hits) as expected_hits,
    ratio,
    listed_hits / left_in_hits as observed_vs_expected,
    own_share,
    case
        when own_share > 0.9
            then
                'no fair comparison: almost every equally popular drug is itself predicted ('
                || cast(cast(100 * own_share as integer) as varchar)
                || '% of the expected hits)'
        when ratio is null then 'no other candidate came true where it can be compared'
    end as reason
from shared
