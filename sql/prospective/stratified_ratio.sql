-- Title:   Hits of a list beside those of equally popular drugs
-- Formula: Mantel and Haenszel's ratio over strata of disease x breadth class: r = sum of hits x
--          others / candidates, s = sum of other hits x predictions / candidates, ratio = r / s;
--          own_share = sum of (predictions / candidates)^2 x hits of all / left_in_hits
-- Source:  docs/metrics.md#enrichment_vs_matched
-- Units:   ratio, 1 = no better than equally popular drugs, NULL with a reason; expected_hits =
--          hits / ratio where that is above 0, else left_in_hits = sum of predictions x hits of all
--          / candidates; own_share 0..1; chance is the variance of ln(ratio) by chance alone
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
        sum(listed_hits order by disease_id, breadth_class) as listed_hits,
        sum(
            listed_hits * (candidates - listed_pairs) / candidates
            order by disease_id, breadth_class
        ) as r,
        sum(
            (candidate_hits - listed_hits) * listed_pairs / candidates
            order by disease_id, breadth_class
        ) as s,
        sum(listed_pairs * candidate_hits / candidates order by disease_id, breadth_class)
            as left_in_hits,
        sum(
            (listed_pairs / candidates) ** 2 * candidate_hits
            order by disease_id, breadth_class
        ) as own_hits,
        sum(
            (
                listed_pairs * (candidates - listed_pairs) * candidate_hits
                - listed_hits * (candidate_hits - listed_hits) * candidates
            ) / candidates ** 2
            order by disease_id, breadth_class
        ) as score_variance
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
    listed_hits,
    r,
    s,
    left_in_hits,
    coalesce(listed_hits / nullif(ratio, 0), left_in_hits) as expected_hits,
    ratio,
    listed_hits / left_in_hits as observed_vs_expected,
    own_share,
    if(ratio is null, null, score_variance / nullif(r * s, 0)) as chance,
    case
        when own_share > 0.9
            then
                'the predictions are their own baseline: '
                || cast(cast(100 * own_share as integer) as varchar)
                || '% of the hits expected of them rest on themselves'
        when ratio is null then 'no other candidate came true where it can be compared'
    end as reason
from shared
