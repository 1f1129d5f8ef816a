-- Title:   Falsification status
-- Result:  Criteria
-- Formula: met = an outcome dated after the freeze and by the due date satisfies the criterion;
--          falsified = evidence reaches the due date and it is not met; else open, or not yet known
--          where the due date has passed; an approval proves phase 4, any other high-signal
--          outcome the phase of its event
-- Units:   due_date = freeze date + horizon, NULL for monitor,
--          which cannot be met or falsified; days_to_due is negative once the date has passed
-- Grain:   slate_id, disease_id, drug_id
-- Evidence: an undated outcome meets no criterion; an unverified, straddling or announced one can,
--          since its event is dated in time, but it does not make is_met_prospectively true
with criterion_deadline as (
    select
        prediction.*,
        slate.frozen_on,
        if(
            prediction.criterion = 'monitor',
            null,
            cast(slate.frozen_on + to_years(prediction.criterion_horizon_years) as date)
        ) as due_date
    from prediction
    inner join slate using (slate_id)
),

proved_phase as (
    select
        *,
        outcome_type in ('fda_approved', 'ema_approved', 'approved') as is_approval,
        case
            when is_approval then 4
            when signal = 'high' then phase
        end as outcome_phase
    from outcome_timing
),

satisfied_criterion as (
    select
        slate_id,
        disease_id,
        drug_id,
        min(proved_phase.event_date) as met_on,
        bool_or(proved_phase.timing = 'prospective') as is_met_prospectively
    from criterion_deadline
    inner join proved_phase using (slate_id, disease_id, drug_id)
    where
        proved_phase.event_date > criterion_deadline.frozen_on
        and proved_phase.event_date <= criterion_deadline.due_date
        and case criterion_deadline.criterion
            when 'any_activity' then true
            when 'reach_phase'
                then proved_phase.outcome_phase >= criterion_deadline.criterion_min_phase
            -- An approval exceeds a trial of phase 4, too.
            when 'exceed_phase'
                then
                    proved_phase.is_approval
                    or proved_phase.outcome_phase > criterion_deadline.criterion_min_phase
        end
    group by slate_id, disease_id, drug_id
)

select
    slate_id,
    disease_id,
    drug_id,
    criterion_deadline.tier,
    criterion_deadline.criterion,
    criterion_deadline.due_date,
    case
        when satisfied_criterion.met_on is not null then 'met'
        when slate_follow_up.followed_until >= criterion_deadline.due_date then 'falsified'
        when criterion_deadline.due_date < report_day.reported_on then 'not yet known'
        else 'open'
    end as status,
    satisfied_criterion.met_on,
    coalesce(satisfied_criterion.is_met_prospectively, false) as is_met_prospectively,
    cast(criterion_deadline.due_date - report_day.reported_on as bigint) as days_to_due
from criterion_deadline
inner join slate_follow_up using (slate_id)
cross join report_day
left join satisfied_criterion using (slate_id, disease_id, drug_id)
