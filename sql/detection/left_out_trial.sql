-- Title:   Studies that make no event
-- Result:  Evidence and matching
-- Formula: versions of studies that are not interventional, or state no type, with what they are
-- Units:   study_kind is the registry's type of study in words; of expanded access, also whether it
--          has ended since the drug was approved for marketing
-- Grain:   trial_id
select
    trial_id,
    release_id,
    nct_id,
    case
        when overall_status = 'APPROVED_FOR_MARKETING'
            then 'expanded access, approved for marketing'
        else coalesce(lower(replace(study_type, '_', ' ')), 'of no stated type')
    end as study_kind
from trial
where study_type is distinct from 'INTERVENTIONAL'
