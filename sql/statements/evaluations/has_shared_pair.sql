-- Title:      Whether a candidate set and a label set share a pair
-- Reads:      candidate, labeled_pair
select
    exists(
        select 1
        from candidate
        inner join labeled_pair using (disease_id, drug_id)
        where
            candidate.candidate_set_id = :candidate_set_id
            and labeled_pair.label_set_id = :label_set_id
    ) as has_shared_pair
