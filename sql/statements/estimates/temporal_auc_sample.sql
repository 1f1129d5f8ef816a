-- Title:      The classified pairs of a temporal run, as input for the intervals of its AUC
-- Reads:      temporal_class
-- Parameters: evaluation_id, ranker, cutoff_year
select
    score,
    approval_year,
    approval_year is not null as is_positive,
    disease_id
from temporal_class
where evaluation_id = :evaluation_id and ranker = :ranker and cutoff_year = :cutoff_year
order by disease_id, drug_id
