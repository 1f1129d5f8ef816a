-- Title:   AUC
-- Result:  Retrospective
-- Formula: probability that a random positive outscores a random negative, ties one half, over
--          all diseases together; = (half wins over candidates - n_positive^2) / (2 x n_positive x
--          n_negative), where the square takes out the wins of positives over positives
-- Source:  docs/metrics.md#auc; Hanley and McNeil 1982
-- Units:   fraction 0..1; NULL where a class is empty
-- Grain:   evaluation_id
with win_sum as (
    select
        evaluation_id,
        sum(n_half_wins) as n_half_wins
    from positive_win
    group by evaluation_id
),

class_count as (
    select
        evaluation_id,
        n_candidates,
        n_relevant_candidates,
        n_positive,
        coalesce(n_candidates - n_positive, 0) as n_negative
    from evaluation_count
)

select
    evaluation_id,
    class_count.n_positive,
    class_count.n_negative,
    (win_sum.n_half_wins - class_count.n_positive * class_count.n_positive)
    / nullif(2 * class_count.n_positive * class_count.n_negative, 0) as auc,
    case
        when class_count.n_candidates is null then 'the evaluation has no candidate set'
        when class_count.n_positive = 0 and class_count.n_relevant_candidates = 0
            then 'no candidate has a label above 0'
        when class_count.n_positive = 0
            then 'no candidate has a label as high as positive_min_label'
        when class_count.n_negative = 0 then 'every candidate is positive'
    end as reason
from class_count
left join win_sum using (evaluation_id)
