-- Title:      The records that stand for a study, under the number by which it is kept
-- Reads:      release, staged_record, staged_study, trial
-- Creates:    registry_study
-- Note:       Of a study that ClinicalTrials.gov has shown, its own record counts.
with shown as (
    select distinct trial.nct_id
    from trial
    inner join release using (release_id)
    where release.source = 'ctgov' and trial.version_number is null
)

select
    staged_record.nct_id,
    staged_study.source_key,
    staged_study.title,
    staged_study.study_type,
    staged_study.phase,
    staged_study.overall_status,
    staged_study.start_date,
    staged_study.first_posted_on
from staged_study
inner join staged_record using (source_key)
anti join shown on staged_record.nct_id = shown.nct_id
where staged_record.is_study
