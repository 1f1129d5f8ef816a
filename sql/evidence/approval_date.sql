-- Title:   The FDA action that dates an approval
-- Formula: the one day on which the FDA approved the drug or a new use of it after the ChEMBL
--          release before and up to the one that shows phase 4; none if there are several
-- Source:  docs/metrics.md#approval_date
-- Units:   event_date is the day of the action, public on that day
-- Grain:   outcome_id
select
    outcome.outcome_id,
    min(approval_action.status_date) as event_date
from outcome
inner join release_order using (release_id)
inner join slate_drug_key using (slate_id, drug_id)
inner join approval_action
    on
        slate_drug_key.value = approval_action.name
        and release_order.previous_released_on < approval_action.status_date
        and release_order.released_on >= approval_action.status_date
where
    outcome.outcome_type = 'fda_approved'
    and release_order.source = 'chembl'
    and approval_action.is_current
group by outcome.outcome_id
having count(distinct approval_action.status_date) = 1
