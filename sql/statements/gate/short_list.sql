-- Title:      Diseases whose list a submission began and did not fill
-- Reads:      candidate, disease, labeled_pair, submission_row
-- Note:       of candidates and rows those count that are not known by the labels
with known as (
    select
        labeled_pair.disease_id,
        labeled_pair.drug_id
    from labeled_pair
    where labeled_pair.label_set_id = :label_set_id and labeled_pair.label > 0
),

candidate_count as (
    select
        candidate.disease_id,
        count(*) as n_candidates
    from candidate
    anti join known
        on candidate.disease_id = known.disease_id and candidate.drug_id = known.drug_id
    where candidate.candidate_set_id = :candidate_set_id
    group by candidate.disease_id
),

listed as (
    select
        disease_id,
        min(row_number) as first_row,
        count(*) as n_listed
    from submission_row
    group by disease_id
)

select
    listed.first_row as row_number,
    'disease_name' as column_name,
    concat(
        disease.name, ' has ', listed.n_listed,
        if(listed.n_listed = 1, ' novel prediction of ', ' novel predictions of '),
        least(candidate_count.n_candidates, cast(:top_k as integer)),
        '; fill the list, or leave the disease out'
    ) as message
from listed
inner join candidate_count using (disease_id)
inner join disease using (disease_id)
where listed.n_listed < least(candidate_count.n_candidates, cast(:top_k as integer))
