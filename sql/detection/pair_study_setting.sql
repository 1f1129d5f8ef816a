-- Title:   Pairs that a setting of studies can change
-- Formula: pairs with an event of a study that counts by the plan and not in the setting, or the
--          other way round
-- Units:   study_setting as in setting_event, but not 'plan'
-- Grain:   slate_id, disease_id, drug_id, study_setting
select distinct
    slate_id,
    disease_id,
    drug_id,
    study_setting
from setting_event
where study_setting <> 'plan'
