-- Title:   A release holds a study in one version
-- When:    audit
-- Grain:   nct_id, release_id
select
    nct_id,
    release_id,
    'the release holds the study more than once' as reason
from trial
group by nct_id, release_id
having count(*) > 1
