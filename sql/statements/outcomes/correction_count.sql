-- Title:      Number of events that were corrected since an instant
-- Reads:      event_correction
select count(*) as n_corrections
from event_correction
where corrected_at >= cast(:since as timestamptz)
