-- Title:   Performance by disease
-- Result:  Diseases and drugs
-- Formula: hits / predictions of the disease, compared with the rate expected from breadth deciles
-- Units:   fractions 0..1 and a ratio; the deciles' baselines are those of the whole slate
-- Grain:   slate_id, evidence_window, population, disease_id
with disease_count as (
    select
        slate_id,
        evidence_window,
        disease_id,
        unnest(['all', 'novel']) as population,
        unnest([count(*), count(*) filter (where is_novel)]) as n_predictions,
        unnest([
            count(*) filter (where has_any_outcome),
            count(*) filter (where is_novel and has_any_outcome)
        ]) as n_with_any_outcome,
        unnest([
            count(*) filter (where is_hit), count(*) filter (where is_novel and is_hit)
        ]) as n_hits
    from pair_outcome
    group by slate_id, evidence_window, disease_id
),

disease_group as (
    select
        slate_id,
        population,
        disease_id,
        breadth_group as breadth_decile,
        cast(sum(n_predictions) as bigint) as n_predictions
    from breadth_prediction_count
    where grouping_kind = 'decile'
    group by slate_id, population, disease_id, breadth_group
),

expected as (
    select
        slate_id,
        popularity_baseline.evidence_window,
        population,
        disease_group.disease_id,
        sum(
            disease_group.n_predictions * popularity_baseline.n_candidate_hits
            / popularity_baseline.n_candidates
            order by breadth_decile
        ) as expected_hits,
        sum(disease_group.n_predictions) as n_matched
    from disease_group
    inner join popularity_baseline using (slate_id, population, breadth_decile)
    where popularity_baseline.n_candidates > 0
    group by slate_id, popularity_baseline.evidence_window, population, disease_group.disease_id
),

-- Expected hits are known only where every prediction has candidates of its breadth.
known as (
    select
        disease_count.*,
        if(expected.n_matched = disease_count.n_predictions, expected.expected_hits, null)
            as expected_hits
    from disease_count
    left join expected using (slate_id, evidence_window, population, disease_id)
)

select
    slate_id,
    known.evidence_window,
    known.population,
    known.disease_id,
    known.n_predictions,
    known.n_with_any_outcome,
    known.n_hits,
    known.n_hits / nullif(known.n_predictions, 0) as hit_rate,
    known.expected_hits / nullif(known.n_predictions, 0) as expected_hit_rate,
    hit_rate / nullif(expected_hit_rate, 0) as enrichment_vs_popularity,
    case
        when known.n_predictions = 0 then 'no predictions of this population'
        when slate_sets.reason is not null then slate_sets.reason
        when known.expected_hits is null
            then 'a prediction has no candidates of its breadth to compare with'
        when known.expected_hits = 0 then 'no candidate of the same breadth is a hit'
    end as reason
from known
inner join slate_sets using (slate_id)
