-- Title:   Outcome timing
-- Formula: the event date, then the interval in which it became public, compared with counted_from
--          and the end of the horizon; the one day within the interval on which the FDA approved
--          the drug or a new use dates an approval from ChEMBL, if no action of uncertain meaning
--          has another
-- Source:  docs/metrics.md#outcome_timing
-- Units:   timing is one of retrospective, coincident, announced, prospective, straddles,
--          unverified, undated; first_public_on is NULL where only an interval is known
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
    match_strength
from setting_outcome_timing
where study_setting = 'plan'
