-- Title:   Candidates by disease and breadth group
-- Formula: candidates of the disease whose drug falls in the breadth decile or cohort, in the
--          decile of its positive breadth, or has the breadth itself, and how many are hits
-- Source:  docs/metrics.md#disease_breadth_count
-- Units:   counts; they add up to breadth_baseline over the diseases
-- Grain:   slate_id, evidence_window, population, disease_id, grouping_kind, breadth_group
with slate_disease as (
    select distinct
        slate_id,
        disease_id
    from prediction
),

-- One pass over the candidates: only marked pairs are distinguished; the rest are counted.
disease_group as (
    select
        slate_sets.slate_id,
        candidate.disease_id,
        drug_breadth.breadth_decile,
        drug_breadth.breadth_cohort,
        drug_breadth.positive_decile,
        drug_breadth.breadth,
        count(*) as n_pairs,
        count(*) filter (where marked_pair.is_known) as n_known,
        count(*) filter (where marked_pair.is_hit) as n_hits,
        count(*) filter (where marked_pair.is_hit and not marked_pair.is_known) as n_novel_hits,
        count(*) filter (where marked_pair.is_prospective_hit) as n_prospective_hits,
        count(*) filter (
            where marked_pair.is_prospective_hit and not marked_pair.is_known
        ) as n_novel_prospective_hits
    from slate_sets
    inner join candidate using (candidate_set_id)
    semi join slate_disease using (slate_id, disease_id)
    inner join drug_breadth using (slate_id, drug_id)
    left join marked_pair using (slate_id, disease_id, drug_id)
    group by
        slate_sets.slate_id,
        candidate.disease_id,
        drug_breadth.breadth_decile,
        drug_breadth.breadth_cohort,
        drug_breadth.positive_decile,
        drug_breadth.breadth
),

window_group as (
    select
        slate_id,
        disease_id,
        breadth_decile,
        breadth_cohort,
        positive_decile,
        breadth,
        unnest(['all', 'all', 'prospective', 'prospective']) as evidence_window,
        unnest(['all', 'novel', 'all', 'novel']) as population,
        unnest([n_pairs, n_pairs - n_known, n_pairs, n_pairs - n_known]) as n_candidates,
        unnest(
            [n_hits, n_novel_hits, n_prospective_hits, n_novel_prospective_hits]
        ) as n_candidate_hits
    from disease_group
),

grouping_member as (
    select
        slate_id,
        evidence_window,
        population,
        disease_id,
        unnest(['decile', 'cohort', 'positive_decile', 'breadth']) as grouping_kind,
        unnest([breadth_decile, breadth_cohort, positive_decile, breadth]) as breadth_group,
        n_candidates,
        n_candidate_hits
    from window_group
)

select
    slate_id,
    evidence_window,
    population,
    disease_id,
    grouping_kind,
    breadth_group,
    cast(sum(n_candidates) as bigint) as n_candidates,
    cast(sum(n_candidate_hits) as bigint) as n_candidate_hits
from grouping_member
group by slate_id, evidence_window, population, disease_id, grouping_kind, breadth_group
