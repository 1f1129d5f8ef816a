-- Title:   Events of a slate's pairs, by which studies count
-- Formula: the events of slate_event, each by the plan; and those of a pair once more by another
--          setting where a study counts in one of the two alone: treatment alone, which a study
--          without a stated purpose may be, or every study
-- Units:   as in slate_event; study_setting is 'plan', 'treatment alone' or 'every study';
--          is_counted where the use counts in the setting, and of all that is no study
-- Grain:   slate_id, disease_id, drug_id, study_setting, event_id
with own_event as materialized (
    select *
    from slate_event
),

setting_use as materialized (
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
),

setting as (
    select distinct
        slate_id,
        study_setting
    from setting_use
    where study_setting <> 'plan'
),

-- A use that counts both in the setting and by the plan is there twice.
other_use as (
    select
        slate_id,
        setting.study_setting,
        setting_use.study_use
    from setting
    inner join setting_use using (slate_id)
    where setting_use.study_setting in (setting.study_setting, 'plan')
    group by slate_id, setting.study_setting, setting_use.study_use
    having count(*) = 1
),

other_pair as (
    select distinct
        slate_id,
        own_event.disease_id,
        own_event.drug_id,
        other_use.study_setting
    from own_event
    inner join other_use using (slate_id, study_use)
),

placed_event as (
    select
        *,
        'plan' as study_setting
    from own_event
    union all
    select
        own_event.*,
        other_pair.study_setting
    from own_event
    inner join other_pair using (slate_id, disease_id, drug_id)
)

select
    placed_event.slate_id,
    placed_event.disease_id,
    placed_event.drug_id,
    placed_event.study_setting,
    placed_event.event_id,
    placed_event.event_type,
    placed_event.phase,
    placed_event.event_date,
    placed_event.public_after,
    placed_event.public_by,
    placed_event.source,
    placed_event.release_id,
    placed_event.position,
    placed_event.record,
    placed_event.status,
    placed_event.stop_reason,
    placed_event.study_use,
    placed_event.dated_by,
    placed_event.reference_types,
    placed_event.has_several_conditions,
    placed_event.match_strength,
    placed_event.counted_from,
    placed_event.is_approval,
    placed_event.is_public_by_freeze,
    placed_event.labeled_phase,
    placed_event.study_use is null or setting_use.study_use is not null as is_counted
from placed_event
left join setting_use
    on
        placed_event.slate_id = setting_use.slate_id
        and placed_event.study_setting = setting_use.study_setting
        and placed_event.study_use = setting_use.study_use
