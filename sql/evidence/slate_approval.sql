-- Title:   FDA actions on a slate's drugs
-- Formula: approving actions that name a drug by a key of the slate; each at its first release
-- Source:  docs/metrics.md#slate_approval
-- Units:   drug-level: no disease is named; drug_alias is the first of the names that matched
-- Grain:   slate_id, drug_id, application_number, submission_type, submission_number, status_date
select
    slate_drug_key.slate_id,
    slate_drug_key.drug_id,
    approval_action.application_number,
    approval_action.submission_type,
    approval_action.submission_number,
    approval_action.status_date,
    min(approval_action.position) as position,
    min_by(
        approval_action.release_id, (approval_action.position, approval_action.approval_id)
    ) as release_id,
    min(approval_action.name) as drug_alias
from approval_action
inner join slate_drug_key on approval_action.name = slate_drug_key.value
group by
    slate_drug_key.slate_id,
    slate_drug_key.drug_id,
    approval_action.application_number,
    approval_action.submission_type,
    approval_action.submission_number,
    approval_action.status_date
