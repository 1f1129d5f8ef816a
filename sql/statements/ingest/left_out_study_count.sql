-- Title:      The studies of a release that make no event, by what they are
-- Reads:      left_out_trial, trial, trial_condition, trial_intervention
-- Note:       Of the studies that were new or changed; the most frequent kind first. An
--             interventional study without a condition or without an intervention is of no pair.
with nameless as (
    select trial_id
    from trial
    anti join left_out_trial using (trial_id)
    where
        trial.release_id = :release_id
        and (
            trial_id not in (select trial_condition.trial_id from trial_condition)
            or trial_id not in (select trial_intervention.trial_id from trial_intervention)
        )
),

left_out as (
    select study_kind as kind
    from left_out_trial
    where release_id = :release_id
    union all
    select 'without a condition or an intervention' as kind
    from nameless
)

select
    kind,
    count(*) as n_studies
from left_out
group by kind
order by n_studies desc, kind asc
