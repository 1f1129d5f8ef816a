-- Title:   Pairs with an event
-- Formula: the rows of setting_pair_event, where it is decided what a hit is, for the studies that
--          the plan counts
-- Units:   first_event_date is the first dated high-signal outcome that counts; match_strength is
--          that of the best matched one, as in match_kind, 0 for a claim; has_failed where a
--          trial failed; first_record is the source and record of the first high-signal outcome
--          that has one, of a day by type, then number; last_failure_date and is_dated_hit as in
--          setting_pair_event
-- Grain:   slate_id, disease_id, drug_id, evidence_window
select
    slate_id,
    disease_id,
    drug_id,
    evidence_window,
    has_any_outcome,
    is_hit,
    is_dated_hit,
    is_later_hit,
    first_event_date,
    match_strength,
    has_failed,
    first_record,
    last_failure_date
from setting_pair_event
where study_setting = 'plan'
