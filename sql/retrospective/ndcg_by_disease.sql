-- Title:   NDCG by disease
-- Formula: sum of (2^label - 1) / log2(rank + 1) over the first k candidates, divided by the same
--          sum for the candidates in the order of their labels; ties in score rank by drug_id
-- Source:  docs/metrics.md#ndcg_by_disease; Burges et al. 2005 for the exponential gain
-- Units:   fraction 0..1; diseases without a labeled candidate above 0 are left out
-- Grain:   evaluation_id, disease_id, k
-- Bounds:  max(score, k) of the engine takes a k of at most 999999; from 1000000 on, every
--          candidate is ranked
with relevant_disease as (
    select
        evaluation_id,
        candidate_set_id,
        disease_id,
        count(*) as n_relevant
    from labeled_candidate
    group by evaluation_id, candidate_set_id, disease_id
),

-- The engine keeps the best scores of each disease; only candidates from the lowest up are ranked.
lowest as (
    select
        relevant_disease.evaluation_id,
        relevant_disease.candidate_set_id,
        candidate.disease_id,
        if(
            (select max(cutoff.k) from cutoff) < 1000000,
            list_min(max(candidate.score, (select least(max(cutoff.k), 999999) from cutoff))),
            min(candidate.score)
        ) as lowest_score
    from candidate
    inner join relevant_disease using (candidate_set_id, disease_id)
    group by relevant_disease.evaluation_id, relevant_disease.candidate_set_id, candidate.disease_id
),

contender as (
    select
        lowest.evaluation_id,
        candidate.disease_id,
        candidate.drug_id,
        row_number() over (
            partition by lowest.evaluation_id, candidate.disease_id
            order by candidate.score desc, candidate.drug_id asc
        ) as rank
    from candidate
    inner join lowest
        on
            candidate.candidate_set_id = lowest.candidate_set_id
            and candidate.disease_id = lowest.disease_id
            and candidate.score >= lowest.lowest_score
),

ranked_label as (
    select
        labeled_candidate.evaluation_id,
        labeled_candidate.disease_id,
        contender.rank,
        row_number() over (
            partition by labeled_candidate.evaluation_id, labeled_candidate.disease_id
            order by labeled_candidate.label desc, labeled_candidate.drug_id asc
        ) as ideal_rank,
        power(2, labeled_candidate.label) - 1 as gain
    from labeled_candidate
    left join contender using (evaluation_id, disease_id, drug_id)
),

gain_sum as (
    select
        ranked_label.evaluation_id,
        ranked_label.disease_id,
        cutoff.k,
        count(*) as n_relevant,
        count(*) filter (where ranked_label.rank <= cutoff.k) as n_relevant_in_first_k,
        coalesce(
            sum(ranked_label.gain / log2(ranked_label.rank + 1) order by ranked_label.rank)
            filter (where ranked_label.rank <= cutoff.k),
            0
        ) as dcg,
        sum(ranked_label.gain / log2(ranked_label.ideal_rank + 1) order by ranked_label.ideal_rank)
        filter (where ranked_label.ideal_rank <= cutoff.k) as ideal_dcg
    from ranked_label
    cross join cutoff
    group by ranked_label.evaluation_id, ranked_label.disease_id, cutoff.k
)

select
    evaluation_id,
    disease_id,
    k,
    n_relevant,
    n_relevant_in_first_k,
    dcg,
    ideal_dcg,
    dcg / nullif(ideal_dcg, 0) as ndcg
from gain_sum
