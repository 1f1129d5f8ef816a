-- Title:      Appends the studies that are new or changed
-- Reads:      given_trial, new_trial
-- Writes:     trial
select
    new_trial.trial_id,
    cast(:release_id as integer) as release_id,
    new_trial.nct_id,
    new_trial.source_key,
    given_trial.title,
    given_trial.study_type,
    given_trial.phase,
    new_trial.reached_phase,
    given_trial.overall_status,
    given_trial.start_date,
    given_trial.start_precision,
    given_trial.start_type,
    given_trial.primary_completion_date,
    given_trial.primary_completion_precision,
    given_trial.completion_date,
    given_trial.completion_precision,
    given_trial.first_posted_on,
    given_trial.last_update_posted_on,
    given_trial.content_sha256,
    given_trial.primary_purpose,
    given_trial.why_stopped,
    given_trial.results_posted_on,
    new_trial.version_number,
    new_trial.submitted_on,
    given_trial.last_known_status
from new_trial
inner join given_trial on new_trial.source_key = given_trial.source_key
where new_trial.is_changed
