-- Title:   A number of a study comes from a known release and is stated once
-- When:    audit
-- Grain:   nct_id, number
select
    study_number.nct_id,
    study_number.number,
    'the release is unknown, or the number occurs more than once' as reason
from study_number
left join release using (release_id)
group by study_number.nct_id, study_number.number
having count(*) > 1 or count(release.release_id) = 0
