-- Title:   Candidates and candidate hits by drug
-- Formula: candidates of the slate's diseases, in the slate or not, and how many of them are hits
-- Source:  docs/metrics.md#candidate_drug_count
-- Units:   counts
-- Grain:   slate_id, evidence_window, population, drug_id
with slate_disease as (
    select distinct
        slate_id,
        slate_sets.candidate_set_id,
        prediction.disease_id
    from prediction
    inner join slate_sets using (slate_id)
),

pair_count as (
    select
        slate_disease.slate_id,
        candidate.drug_id,
        count(*) as n_pairs
    from candidate
    inner join slate_disease using (candidate_set_id, disease_id)
    group by slate_disease.slate_id, candidate.drug_id
),

-- Few candidates are marked.
marked_count as (
    select
        slate_id,
        marked_candidate.drug_id,
        count(*) filter (where marked_candidate.is_known) as n_known,
        count(*) filter (where marked_candidate.is_hit) as n_hits,
        count(*) filter (
            where marked_candidate.is_hit and not marked_candidate.is_known
        ) as n_novel_hits,
        count(*) filter (where marked_candidate.is_prospective_hit) as n_prospective_hits,
        count(*) filter (
            where marked_candidate.is_prospective_hit and not marked_candidate.is_known
        ) as n_novel_prospective_hits
    from marked_candidate
    semi join slate_disease using (slate_id, disease_id)
    group by slate_id, marked_candidate.drug_id
),

drug_count as (
    select
        slate_id,
        drug_id,
        pair_count.n_pairs,
        coalesce(marked_count.n_known, 0) as n_known,
        coalesce(marked_count.n_hits, 0) as n_hits,
        coalesce(marked_count.n_novel_hits, 0) as n_novel_hits,
        coalesce(marked_count.n_prospective_hits, 0) as n_prospective_hits,
        coalesce(marked_count.n_novel_prospective_hits, 0) as n_novel_prospective_hits
    from pair_count
    left join marked_count using (slate_id, drug_id)
)

select
    slate_id,
    drug_id,
    unnest(['all', 'all', 'prospective', 'prospective']) as evidence_window,
    unnest(['all', 'novel', 'all', 'novel']) as population,
    unnest([n_pairs, n_pairs - n_known, n_pairs, n_pairs - n_known]) as n_candidates,
    unnest(
        [n_hits, n_novel_hits, n_prospective_hits, n_novel_prospective_hits]
    ) as n_candidate_hits
from drug_count
