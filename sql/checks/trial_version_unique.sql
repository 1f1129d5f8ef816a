-- Title:   A release contains one version of a study
-- When:    audit
-- Grain:   nct_id, release_id
select
    nct_id,
    release_id,
    'the release contains the study more than once' as reason
from trial
group by nct_id, release_id
having count(*) > 1
