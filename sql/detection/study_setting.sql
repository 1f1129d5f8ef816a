-- Title:   Settings of which studies count
-- Formula: the uses that count by the slate's plan; treatment alone, which a study without a stated
--          purpose may be; and those of every study
-- Units:   study_setting is 'plan', 'treatment alone' or 'every study'; study_use as in study_use
-- Grain:   slate_id, study_setting, study_use
select
    slate_id,
    'plan' as study_setting,
    study_use
from slate_study_use
union all
select
    slate.slate_id,
    setting.study_setting,
    study_use.study_use
from slate
cross join (values ('treatment alone'), ('every study')) as setting (study_setting)
inner join study_use
    on
        setting.study_setting = 'every study'
        or study_use.study_use in ('treatment', 'not stated')
