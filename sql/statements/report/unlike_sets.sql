-- Title:      Whether two slates were frozen with unlike labels or candidates
-- Reads:      breadth_cell, slate_sets
-- Note:       candidates are unlike where a common disease has other numbers of them by breadth;
--             sets of equal pairs with other scores are not
with candidate_number as (
    select
        slate_id,
        disease_id,
        breadth,
        n_candidates
    from breadth_cell
    where slate_id in (:slate_id, :versus_slate_id)
),

common_disease as (
    select disease_id
    from candidate_number
    group by disease_id
    having count(distinct slate_id) = 2
),

unlike_cell as (
    select
        candidate_number.disease_id,
        candidate_number.breadth
    from candidate_number
    semi join common_disease on candidate_number.disease_id = common_disease.disease_id
    group by candidate_number.disease_id, candidate_number.breadth
    having
        count(*) < 2
        or min(candidate_number.n_candidates) < max(candidate_number.n_candidates)
)

select
    coalesce(own.label_set_id, 0) <> coalesce(other.label_set_id, 0) as has_other_labels,
    coalesce(own.candidate_set_id, 0) <> coalesce(other.candidate_set_id, 0)
    and (select count(*) from unlike_cell) > 0 as has_other_candidates
from slate_sets as own
cross join slate_sets as other
where own.slate_id = :slate_id and other.slate_id = :versus_slate_id
