-- Title:      The latest instant in the store
-- Reads:      benchmark, estimate, evaluation, event, release, scoreboard, slate,
--             slate_attachment, submission
-- Parameters: none
-- Note:       The site shows what was known at that instant, so that the same store yields the
--             same site on any day.
select greatest(
    (select max(recorded_at) from slate),
    (select max(created_at) from slate),
    (select max(attached_at) from slate_attachment),
    (select max(ingested_at) from release),
    (select max(recorded_at) from event),
    (select max(recorded_at) from scoreboard),
    (select max(computed_at) from estimate),
    (select max(created_at) from evaluation),
    (select max(created_at) from benchmark),
    (select max(submitted_at) from submission)
)
