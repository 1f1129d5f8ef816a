-- Title:      Pairs that studies named in the version that was public on a day
-- Reads:      trial, trial_pair, trial_revision
-- Writes:     revised_pair
-- Note:       Of studies whose history is known on that day.
select distinct
    trial_pair.disease_id,
    trial_pair.drug_id,
    trial.reached_phase as phase
from trial_revision
inner join trial_pair on trial_revision.trial_id = trial_pair.trial_id
inner join trial on trial_revision.trial_id = trial.trial_id
where
    cast(:as_of as date) between trial_revision.public_on and trial_revision.history_known_until
    and coalesce(cast(:as_of as date) < trial_revision.until_on, true)
    and not trial_pair.is_shared
