-- Title:   What happened to each predicted pair
-- Result:  Hits, pair by pair
-- Formula: each prediction with what happened to it; novel = not known at the freeze
-- Units:   score as frozen; dated and later hits, first_event_date, match_strength, record and
--          failures as in pair_event
-- Grain:   slate_id, disease_id, drug_id, evidence_window
-- Stored:  evidence
select
    slate_id,
    disease_id,
    drug_id,
    evidence.evidence_window,
    prediction.tier,
    prediction.score,
    prediction.rank,
    not pair_known_phase.is_known as is_novel,
    coalesce(pair_event.has_any_outcome, false) as has_any_outcome,
    coalesce(pair_event.is_hit, false) as is_hit,
    coalesce(pair_event.is_dated_hit, false) as is_dated_hit,
    coalesce(pair_event.is_later_hit, false) as is_later_hit,
    pair_event.first_event_date,
    pair_event.match_strength,
    coalesce(pair_event.has_failed, false) as has_failed,
    pair_event.first_record,
    pair_event.last_failure_date
from prediction
inner join pair_known_phase using (slate_id, disease_id, drug_id)
cross join (values ('all'), ('prospective')) as evidence (evidence_window)
left join pair_event using (slate_id, disease_id, drug_id, evidence_window)
