-- Title:   A release contains one version of a study, of its history each version once
-- When:    audit
-- Grain:   nct_id, release_id, version_number
select
    nct_id,
    release_id,
    version_number,
    'the release contains the study more than once' as reason
from trial
group by nct_id, release_id, version_number
having count(*) > 1
