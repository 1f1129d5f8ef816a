-- Title:   Reasons that studies of pairs state for their stop
-- Formula: the distinct texts of the versions of studies that name a drug and a disease
-- Source:  docs/metrics.md#stop_text
-- Units:   text as registered
-- Grain:   why_stopped
select distinct trial.why_stopped
from trial
semi join trial_pair_version using (trial_id)
where trial.why_stopped is not null
