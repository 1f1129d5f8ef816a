-- Title:   Pairs that a setting of studies can change
-- Formula: pairs with an event of a study that counts by the plan and not in the setting, or the
--          other way round
-- Source:  docs/metrics.md#pair_study_setting
-- Units:   study_setting as in study_setting, but not 'plan'
-- Grain:   slate_id, disease_id, drug_id, study_setting
with setting as (
    select distinct
        slate_id,
        study_setting
    from study_setting
    where study_setting <> 'plan'
)

select distinct
    slate_event.slate_id,
    slate_event.disease_id,
    slate_event.drug_id,
    setting.study_setting
from slate_event
inner join setting on slate_event.slate_id = setting.slate_id
left join study_setting as planned
    on
        slate_event.slate_id = planned.slate_id
        and slate_event.study_use = planned.study_use
        and planned.study_setting = 'plan'
left join study_setting as other
    on
        slate_event.slate_id = other.slate_id
        and slate_event.study_use = other.study_use
        and setting.study_setting = other.study_setting
where
    slate_event.study_use is not null
    and (planned.study_use is null) <> (other.study_use is null)
