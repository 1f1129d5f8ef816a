-- Title:      The medicines of a release that make no event, by what they are
-- Reads:      left_out_medicine
-- Note:       Of the medicines that were new or changed; the most frequent kind first.
select
    medicine_kind as kind,
    count(*) as n_medicines
from left_out_medicine
where release_id = :release_id
group by medicine_kind
order by n_medicines desc, kind asc
