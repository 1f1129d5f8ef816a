-- Title:   Candidates of a disease by breadth
-- Formula: candidates of the disease whose drug has the breadth, and how many of them are known
--          pairs, hits, or hits that are not known
-- Units:   counts; breadth and its class as in drug_breadth, known as in population 'novel'
-- Grain:   slate_id, disease_id, breadth
-- Stored:  evidence
with drug_group as materialized (
    -- Drugs of one breadth have a number that says of which slate they are.
    select
        slate_id,
        slate_sets.candidate_set_id,
        drug_breadth.drug_id,
        drug_breadth.breadth,
        drug_breadth.breadth_class,
        dense_rank() over (order by slate_id, drug_breadth.breadth) as group_number
    from slate_sets
    inner join drug_breadth using (slate_id)
),

pair_count as (
    select
        candidate.disease_id,
        drug_group.group_number,
        count(*) as n_candidates
    from candidate
    inner join drug_group using (candidate_set_id, drug_id)
    group by all
),

marked_count as (
    select
        marked.disease_id,
        drug_group.group_number,
        count(*) filter (where marked.is_known) as n_known,
        count(*) filter (where marked.is_hit) as n_hits,
        count(*) filter (where marked.is_hit and not marked.is_known) as n_novel_hits,
        count(*) filter (where marked.is_prospective_hit) as n_prospective_hits,
        count(*) filter (where marked.is_prospective_hit and not marked.is_known)
            as n_novel_prospective_hits
    from marked_candidate as marked
    inner join drug_group using (slate_id, drug_id)
    group by all
),

drug_number as (
    select distinct
        slate_id,
        breadth,
        breadth_class,
        group_number
    from drug_group
)

select
    drug_number.slate_id,
    pair_count.disease_id,
    drug_number.breadth,
    drug_number.breadth_class,
    pair_count.n_candidates,
    coalesce(marked_count.n_known, 0) as n_known,
    coalesce(marked_count.n_hits, 0) as n_hits,
    coalesce(marked_count.n_novel_hits, 0) as n_novel_hits,
    coalesce(marked_count.n_prospective_hits, 0) as n_prospective_hits,
    coalesce(marked_count.n_novel_prospective_hits, 0) as n_novel_prospective_hits
from pair_count
inner join drug_number using (group_number)
semi join prediction using (slate_id, disease_id)
left join marked_count using (disease_id, group_number)
