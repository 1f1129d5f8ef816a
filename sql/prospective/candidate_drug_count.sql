-- Title:   Candidates and candidate hits by drug
-- Formula: candidates of the slate's diseases, in the slate or not, and how many of them are hits
-- Units:   counts
-- Grain:   slate_id, evidence_window, population, drug_id
-- Stored:  evidence
with predicted_disease as (
    select distinct
        slate_id,
        disease_id
    from prediction
),

slate_disease as (
    -- Millions of pairs are counted by a number faster than by an identifier.
    select
        slate_id,
        slate_sets.candidate_set_id,
        predicted_disease.disease_id,
        dense_rank() over (order by slate_id) as slate_number
    from predicted_disease
    inner join slate_sets using (slate_id)
),

pair_count as (
    select
        any_value(slate_disease.slate_id) as slate_id,
        candidate.drug_id,
        count(*) as n_pairs
    from candidate
    inner join slate_disease using (candidate_set_id, disease_id)
    group by slate_disease.slate_number, candidate.drug_id
),

-- Few candidates are marked.
marked_count as (
    select
        slate_id,
        marked.drug_id,
        count(*) filter (where marked.is_known) as n_known,
        count(*) filter (where marked.is_hit) as n_hits,
        count(*) filter (where marked.is_hit and not marked.is_known) as n_novel_hits,
        count(*) filter (where marked.is_prospective_hit) as n_prospective_hits,
        count(*) filter (where marked.is_prospective_hit and not marked.is_known)
            as n_novel_prospective_hits
    from marked_candidate as marked
    semi join prediction using (slate_id, disease_id)
    group by slate_id, marked.drug_id
)

select
    slate_id,
    drug_id,
    unnest(['all', 'all', 'prospective', 'prospective']) as evidence_window,
    unnest(['all', 'novel', 'all', 'novel']) as population,
    unnest([
        pair_count.n_pairs,
        pair_count.n_pairs - coalesce(marked_count.n_known, 0),
        pair_count.n_pairs,
        pair_count.n_pairs - coalesce(marked_count.n_known, 0)
    ]) as n_candidates,
    coalesce(
        unnest([
            marked_count.n_hits,
            marked_count.n_novel_hits,
            marked_count.n_prospective_hits,
            marked_count.n_novel_prospective_hits
        ]),
        0
    ) as n_candidate_hits
from pair_count
left join marked_count using (slate_id, drug_id)
