-- Title:      The latest instant that the store holds
-- Reads:      estimate, outcome, release, scoreboard, slate
-- Parameters: none
-- Note:       What is published is what was known then, so that the same store gives the same site
--             on any day.
select greatest(
    (select max(recorded_at) from slate),
    (select max(created_at) from slate),
    (select max(ingested_at) from release),
    (select max(recorded_at) from outcome),
    (select max(recorded_at) from scoreboard),
    (select max(computed_at) from estimate)
)
