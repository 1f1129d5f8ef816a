-- Title:      Every study that a snapshot of the source has shown, and whose record is its own
-- Reads:      release, trial
-- Creates:    known_record
-- Note:       A study of which ClinicalTrials.gov has a record is not missing where ICTRP lacks it.
select
    'trial' as kind,
    trial.nct_id as record_key
from trial
inner join release using (release_id)
where trial.version_number is null
group by trial.nct_id
having
    bool_or(release.source = :source)
    and (:source = 'ctgov' or not bool_or(release.source = 'ctgov'))
