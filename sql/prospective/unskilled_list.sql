-- Title:   Lists without skill, as long as the primary tier
-- Formula: by disease the candidates of the broadest drugs (popularity), known pairs or any
--          (random); over all diseases those of highest breadth x n_known_pairs (degree product);
--          of equals each is listed in like part
-- Source:  docs/metrics.md#unskilled_list
-- Units:   pairs and hits, of predictions also parts; window, population and tier are those of the
--          plan's primary endpoint
-- Grain:   slate_id, ranker, disease_id, breadth_class
with listed_place as (
    select
        slate_id,
        unnest([pair_outcome.disease_id, 0]) as part_of
    from pair_outcome
    inner join primary_endpoint using (slate_id, evidence_window)
    where
        (primary_endpoint.population = 'all' or pair_outcome.is_novel)
        and primary_endpoint.tier in (pair_outcome.tier, 'all')
),

place_total as (
    select
        slate_id,
        part_of,
        count(*) as n_listed
    from listed_place
    group by slate_id, part_of
),

cell as materialized (
    select
        breadth_cell.*,
        endpoint.evidence_window,
        endpoint.population,
        breadth_cell.breadth * disease_activity.n_known_pairs as degree_product,
        endpoint.population = 'all' as has_known,
        endpoint.evidence_window = 'all' as is_all,
        if(is_all, breadth_cell.n_hits, breadth_cell.n_prospective_hits) as n_all_hits,
        if(is_all, breadth_cell.n_novel_hits, breadth_cell.n_novel_prospective_hits) as n_new_hits,
        breadth_cell.n_candidates - if(has_known, 0, breadth_cell.n_known) as n_pairs,
        if(has_known, n_all_hits, n_new_hits) as n_pair_hits,
        if(has_known, breadth_cell.n_known, 0) as n_listable_known,
        n_all_hits - n_new_hits as n_known_hits
    from breadth_cell
    inner join primary_endpoint as endpoint using (slate_id)
    inner join disease_activity using (slate_id, disease_id)
),

-- Higher scores are listed first, within a disease or, where part_of is 0, over all.
scored as (
    select
        slate_id,
        disease_id,
        breadth,
        breadth_class,
        unnest(['popularity', 'degree product', 'known pairs', 'random']) as ranker,
        unnest([disease_id, 0, disease_id, disease_id]) as part_of,
        unnest([breadth, degree_product, 0, 0]) as score,
        unnest([n_pairs, n_pairs, n_listable_known, n_pairs]) as n_pairs,
        unnest([n_pair_hits, n_pair_hits, n_known_hits, n_pair_hits]) as n_hits
    from cell
),

ranked as (
    select
        scored.*,
        place_total.n_listed,
        sum(scored.n_pairs) over (
            partition by slate_id, scored.ranker, part_of order by scored.score desc
        ) as n_up_to,
        sum(scored.n_pairs) over (
            partition by slate_id, scored.ranker, part_of, scored.score
        ) as n_equal
    from scored
    inner join place_total using (slate_id, part_of)
    where scored.n_pairs > 0
),

listed as (
    select
        *,
        greatest(least((n_listed - n_up_to + n_equal) / n_equal, 1), 0) as part
    from ranked
),

stratum as (
    select
        slate_id,
        evidence_window,
        population,
        disease_id,
        breadth_class,
        cast(sum(n_pairs) as double) as candidates,
        cast(sum(n_pair_hits) as double) as candidate_hits
    from cell
    group by all
)

select
    slate_id,
    listed.ranker,
    stratum.evidence_window,
    stratum.population,
    disease_id,
    breadth_class,
    stratum.candidates,
    sum(listed.part * listed.n_pairs order by listed.breadth) as listed_pairs,
    stratum.candidate_hits,
    sum(listed.part * listed.n_hits order by listed.breadth) as listed_hits
from listed
inner join stratum using (slate_id, disease_id, breadth_class)
where listed.part > 0
group by all
