-- Title:   Wins of positives over candidates
-- Formula: 2 x candidates scored below a positive + candidates scored equal to it, summed over the
--          positives; in a bin with few distinct scores of positives, by bins for lower bins and by
--          comparison within the bin; in a bin with many, by search for each score
-- Source:  docs/metrics.md#positive_win
-- Units:   half wins, whole numbers; a positive is a candidate too and ties with itself
-- Grain:   evaluation_id, counting
with few_score as (
    select
        positive_score.evaluation_id,
        positive_score.score_bin,
        positive_score.score,
        positive_score.n_positive
    from positive_score
    inner join positive_bin using (evaluation_id, score_bin)
    where not positive_bin.has_many_scores
)

select
    evaluation_id,
    'lower bins' as counting,
    sum(2 * few_score.n_positive * score_bin_count.n_candidates_below) as n_half_wins
from few_score
inner join score_bin_count using (evaluation_id, score_bin)
group by evaluation_id
union all
select
    evaluation_id,
    'compared' as counting,
    sum(case
        when candidate_score_bin.score < few_score.score then 2 * few_score.n_positive
        when candidate_score_bin.score = few_score.score then few_score.n_positive
        else 0
    end) as n_half_wins
from candidate_score_bin
inner join few_score using (evaluation_id, score_bin)
group by evaluation_id
union all
select
    evaluation_id,
    'searched' as counting,
    sum(n_positive * (2 * n_below + n_tied)) as n_half_wins
from crowded_score_count
group by evaluation_id
