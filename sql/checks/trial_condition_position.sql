-- Title:   The conditions of a known study are numbered without a gap
-- When:    audit
-- Grain:   trial_id
select
    trial_condition.trial_id,
    'the study is unknown, or a position repeats or is missing' as reason
from trial_condition
left join trial using (trial_id)
group by trial_condition.trial_id
having
    count(*) <> max(trial_condition.position)
    or count(*) <> count(distinct trial_condition.position)
    or count(trial.trial_id) = 0
