-- Title:   Lists without skill, as long as the primary tier
-- Formula: by disease the candidates of the broadest drugs (popularity), of highest
--          neighbour_score (nearest neighbours), known for most closely related diseases, by
--          nearness (related diseases), known pairs or any (random); over all diseases those of
--          highest breadth x n_known_pairs (degree product); of equals each is listed in like part
-- Units:   pairs and hits, of predictions also parts; window, population and tier are those of the
--          plan's primary endpoint
-- Grain:   slate_id, ranker, disease_id, breadth_class
-- Stored:  evidence
-- Portability: sums of decimal(38, 18) are the same whatever the number of threads
with place_total as (
    select
        slate_id,
        coalesce(pair_outcome.disease_id, 0) as part_of,
        count(*) as n_listed
    from pair_outcome
    inner join primary_endpoint using (slate_id, evidence_window)
    where
        (primary_endpoint.population = 'all' or pair_outcome.is_novel)
        and primary_endpoint.tier in (pair_outcome.tier, 'all')
    group by slate_id, grouping sets ((pair_outcome.disease_id), ())
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

informed_score as (
    select
        slate_id,
        'nearest neighbours' as ranker,
        disease_id,
        drug_id,
        score
    from neighbour_score
    union all
    select
        slate_id,
        'related diseases' as ranker,
        disease_id,
        drug_id,
        n_related_diseases as score
    from nearness
    where is_candidate and n_related_diseases > 0
),

informed_cell as (
    select
        slate_id,
        informed_score.ranker,
        disease_id,
        drug_breadth.breadth,
        drug_breadth.breadth_class,
        informed_score.score,
        count(*) as n_pairs,
        count(*) filter (
            where if(endpoint.evidence_window = 'all', marked.is_hit, marked.is_prospective_hit)
        ) as n_hits
    from informed_score
    inner join primary_endpoint as endpoint using (slate_id)
    inner join drug_breadth using (slate_id, drug_id)
    left join marked_candidate as marked using (slate_id, disease_id, drug_id)
    where endpoint.population = 'all' or not coalesce(marked.is_known, false)
    group by all
),

scored_total as (
    select
        slate_id,
        ranker,
        disease_id,
        breadth,
        sum(n_pairs) as n_pairs,
        sum(n_hits) as n_hits
    from informed_cell
    group by slate_id, ranker, disease_id, breadth
),

informed_list as (
    select distinct
        slate_id,
        ranker
    from informed_cell
),

-- Those without a score come last.
filtered_cell as (
    from informed_cell
    union all
    select
        slate_id,
        ranker,
        disease_id,
        breadth,
        cell.breadth_class,
        0 as score,
        cell.n_pairs - coalesce(scored_total.n_pairs, 0) as n_pairs,
        cell.n_pair_hits - coalesce(scored_total.n_hits, 0) as n_hits
    from cell
    inner join informed_list using (slate_id)
    left join scored_total using (slate_id, ranker, disease_id, breadth)
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
    union all
    select
        slate_id,
        disease_id,
        breadth,
        breadth_class,
        ranker,
        disease_id as part_of,
        score,
        n_pairs,
        n_hits
    from filtered_cell
),

placed_score as (
    select
        slate_id,
        ranker,
        part_of,
        score,
        sum(n_pairs) as n_equal,
        sum(sum(n_pairs)) over (partition by slate_id, ranker, part_of order by score desc)
        - sum(n_pairs) as n_before
    from scored
    group by slate_id, ranker, part_of, score
),

listed as (
    select
        scored.*,
        least((place_total.n_listed - placed_score.n_before) / placed_score.n_equal, 1) as part
    from scored
    inner join placed_score using (slate_id, ranker, part_of, score)
    inner join place_total using (slate_id, part_of)
    where scored.n_pairs > 0 and placed_score.n_before < place_total.n_listed
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
    cast(
        sum(cast(listed.part * listed.n_pairs as decimal(38, 18))) as double
    ) as listed_pairs,
    stratum.candidate_hits,
    cast(sum(cast(listed.part * listed.n_hits as decimal(38, 18))) as double) as listed_hits
from listed
inner join stratum using (slate_id, disease_id, breadth_class)
group by all
