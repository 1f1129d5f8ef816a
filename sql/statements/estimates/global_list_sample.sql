-- Title:      The predictions that are on the global lists of a slate in some order of ties
-- Reads:      global_list_pair, matched_expectation, prediction
-- Parameters: slate_id
with lowest as (
    select
        evidence_window,
        population,
        min(score) as lowest_score
    from global_list_pair
    where slate_id = :slate_id
    group by evidence_window, population
)

select
    evidence_window,
    population,
    disease_id,
    drug_id,
    prediction.score,
    matched_expectation.is_hit,
    matched_expectation.expected_hits
from matched_expectation
inner join prediction using (slate_id, disease_id, drug_id)
inner join lowest using (evidence_window, population)
where matched_expectation.slate_id = :slate_id and prediction.score >= lowest.lowest_score
order by evidence_window asc, population asc, prediction.score desc, disease_id asc, drug_id asc
