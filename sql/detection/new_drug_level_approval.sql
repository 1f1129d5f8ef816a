-- Title:   Drug-level approvals not yet in the ledger
-- Formula: for slates whose plan opted in, the first FDA action on the drug after the freeze, for
--          each pair of the drug that was not approved at freeze; at most one for a pair
-- Source:  docs/metrics.md#new_drug_level_approval
-- Units:   event date and first public date are the day of the action
-- Grain:   slate_id, disease_id, drug_id
with opted_slate as (
    select
        slate_id,
        candidate_set_id,
        frozen_on
    from slate
    where (plan ->> 'fda_drug_level') = 'true'
),

first_action as (
    select
        slate_approval.*,
        opted_slate.candidate_set_id
    from slate_approval
    inner join opted_slate using (slate_id)
    where slate_approval.status_date > opted_slate.frozen_on
    qualify
        row_number() over (
            partition by slate_approval.slate_id, slate_approval.drug_id
            order by
                slate_approval.position,
                slate_approval.status_date,
                slate_approval.application_number,
                slate_approval.submission_type,
                slate_approval.submission_number
        ) = 1
),

slate_pair as (
    select
        first_action.slate_id,
        candidate.disease_id,
        candidate.drug_id
    from first_action
    inner join candidate using (candidate_set_id, drug_id)
    union
    select
        first_action.slate_id,
        prediction.disease_id,
        prediction.drug_id
    from first_action
    inner join prediction using (slate_id, drug_id)
)

select
    slate_pair.slate_id,
    slate_pair.disease_id,
    slate_pair.drug_id,
    'fda_approved' as outcome_type,
    first_action.status_date as event_date,
    first_action.status_date as first_public_on,
    'fda' as source,
    first_action.release_id,
    json_object(
        'phase', 4,
        'record', concat_ws(
            '/',
            first_action.application_number,
            first_action.submission_type,
            first_action.submission_number
        ),
        'drug_alias', first_action.drug_alias
    ) as detail
from slate_pair
inner join first_action using (slate_id, drug_id)
left join pair_known_phase using (slate_id, disease_id, drug_id)
anti join outcome
    on
        slate_pair.slate_id = outcome.slate_id
        and slate_pair.disease_id = outcome.disease_id
        and slate_pair.drug_id = outcome.drug_id
        and outcome.outcome_type = 'fda_approved'
        and outcome.source = 'fda'
where coalesce(pair_known_phase.known_phase, 0) < 4
