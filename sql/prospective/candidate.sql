-- Title:   Scored pairs
-- Formula: the pairs of every candidate set, kept in the store or sealed in files
-- Units:   score as the model gave it
-- Grain:   candidate_set_id, disease_id, drug_id
-- Note:    where sets are sealed, the view of a store reads their files, too; a query for one set
--          opens its files alone, and one for a disease only the row groups that have it
select
    candidate_set_id,
    disease_id,
    drug_id,
    score
from stored_candidate
