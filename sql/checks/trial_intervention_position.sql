-- Title:   The interventions of a known study are numbered without a gap
-- When:    audit
-- Grain:   trial_id
select
    trial_intervention.trial_id,
    'the study is unknown, or a position repeats or is missing' as reason
from trial_intervention
left join trial using (trial_id)
group by trial_intervention.trial_id
having
    count(*) <> max(trial_intervention.position)
    or count(*) <> count(distinct trial_intervention.position)
    or count(trial.trial_id) = 0
