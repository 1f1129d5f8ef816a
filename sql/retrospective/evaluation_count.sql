-- Title:   Counts of an evaluation
-- Formula: pairs and diseases of the candidate set, and how many of the labels are among them
-- Units:   counts; NULL candidate counts for an evaluation without a candidate set
-- Grain:   evaluation_id
with labeled_count as (
    select
        label_set_id,
        count(*) as n_labeled,
        count(*) filter (where label > 0) as n_relevant
    from labeled_pair
    group by label_set_id
),

match_count as (
    select
        evaluation_id,
        count(*) as n_relevant_candidates,
        count(*) filter (where is_positive) as n_positive,
        count(distinct disease_id) as n_relevant_diseases
    from labeled_candidate
    group by evaluation_id
),

disease_size as (
    select
        evaluation.evaluation_id,
        candidate.disease_id,
        count(*) as n_candidates
    from candidate
    inner join evaluation using (candidate_set_id)
    group by evaluation.evaluation_id, candidate.disease_id
),

candidate_count as (
    select
        evaluation_id,
        cast(sum(n_candidates) as bigint) as n_candidates,
        count(*) as n_diseases,
        count(*) filter (where n_candidates = 1) as n_single_candidate_diseases
    from disease_size
    group by evaluation_id
)

select
    evaluation_id,
    candidate_count.n_candidates,
    candidate_count.n_diseases,
    candidate_count.n_single_candidate_diseases,
    coalesce(labeled_count.n_labeled, 0) as n_labeled,
    coalesce(labeled_count.n_relevant, 0) as n_relevant,
    coalesce(match_count.n_relevant_candidates, 0) as n_relevant_candidates,
    coalesce(match_count.n_positive, 0) as n_positive,
    coalesce(match_count.n_relevant_diseases, 0) as n_relevant_diseases
from evaluation
left join candidate_count using (evaluation_id)
left join match_count using (evaluation_id)
left join labeled_count using (label_set_id)
