-- Title:      The candidates of a slate's diseases that are hits
-- Reads:      candidate, disease_activity, drug_breadth, marked_pair, slate_sets
-- Parameters: slate_id
select
    marked_pair.disease_id,
    marked_pair.drug_id,
    drug_breadth.breadth,
    disease_activity.degree_class,
    marked_pair.is_known,
    marked_pair.is_hit,
    marked_pair.is_prospective_hit
from marked_pair
inner join slate_sets on marked_pair.slate_id = slate_sets.slate_id
inner join disease_activity
    on
        marked_pair.slate_id = disease_activity.slate_id
        and marked_pair.disease_id = disease_activity.disease_id
inner join drug_breadth
    on
        marked_pair.slate_id = drug_breadth.slate_id
        and marked_pair.drug_id = drug_breadth.drug_id
inner join candidate
    on
        slate_sets.candidate_set_id = candidate.candidate_set_id
        and marked_pair.disease_id = candidate.disease_id
        and marked_pair.drug_id = candidate.drug_id
where
    marked_pair.slate_id = :slate_id
    and (marked_pair.is_hit or marked_pair.is_prospective_hit)
order by marked_pair.disease_id, marked_pair.drug_id
