-- Title:   Outcomes of slates
-- Result:  Hits, pair by pair
-- Formula: what the events of a slate's pairs mean for it, given its freeze, what was known then
--          and which studies its plan counts: first trials, advances, approvals and EMA's other
--          decisions, ended and failed trials, and what files claim
-- Units:   outcome_id is the id of the event; first_public_on is the day on which it became public,
--          NULL where only an interval is known; phase is the one that the event proves
-- Grain:   slate_id, disease_id, drug_id, outcome_id
-- Note:    events recorded after the as-of instant are left out
select
    outcome_id,
    slate_id,
    disease_id,
    drug_id,
    outcome_type,
    event_date,
    first_public_on,
    public_after,
    public_by,
    source,
    release_id,
    phase,
    record,
    detail,
    observed_at,
    recorded_at,
    outcome_origin,
    match_kind,
    match_strength,
    dated_by,
    reference_types
from setting_outcome
where study_setting = 'plan'
