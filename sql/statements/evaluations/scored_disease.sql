-- Title:      Diseases that a temporal run has scored
-- Reads:      temporal_score
select distinct disease_id
from temporal_score
where evaluation_id = :evaluation_id and ranker = :ranker and cutoff_year = :cutoff_year
