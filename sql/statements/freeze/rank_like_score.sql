-- Title:      Whether the scores of a slate's candidates are the numbers from 1 of each disease
-- Reads:      candidate, prediction
-- Note:       Of n candidates the scores 1 to n have the sum n (n + 1) / 2 and the sum of squares
--             n (n + 1) (2 n + 1) / 6; both are exact for whole numbers, and no order is needed.
--             longest is the largest n.
with disease_score as (
    select
        count(*) as n,
        bool_and(score = floor(score)) and min(score) = 1 and max(score) = count(*) as is_whole,
        sum(score) as total,
        sum(score * score) as total_of_squares
    from candidate
    where
        candidate_set_id = :candidate_set_id
        and disease_id in (
            select prediction.disease_id
            from prediction
            where prediction.slate_id = :slate_id
        )
    group by disease_id
)

select
    coalesce(
        bool_and(
            is_whole
            and 2 * total = n * (n + 1)
            and 6 * total_of_squares = n * (n + 1) * (2 * n + 1)
        ),
        false
    ) as is_ranked,
    coalesce(max(n), 0) as longest
from disease_score
