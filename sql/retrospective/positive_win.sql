-- Title:   Wins of positives over candidates
-- Formula: 2 x candidates scored below a positive + candidates scored equal to it, summed over the
--          positives; by bins for lower bins, by comparison in a bin with few distinct scores of
--          positives, by running count over the sorted scores in a bin with many
-- Source:  METRICS section 3; the base of auc
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
),

sorted_score as (
    select
        candidate_score_bin.evaluation_id,
        candidate_score_bin.score_bin,
        candidate_score_bin.score,
        count(*) as n_candidates
    from candidate_score_bin
    inner join positive_bin using (evaluation_id, score_bin)
    where positive_bin.has_many_scores
    group by
        candidate_score_bin.evaluation_id,
        candidate_score_bin.score_bin,
        candidate_score_bin.score
),

running_score as (
    select
        evaluation_id,
        score,
        n_candidates,
        sum(n_candidates) over (
            partition by evaluation_id, score_bin
            order by score
        ) as n_candidates_up_to
    from sorted_score
)

select
    evaluation_id,
    'lower bins' as counting,
    sum(2 * positive_score.n_positive * score_bin_count.n_candidates_below) as n_half_wins
from positive_score
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
    'sorted' as counting,
    sum(
        positive_score.n_positive
        * (2 * running_score.n_candidates_up_to - running_score.n_candidates)
    ) as n_half_wins
from running_score
inner join positive_score using (evaluation_id, score)
group by evaluation_id
