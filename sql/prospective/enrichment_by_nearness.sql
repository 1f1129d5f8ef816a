-- Title:   Enrichment by nearness
-- Result:  Hit rates and enrichment
-- Formula: enrichment_vs_matched of the primary endpoint's tier and window in each class of
--          nearness, beside the other candidates of the class alone, near-known ones beside those
--          as near; hit rate = hits / predictions
-- Units:   nearness is 'known' (in population 'all'), 'near-known', 'new' or 'unplaced' (in that of
--          the endpoint); ratio, as in enrichment_vs_matched, NULL for 'unplaced'; hit rate 0..1; a
--          class without predictions has no row, nor has a slate without pairs of nearness
-- Grain:   slate_id, nearness
with class_pair as (
    select
        slate_id,
        evidence_window,
        primary_endpoint.population,
        primary_endpoint.tier,
        case
            when not pair_outcome.is_novel then 'known'
            when near.closeness is not null then 'near-known'
            when placed_disease.has_relatives then 'new'
            else 'unplaced'
        end as nearness,
        disease_id,
        pair_outcome.is_hit
    from pair_outcome
    inner join primary_endpoint using (slate_id, evidence_window)
    inner join placed_disease using (slate_id, disease_id)
    semi join nearness using (slate_id)
    left join nearness as near using (slate_id, disease_id, drug_id)
    where primary_endpoint.tier in (pair_outcome.tier, 'all')
),

class_count as (
    select
        slate_id,
        evidence_window,
        if(nearness = 'known', 'all', population) as population,
        tier,
        nearness,
        count(distinct disease_id) as n_diseases,
        count(*) as n_predictions,
        count(*) filter (where is_hit) as n_hits
    from class_pair
    group by slate_id, evidence_window, population, tier, nearness
)

select
    class_count.slate_id,
    class_count.nearness,
    class_count.evidence_window,
    class_count.population,
    class_count.tier,
    ratio.list_number,
    class_count.n_diseases,
    class_count.n_predictions,
    class_count.n_hits,
    class_count.n_hits / class_count.n_predictions as hit_rate,
    ratio.expected_hits,
    ratio.ratio as enrichment_vs_matched,
    ratio.own_share,
    if(
        class_count.nearness = 'unplaced',
        'the vocabulary has no relatives of their diseases, so that what is near is not known',
        ratio.reason
    ) as reason
from class_count
left join stratified_ratio as ratio
    on
        class_count.slate_id = ratio.slate_id
        and ratio.list_kind = 'nearness'
        and class_count.nearness = ratio.list_name
