-- Title:   Candidates, predictions and hits by stratum
-- Formula: of each list, counts in the disease x breadth class: candidates of the population,
--          predictions among them, and hits of both that the list counts, each by its weight; r =
--          hits x others / candidates and s = other hits x predictions / candidates, whose sums the
--          ratio divides
-- Source:  docs/metrics.md#list_stratum
-- Units:   counts, of lists without skill also parts of them; squares are sums of squared weights,
--          and n_listed_hits counts hits: both NULL for lists without skill; strata without a
--          candidate's hit or without a prediction have no row; lists as in list_member, and of
--          list_kind 'unskilled'
-- Grain:   slate_id, versus, list_kind, list_name, evidence_window, population, disease_id,
--          breadth_class
-- Portability: sums of decimal(38, 18) are the same whatever the number of threads
with hit_count as (
    select
        slate_id,
        versus,
        subset,
        evidence_window,
        population,
        disease_id,
        breadth_class,
        cast(sum(cast(weight as decimal(38, 18))) as double) as candidate_hits,
        cast(sum(cast(weight ** 2 as decimal(38, 18))) as double) as candidate_squares
    from counted_hit
    group by
        slate_id, versus, subset, evidence_window, population, disease_id, breadth_class
),

member_count as (
    select
        list_member.* exclude (drug_id),
        count(*) as n_predictions,
        count(counted_hit.drug_id) as n_hits,
        cast(sum(cast(counted_hit.weight as decimal(38, 18))) as double) as listed_hits,
        cast(sum(cast(counted_hit.weight ** 2 as decimal(38, 18))) as double) as listed_squares
    from list_member
    left join counted_hit
        using (slate_id, versus, subset, evidence_window, population, disease_id, drug_id)
    group by all
),

stratum as (
    select
        slate_id,
        versus,
        member_count.list_kind,
        member_count.list_name,
        evidence_window,
        population,
        disease_id,
        breadth_class,
        cast(
            case population
                when 'all' then stratum_count.n_pairs
                when 'novel' then stratum_count.n_novel
                when 'known' then stratum_count.n_pairs - stratum_count.n_novel
                when 'near-known' then stratum_count.n_near_known
                else stratum_count.n_new
            end as double
        ) as candidates,
        cast(member_count.n_predictions as double) as listed_pairs,
        hit_count.candidate_hits,
        coalesce(member_count.listed_hits, 0) as listed_hits,
        hit_count.candidate_squares,
        coalesce(member_count.listed_squares, 0) as listed_squares,
        member_count.n_hits as n_listed_hits
    from member_count
    inner join stratum_count using (slate_id, versus, disease_id, breadth_class)
    inner join hit_count
        using (slate_id, versus, subset, evidence_window, population, disease_id, breadth_class)
    union all
    select
        slate_id,
        'none' as versus,
        'unskilled' as list_kind,
        ranker as list_name,
        evidence_window,
        population,
        disease_id,
        breadth_class,
        candidates,
        listed_pairs,
        candidate_hits,
        listed_hits,
        null as candidate_squares,
        null as listed_squares,
        null as n_listed_hits
    from unskilled_list
    where candidate_hits > 0
)

select
    *,
    listed_hits * (candidates - listed_pairs) / candidates as r,
    (candidate_hits - listed_hits) * listed_pairs / candidates as s
from stratum
