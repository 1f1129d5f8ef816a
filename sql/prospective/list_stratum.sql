-- Title:   What a stratum adds to the sums of the ratio
-- Formula: r = hits x others / candidates and s = other hits x predictions / candidates, of the
--          counts of stratum_count
-- Units:   hits; the rest as in stratum_count
-- Grain:   slate_id, list_number, disease_id, breadth_class
-- Stored:  evidence
select
    slate_id,
    list_number,
    disease_id,
    breadth_class,
    candidates,
    listed_pairs,
    candidate_hits,
    listed_hits,
    candidate_squares,
    listed_squares,
    n_candidate_hits,
    n_listed_hits,
    listed_hits * (candidates - listed_pairs) / candidates as r,
    (candidate_hits - listed_hits) * listed_pairs / candidates as s
from stratum_count
