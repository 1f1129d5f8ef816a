-- Title:      The pairs of sealed candidate sets
-- Reads:      files
-- Note:       The key of the set is in the names of the folders, so that the files of other sets
--             are not opened.
select
    candidate_set_id,
    disease_id,
    drug_id,
    score
from
    read_parquet(
        :parts,
        hive_partitioning = true,
        hive_types = { 'candidate_set_id': integer }
    )
