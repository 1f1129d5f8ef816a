-- Title:   Pairs with an event, by which studies count
-- Formula: a pair's outcomes in the window, folded into one row; a pair is a hit if one of them has
--          a high signal and, in the window 'prospective', came by the end of the horizon; it is a
--          later hit if all that have one came after it
-- Units:   first_event_date is the first dated high-signal outcome that counts; match_strength is
--          that of the best matched one, as in match_kind, 0 for a claim; has_failed where a
--          trial failed; last_failure_date is the newest day of one, NULL where one has no date;
--          first_record is the source and record of the first high-signal outcome that has one, of
--          a day by type, then number; first_failure_record that of the first failure; is_dated_hit
--          where a high-signal outcome is dated by more than the release of ChEMBL that showed it;
--          is_of_several_conditions where every high-signal outcome that counts is of a study that
--          listed several conditions
-- Grain:   slate_id, disease_id, drug_id, study_setting, evidence_window
-- Stored:  evidence
with window_outcome as (
    select
        * exclude (match_strength),
        coalesce(match_strength, 0) as match_strength,
        unnest(if(timing = 'prospective', ['all', 'prospective'], ['all'])) as evidence_window
    from setting_outcome_timing
),

judged_outcome as (
    select
        *,
        evidence_window = 'all' or not is_after_horizon as is_in_time
    from window_outcome
)

select
    slate_id,
    disease_id,
    drug_id,
    study_setting,
    evidence_window,
    bool_or(is_in_time) as has_any_outcome,
    bool_or(signal = 'high' and is_in_time) as is_hit,
    bool_or(signal = 'high' and is_in_time and dated_by <> 'release') as is_dated_hit,
    bool_or(signal = 'high') and not bool_or(signal = 'high' and not is_after_horizon)
        as is_later_hit,
    min(event_date) filter (where signal = 'high' and is_in_time) as first_event_date,
    min(match_strength) filter (where signal = 'high' and is_in_time) as match_strength,
    bool_or(outcome_type = 'trial_failed' and is_in_time) as has_failed,
    min_by(concat_ws(' ', source, record), (event_date, outcome_type, outcome_id)) filter (
        where signal = 'high' and is_in_time and record <> ''
    ) as first_record,
    min_by(concat_ws(' ', source, record), (event_date, outcome_id)) filter (
        where outcome_type = 'trial_failed' and is_in_time and record <> ''
    ) as first_failure_record,
    if(
        bool_or(outcome_type = 'trial_failed' and is_in_time and event_date is null),
        null,
        max(event_date) filter (where outcome_type = 'trial_failed' and is_in_time)
    ) as last_failure_date,
    coalesce(bool_and(has_several_conditions) filter (where signal = 'high' and is_in_time), false)
        as is_of_several_conditions
from judged_outcome
group by slate_id, disease_id, drug_id, study_setting, evidence_window
