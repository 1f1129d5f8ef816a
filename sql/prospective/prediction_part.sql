-- Title:   Predictions by part of a slate, as the primary endpoint counts them
-- Formula: part_kind 'top': rank at most k, of cutoff or 3, up to the first that holds every rank;
--          'known drugs': by known pairs of the disease at the freeze; 'known diseases': by breadth
--          of the drug; 'area': by the areas above the terms that the disease is, or 'unknown'
-- Units:   part_start and part_end: k, or the fewest (0, 1, 4, 10) and the most known pairs, the
--          last without; NULL for areas, which overlap, are of one vocabulary, and have no row
--          where no vocabulary has one; all but 'top' are of the endpoint's tier, and all of its
--          window and population; is_hit as in population_pair
-- Grain:   slate_id, part, disease_id, drug_id
with last_rank as (
    select
        slate_id,
        max(rank) as last_rank
    from prediction
    group by slate_id
),

list_size as (
    select k from cutoff
    union
    select 3 as k
),

ordered_cutoff as (
    select
        k,
        lag(k, 1, 0) over (order by k) as previous_k
    from list_size
),

known_range as (
    select
        bound.part_start,
        lead(bound.part_start) over (order by bound.part_start) as next_start
    from (values (0), (1), (4), (10)) as bound (part_start)
),

endpoint_prediction as materialized (
    select
        slate_id,
        prediction.disease_id,
        prediction.drug_id
    from prediction
    inner join primary_endpoint using (slate_id)
    where primary_endpoint.tier in (prediction.tier, 'all')
),

counted_prediction as (
    select
        slate_id,
        disease_id,
        drug_id,
        unnest(['known drugs', 'known diseases']) as part_kind,
        unnest([disease_activity.n_known_pairs, drug_breadth.breadth]) as n_known
    from endpoint_prediction
    inner join disease_activity using (slate_id, disease_id)
    left join drug_breadth using (slate_id, drug_id)
),

disease_area as (
    select distinct
        disease_term.slate_id,
        disease_term.disease_id,
        vocabulary_area.area
    from disease_term
    inner join vocabulary_area using (release_id, term_id)
),

part as (
    select
        slate_id,
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
        counted_prediction.slate_id,
        counted_prediction.part_kind,
        cast(known_range.part_start as bigint) as part_start,
        cast(known_range.next_start - 1 as bigint) as part_end,
        counted_prediction.part_kind || ' ' || cast(known_range.part_start as varchar) as part,
        counted_prediction.disease_id,
        counted_prediction.drug_id
    from counted_prediction
    inner join known_range
        on
            counted_prediction.n_known >= known_range.part_start
            and coalesce(counted_prediction.n_known < known_range.next_start, true)
    union all
    select
        slate_id,
        'area' as part_kind,
        null as part_start,
        null as part_end,
        'area ' || coalesce(disease_area.area, 'unknown') as part,
        disease_id,
        endpoint_prediction.drug_id
    from endpoint_prediction
    semi join disease_term using (slate_id)
    left join disease_area using (slate_id, disease_id)
)

select
    slate_id,
    part.part_kind,
    part.part_start,
    part.part_end,
    part.part,
    evidence_window,
    population,
    disease_id,
    drug_id,
    population_pair.is_hit
from population_pair
inner join primary_endpoint using (slate_id, evidence_window, population)
inner join part using (slate_id, disease_id, drug_id)
