-- Title:   Upcoming due dates
-- Result:  Criteria
-- Formula: open predictions with the date by which their criterion must be met
-- Units:   days_to_due is whole days from today, or from the as-of date, to the due date
-- Grain:   slate_id, disease_id, drug_id
select
    slate_id,
    disease_id,
    drug_id,
    falsification_status.tier,
    falsification_status.due_date,
    falsification_status.days_to_due,
    case prediction.criterion
        when 'any_activity' then 'any clinical activity'
        when 'reach_phase'
            then
                'a trial of phase '
                || regexp_replace(cast(prediction.criterion_min_phase as varchar), '[.]0$', '')
                || ' or later'
        when 'exceed_phase'
            then
                if(
                    prediction.criterion_min_phase >= 4,
                    'an approval',
                    'a phase above '
                    || regexp_replace(cast(prediction.criterion_min_phase as varchar), '[.]0$', '')
                )
    end as criterion_text
from falsification_status
inner join prediction using (slate_id, disease_id, drug_id)
where falsification_status.status = 'open' and falsification_status.due_date is not null
