-- Title:      Versions of studies, as lines that can be compared between stores
-- Reads:      release, study_number, trial, trial_condition, trial_intervention
-- Note:       Lines as in event_line. source_key says where a study stood in its file, whose name
--             does not count. Numbers that ClinicalTrials.gov states were not read before.
select
    'trial' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(
        release.sha256, concat_ws(' ', trial.nct_id, 'version ' || trial.version_number)
    ) as varchar) as subject,
    concat_ws(
        ' ', trial.nct_id, 'version ' || trial.version_number, 'as of', release.released_on
    ) as record,
    json_object(
        'title', trial.title,
        'study_type', trial.study_type,
        'phase', trial.phase,
        'reached_phase', trial.reached_phase,
        'overall_status', trial.overall_status,
        'start_date', trial.start_date,
        'start_precision', trial.start_precision,
        'start_type', trial.start_type,
        'primary_completion_date', trial.primary_completion_date,
        'primary_completion_precision', trial.primary_completion_precision,
        'completion_date', trial.completion_date,
        'completion_precision', trial.completion_precision,
        'first_posted_on', trial.first_posted_on,
        'last_update_posted_on', trial.last_update_posted_on,
        'primary_purpose', trial.primary_purpose,
        'why_stopped', trial.why_stopped,
        'results_posted_on', trial.results_posted_on,
        'last_known_status', trial.last_known_status,
        'content_sha256', trial.content_sha256,
        'version_number', trial.version_number,
        'submitted_on', trial.submitted_on
    ) as content,
    cast(trial.trial_id as bigint) as row_id
from trial
inner join release on trial.release_id = release.release_id
union all
select
    'trial_condition' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(
        release.sha256, concat_ws(' ', trial.nct_id, 'version ' || trial.version_number)
    ) as varchar) as subject,
    concat_ws(
        ' ', trial.nct_id, 'version ' || trial.version_number, 'as of', release.released_on
    ) as record,
    json_object(
        'position', trial_condition.position,
        'name', trial_condition.name,
        'folded_name', fold_marks(trial_condition.folded_name),
        'is_mesh_term', trial_condition.is_mesh_term,
        'mesh_id', trial_condition.mesh_id
    ) as content,
    cast(null as bigint) as row_id
from trial_condition
inner join trial on trial_condition.trial_id = trial.trial_id
inner join release on trial.release_id = release.release_id
union all
select
    'trial_intervention' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(
        release.sha256, concat_ws(' ', trial.nct_id, 'version ' || trial.version_number)
    ) as varchar) as subject,
    concat_ws(
        ' ', trial.nct_id, 'version ' || trial.version_number, 'as of', release.released_on
    ) as record,
    json_object(
        'position', trial_intervention.position,
        'intervention_type', trial_intervention.intervention_type,
        'name', trial_intervention.name,
        'folded_name', fold_marks(trial_intervention.folded_name),
        'is_other_name', trial_intervention.is_other_name,
        'arm_role', trial_intervention.arm_role,
        'is_mesh_term', trial_intervention.is_mesh_term,
        'mesh_id', trial_intervention.mesh_id
    ) as content,
    cast(null as bigint) as row_id
from trial_intervention
inner join trial on trial_intervention.trial_id = trial.trial_id
inner join release on trial.release_id = release.release_id
union all
select
    'study_number' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(release.sha256, study_number.nct_id) as varchar) as subject,
    concat_ws(' ', study_number.nct_id, 'as of', release.released_on) as record,
    json_object('number', study_number.number) as content,
    cast(null as bigint) as row_id
from study_number
inner join release on study_number.release_id = release.release_id
where release.source = 'ictrp'
