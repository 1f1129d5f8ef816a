-- Title:   NDCG by disease
-- Formula: sum of (2^label - 1) / log2(rank + 1) over the first k candidates, divided by the same
--          sum for the candidates in the order of their labels; ndcg and relevant_in_first_k are
--          means over all orders of equal scores, which give each rank of a tie the mean gain of
--          the tie; ndcg_optimistic has the higher labels of a tie first, ndcg_pessimistic last
-- Source:  docs/metrics.md#ndcg_by_disease; McSherry and Najork 2008 for ties; Burges et al. 2005
--          for the exponential gain
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

tied_score as (
    select distinct
        candidate_set_id,
        disease_id,
        score
    from placed_label
    where is_tied
),

-- Only scores that a labeled candidate shares with another are counted.
tie_size as (
    select
        candidate_set_id,
        disease_id,
        score,
        count(*) as n_equal
    from candidate
    inner join tied_score using (candidate_set_id, disease_id, score)
    group by candidate_set_id, disease_id, score
),

-- A tie has the ranks from place to place + n_tied - 1.
ranked_label as (
    select
        placed_label.evaluation_id,
        placed_label.disease_id,
        placed_label.place,
        coalesce(tie_size.n_equal, 1) as n_tied,
        row_number() over by_label as ideal_rank,
        placed_label.place - 1 + row_number() over by_label_in_tie as optimistic_rank,
        placed_label.place + n_tied - row_number() over by_label_in_tie as pessimistic_rank,
        power(2, placed_label.label) - 1 as gain
    from placed_label
    left join tie_size using (candidate_set_id, disease_id, score)
    window
        by_label as (
            partition by placed_label.evaluation_id, placed_label.disease_id
            order by placed_label.label desc, placed_label.drug_id asc
        ),
        by_label_in_tie as (
            partition by placed_label.evaluation_id, placed_label.disease_id, placed_label.score
            order by placed_label.label desc, placed_label.drug_id asc
        )
),

-- The mean gain of a tie is the same term at each of its ranks, so that an order as good as the
-- ideal one has the ideal sum to the last bit.
rank_gain as (
    select
        evaluation_id,
        disease_id,
        unnest(range(
            place,
            least(place + any_value(n_tied), (select max(cutoff.k) + 1 from cutoff))
        )) as rank,
        sum(gain) / any_value(n_tied) as mean_gain
    from ranked_label
    where place is not null
    group by evaluation_id, disease_id, place
),

mean_sum as (
    select
        rank_gain.evaluation_id,
        rank_gain.disease_id,
        cutoff.k,
        sum(rank_gain.mean_gain / log2(rank_gain.rank + 1) order by rank_gain.rank) as dcg
    from rank_gain
    inner join cutoff on rank_gain.rank <= cutoff.k
    group by rank_gain.evaluation_id, rank_gain.disease_id, cutoff.k
),

gain_sum as (
    select
        ranked_label.evaluation_id,
        ranked_label.disease_id,
        cutoff.k,
        count(*) as n_relevant,
        coalesce(
            sum(
                least(greatest(cutoff.k + 1 - ranked_label.place, 0), ranked_label.n_tied)
                / ranked_label.n_tied
                order by ranked_label.place
            ),
            0
        ) as relevant_in_first_k,
        coalesce(
            sum(
                ranked_label.gain / log2(ranked_label.optimistic_rank + 1)
                order by ranked_label.optimistic_rank
            ) filter (where ranked_label.optimistic_rank <= cutoff.k),
            0
        ) as dcg_optimistic,
        coalesce(
            sum(
                ranked_label.gain / log2(ranked_label.pessimistic_rank + 1)
                order by ranked_label.pessimistic_rank
            ) filter (where ranked_label.pessimistic_rank <= cutoff.k),
            0
        ) as dcg_pessimistic,
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
    gain_sum.n_relevant,
    gain_sum.relevant_in_first_k,
    coalesce(mean_sum.dcg, 0) as dcg,
    gain_sum.ideal_dcg,
    coalesce(mean_sum.dcg, 0) / nullif(gain_sum.ideal_dcg, 0) as ndcg,
    gain_sum.dcg_optimistic / nullif(gain_sum.ideal_dcg, 0) as ndcg_optimistic,
    gain_sum.dcg_pessimistic / nullif(gain_sum.ideal_dcg, 0) as ndcg_pessimistic
from gain_sum
left join mean_sum using (evaluation_id, disease_id, k)
