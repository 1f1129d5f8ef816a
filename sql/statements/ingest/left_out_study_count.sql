-- Title:      The studies of a release that make no event, by what they are
-- Reads:      left_out_trial
-- Parameters: release_id
-- Note:       Of the studies that were new or changed; the most frequent kind first.
select
    study_kind as kind,
    count(*) as n_studies
from left_out_trial
where release_id = :release_id
group by study_kind
order by n_studies desc, kind asc
