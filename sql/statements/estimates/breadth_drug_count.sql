-- Title:      The candidate drugs of a slate by breadth
-- Reads:      candidate_drug_count, drug_breadth
-- Parameters: slate_id
select
    candidate_drug_count.population,
    drug_breadth.breadth,
    count(*) as n_drugs
from candidate_drug_count
inner join drug_breadth using (slate_id, drug_id)
where
    slate_id = :slate_id
    and candidate_drug_count.evidence_window = 'all'
    and candidate_drug_count.n_candidates > 0
group by candidate_drug_count.population, drug_breadth.breadth
order by candidate_drug_count.population, drug_breadth.breadth
