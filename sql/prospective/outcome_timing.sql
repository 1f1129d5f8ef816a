-- Title:   Outcome timing
-- Result:  Hits, pair by pair
-- Formula: setting_outcome_timing by the studies that the plan counts
-- Units:   timing is one of retrospective, coincident, announced, prospective, straddles,
--          unverified, undated; first_public_on is NULL where only an interval is known; dated_by
--          and undated_reason as in setting_outcome_timing
-- Grain:   slate_id, disease_id, drug_id, outcome_id
select
    outcome_id,
    slate_id,
    disease_id,
    drug_id,
    outcome_type,
    signal,
    timing,
    is_after_horizon,
    event_date,
    first_public_on,
    public_after,
    public_by,
    phase,
    source,
    release_id,
    record,
    observed_at,
    recorded_at,
    outcome_origin,
    match_kind,
    match_strength,
    dated_by,
    reference_types,
    undated_reason
from setting_outcome_timing
where study_setting = 'plan'
