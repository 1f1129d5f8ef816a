-- Title:   Events of a slate's pairs, by which studies count
-- Formula: the events of slate_event, each by the plan; and those of a pair once more by another
--          setting where a study counts in one of the two alone
-- Source:  docs/metrics.md#setting_event
-- Units:   as in slate_event; study_setting as in study_setting; is_counted where the use counts in
--          the setting, and of all that is no study
-- Grain:   slate_id, disease_id, drug_id, study_setting, event_id
with own_event as materialized (
    select *
    from slate_event
),

setting_use as materialized (
    select *
    from study_setting
),

setting as (
    select distinct
        slate_id,
        study_setting
    from setting_use
),

judged_event as (
    select
        own_event.*,
        setting.study_setting,
        own_event.study_use is null or setting_use.study_use is not null as is_counted
    from own_event
    inner join setting using (slate_id)
    left join setting_use
        on
            own_event.slate_id = setting_use.slate_id
            and setting.study_setting = setting_use.study_setting
            and own_event.study_use = setting_use.study_use
),

compared_event as (
    select
        *,
        bool_or(is_counted and study_setting = 'plan') over (
            partition by slate_id, disease_id, drug_id, event_id
        ) as is_planned
    from judged_event
)

select
    slate_id,
    disease_id,
    drug_id,
    study_setting,
    event_id,
    event_type,
    phase,
    event_date,
    public_after,
    public_by,
    source,
    release_id,
    position,
    record,
    status,
    stop_reason,
    study_use,
    match_strength,
    counted_from,
    is_approval,
    is_public_by_freeze,
    labeled_phase,
    is_counted
from compared_event
qualify
    study_setting = 'plan'
    or bool_or(is_counted <> is_planned) over (
        partition by slate_id, disease_id, drug_id, study_setting
    )
