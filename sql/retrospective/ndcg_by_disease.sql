-- Title:   NDCG by disease
-- Result:  Retrospective
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

mean_term as (
    select
        evaluation_id,
        disease_id,
        list(
            struct_pack(rank := rank, gain := mean_gain / log2(rank + 1)) order by rank
        ) as mean_terms
    from rank_gain
    group by evaluation_id, disease_id
),

-- Terms are put in order once for all cutoffs: to sort them takes longer than to add them.
label_term as (
    select
        evaluation_id,
        disease_id,
        list(
            struct_pack(place := place, n_tied := n_tied) order by place
        ) filter (where place is not null) as places,
        list(
            struct_pack(rank := optimistic_rank, gain := gain / log2(optimistic_rank + 1))
            order by optimistic_rank
        ) as optimistic_terms,
        list(
            struct_pack(rank := pessimistic_rank, gain := gain / log2(pessimistic_rank + 1))
            order by pessimistic_rank
        ) as pessimistic_terms,
        list(
            struct_pack(rank := ideal_rank, gain := gain / log2(ideal_rank + 1))
            order by ideal_rank
        ) as ideal_terms,
        count(*) as n_relevant
    from ranked_label
    group by evaluation_id, disease_id
),

term_list as (
    select
        label_term.*,
        mean_term.mean_terms,
        cutoff.k
    from label_term
    left join mean_term using (evaluation_id, disease_id)
    cross join cutoff
),

gain_sum as (
    select
        evaluation_id,
        disease_id,
        k,
        n_relevant,
        coalesce(
            list_sum(list_transform(
                places,
                lambda one:
                least(
                    greatest(k + 1 - struct_extract(one, 'place'), 0),
                    struct_extract(one, 'n_tied')
                )
                / struct_extract(one, 'n_tied')
            )),
            0
        ) as relevant_in_first_k,
        coalesce(
            list_sum(list_transform(
                list_filter(mean_terms, lambda one: struct_extract(one, 'rank') <= k),
                lambda one: struct_extract(one, 'gain')
            )),
            0
        ) as dcg,
        coalesce(
            list_sum(list_transform(
                list_filter(optimistic_terms, lambda one: struct_extract(one, 'rank') <= k),
                lambda one: struct_extract(one, 'gain')
            )),
            0
        ) as dcg_optimistic,
        coalesce(
            list_sum(list_transform(
                list_filter(pessimistic_terms, lambda one: struct_extract(one, 'rank') <= k),
                lambda one: struct_extract(one, 'gain')
            )),
            0
        ) as dcg_pessimistic,
        list_sum(list_transform(
            list_filter(ideal_terms, lambda one: struct_extract(one, 'rank') <= k),
            lambda one: struct_extract(one, 'gain')
        )) as ideal_dcg
    from term_list
)

select
    evaluation_id,
    disease_id,
    k,
    n_relevant,
    relevant_in_first_k,
    dcg,
    ideal_dcg,
    dcg / nullif(ideal_dcg, 0) as ndcg,
    dcg_optimistic / nullif(ideal_dcg, 0) as ndcg_optimistic,
    dcg_pessimistic / nullif(ideal_dcg, 0) as ndcg_pessimistic
from gain_sum
