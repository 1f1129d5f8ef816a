-- Title:   Predictions by part of a slate
-- Formula: part_kind 'top': rank at most k, up to the first k of cutoff that holds every rank;
--          'known drugs': by known pairs of the disease at the freeze; 'known diseases': by breadth
--          of the drug
-- Source:  docs/metrics.md#prediction_part
-- Units:   ranks within a disease, and counts; part_start and part_end are k, or the smallest and
--          the largest count of the part: 0, 1, 4 or 10, the last without end; the last two kinds
--          divide the tier of the primary endpoint
-- Grain:   slate_id, part, disease_id, drug_id
with last_rank as (
    select
        slate_id,
        max(rank) as last_rank
    from prediction
    group by slate_id
),

ordered_cutoff as (
    select
        k,
        lag(k, 1, 0) over (order by k) as previous_k
    from cutoff
),

known_range as (
    select
        bound.part_start,
        lead(bound.part_start) over (order by bound.part_start) as next_start
    from (values (0), (1), (4), (10)) as bound (part_start)
),

endpoint_prediction as (
    select
        prediction.slate_id,
        prediction.disease_id,
        prediction.drug_id,
        unnest(['known drugs', 'known diseases']) as part_kind,
        unnest([disease_activity.n_known_pairs, drug_breadth.breadth]) as n_known
    from prediction
    inner join primary_endpoint using (slate_id)
    inner join disease_activity using (slate_id, disease_id)
    left join drug_breadth
        on
            prediction.slate_id = drug_breadth.slate_id
            and prediction.drug_id = drug_breadth.drug_id
    where prediction.tier = primary_endpoint.tier or primary_endpoint.tier = 'all'
)

select
    prediction.slate_id,
    'top' as part_kind,
    cast(ordered_cutoff.k as bigint) as part_start,
    cast(ordered_cutoff.k as bigint) as part_end,
    'top ' || cast(ordered_cutoff.k as varchar) as part,
    prediction.disease_id,
    prediction.drug_id
from prediction
inner join last_rank using (slate_id)
inner join ordered_cutoff
    on
        prediction.rank <= ordered_cutoff.k
        and last_rank.last_rank > ordered_cutoff.previous_k
union all
select
    endpoint_prediction.slate_id,
    endpoint_prediction.part_kind,
    cast(known_range.part_start as bigint) as part_start,
    cast(known_range.next_start - 1 as bigint) as part_end,
    endpoint_prediction.part_kind || ' ' || cast(known_range.part_start as varchar) as part,
    endpoint_prediction.disease_id,
    endpoint_prediction.drug_id
from endpoint_prediction
inner join known_range
    on
        endpoint_prediction.n_known >= known_range.part_start
        and coalesce(endpoint_prediction.n_known < known_range.next_start, true)
