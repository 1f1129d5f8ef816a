-- Title:   Upcoming due dates
-- Formula: open predictions with the date by which their criterion must be met
-- Source:  docs/metrics.md#falsification_due
-- Units:   days_to_due is whole days from today, or from the as-of date, to the due date
-- Grain:   slate_id, disease_id, drug_id
-- Portability: format('{:g}') is DuckDB's: a phase without a trailing zero
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
            then format('a trial of phase {:g} or later', prediction.criterion_min_phase)
        when 'exceed_phase' then format('a phase above {:g}', prediction.criterion_min_phase)
    end as criterion_text
from falsification_status
inner join prediction using (slate_id, disease_id, drug_id)
where falsification_status.status = 'open' and falsification_status.due_date is not null
