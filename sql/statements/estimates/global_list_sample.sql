-- Title:      The predictions that are on the global lists of a slate in some order of ties
-- Reads:      global_list_pair, population_pair
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
    population_pair.disease_id,
    population_pair.drug_id,
    population_pair.score,
    population_pair.is_hit
from population_pair
inner join lowest using (evidence_window, population)
where population_pair.slate_id = :slate_id and population_pair.score >= lowest.lowest_score
order by
    evidence_window asc,
    population asc,
    population_pair.score desc,
    population_pair.disease_id asc,
    population_pair.drug_id asc
