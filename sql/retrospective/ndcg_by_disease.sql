-- Title:   NDCG by disease
-- Formula: sum of (2^label - 1) / log2(rank + 1) over the first k candidates, divided by the same
--          sum for the candidates in the order of their labels; ties in score rank by drug_id
-- Source:  docs/metrics.md#ndcg_by_disease; Burges et al. 2005 for the exponential gain
-- Units:   fraction 0..1; diseases without a labeled candidate above 0 are left out
-- Grain:   evaluation_id, disease_id, k
-- Bounds:  max(score, k) of the engine takes a k of at most 999999, one more than a cutoff of
--          999998; above that, every score of the disease is listed
with relevant_set as (
    select distinct candidate_set_id from labeled_candidate
),

relevant_disease as (
    select distinct disease_id from labeled_candidate
),

-- The engine keeps the best scores of each disease, highest first, and one more than the largest k:
-- the place of a score among them is its rank, unless the next one is equal. Joins on one column
-- each are cheaper than one on both, which is made below.
best as (
    select
        candidate_set_id,
        disease_id,
        coalesce(
            list(candidate.score order by candidate.score desc)
            filter (where (select max(cutoff.k) from cutoff) >= 999999),
            max(candidate.score, (select least(max(cutoff.k), 999998) + 1 from cutoff))
        ) as scores
    from candidate
    inner join relevant_set using (candidate_set_id)
    inner join relevant_disease using (disease_id)
    group by candidate_set_id, disease_id
),

placed_label as (
    select
        labeled_candidate.evaluation_id,
        labeled_candidate.candidate_set_id,
        labeled_candidate.disease_id,
        labeled_candidate.drug_id,
        labeled_candidate.score,
        labeled_candidate.label,
        list_position(best.scores, labeled_candidate.score) as place,
        coalesce(
            best.scores[list_position(best.scores, labeled_candidate.score) + 1]
            = labeled_candidate.score,
            false
        ) as is_tied
    from labeled_candidate
    inner join best using (candidate_set_id, disease_id)
),

tie_count as (
    select
        placed_label.evaluation_id,
        placed_label.disease_id,
        placed_label.drug_id,
        count(*) as n_before
    from candidate
    inner join placed_label
        on
            candidate.candidate_set_id = placed_label.candidate_set_id
            and candidate.disease_id = placed_label.disease_id
            and candidate.score = placed_label.score
            and candidate.drug_id < placed_label.drug_id
    where placed_label.is_tied
    group by placed_label.evaluation_id, placed_label.disease_id, placed_label.drug_id
),

ranked_label as (
    select
        placed_label.evaluation_id,
        placed_label.disease_id,
        placed_label.place + coalesce(tie_count.n_before, 0) as rank,
        row_number() over (
            partition by placed_label.evaluation_id, placed_label.disease_id
            order by placed_label.label desc, placed_label.drug_id asc
        ) as ideal_rank,
        power(2, placed_label.label) - 1 as gain
    from placed_label
    left join tie_count using (evaluation_id, disease_id, drug_id)
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
