-- Title:   Claims that were taken back
-- Formula: events from files that a row of annulment takes back, by the as-of instant
-- Units:   annulled_at is the instant from which the event counts no longer
-- Grain:   event_id
select
    event_id,
    annulled_at,
    reason
from annulment
where annulled_at <= (select report_instant.as_of from report_instant)
