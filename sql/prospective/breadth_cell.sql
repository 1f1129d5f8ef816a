-- Title:   Candidates of a disease by breadth
-- Formula: candidates of the disease whose drug has the breadth, and how many of them are known
--          pairs, hits, or hits that are not known
-- Source:  docs/metrics.md#breadth_cell
-- Units:   counts; breadth and its class as in drug_breadth, known as in population 'novel'
-- Grain:   slate_id, disease_id, breadth
with drug_class as (
    -- Drugs of one breadth are counted as one, whose number is the smallest of theirs.
    select
        slate_id,
        slate_sets.candidate_set_id,
        drug_breadth.drug_id,
        min(drug_breadth.drug_id) over (partition by slate_id, drug_breadth.breadth) as class_id
    from slate_sets
    inner join drug_breadth using (slate_id)
),

pair_count as (
    select
        drug_class.slate_id,
        candidate.disease_id,
        drug_class.class_id,
        count(*) as n_candidates
    from candidate
    inner join drug_class using (candidate_set_id, drug_id)
    group by all
),

marked_count as (
    select
        slate_id,
        marked.disease_id,
        drug_class.class_id,
        count(*) filter (where marked.is_known) as n_known,
        count(*) filter (where marked.is_hit) as n_hits,
        count(*) filter (where marked.is_hit and not marked.is_known) as n_novel_hits,
        count(*) filter (where marked.is_prospective_hit) as n_prospective_hits,
        count(*) filter (where marked.is_prospective_hit and not marked.is_known)
            as n_novel_prospective_hits
    from marked_candidate as marked
    inner join drug_class using (slate_id, drug_id)
    group by all
)

select
    pair_count.slate_id,
    pair_count.disease_id,
    drug_breadth.breadth,
    drug_breadth.breadth_class,
    pair_count.n_candidates,
    coalesce(marked_count.n_known, 0) as n_known,
    coalesce(marked_count.n_hits, 0) as n_hits,
    coalesce(marked_count.n_novel_hits, 0) as n_novel_hits,
    coalesce(marked_count.n_prospective_hits, 0) as n_prospective_hits,
    coalesce(marked_count.n_novel_prospective_hits, 0) as n_novel_prospective_hits
from pair_count
semi join prediction using (slate_id, disease_id)
left join marked_count using (slate_id, disease_id, class_id)
inner join drug_breadth
    on pair_count.slate_id = drug_breadth.slate_id and pair_count.class_id = drug_breadth.drug_id
