-- Title:      The latest instant in the store
-- Reads:      annulment, benchmark, disease_alias, drug_alias, estimate, evaluation, event,
--             refresh, release, round, round_deposit, round_entry, round_extension, scoreboard,
--             slate, slate_attachment, submission, timestamp_token
-- Note:       The site shows what was known at that instant, so that the same store yields the
--             same site on any day.
select greatest(
    (select max(recorded_at) from slate),
    (select max(created_at) from slate),
    (select max(attached_at) from slate_attachment),
    (select max(ingested_at) from release),
    -- Identifiers relate drugs and diseases from then on.
    (select max(added_at) from drug_alias),
    (select max(added_at) from disease_alias),
    (select max(recorded_at) from event),
    (select max(annulled_at) from annulment),
    (select max(recorded_at) from scoreboard),
    (select max(computed_at) from estimate),
    (select max(created_at) from evaluation),
    (select max(created_at) from benchmark),
    (select max(submitted_at) from submission),
    -- A refresh that found nothing new says that too, and may be past the day of an embargo.
    (select max(refreshed_at) from refresh),
    (select max(opened_at) from round),
    (select max(extended_at) from round_extension),
    (select max(deposited_at) from round_deposit),
    (select max(entered_at) from round_entry),
    (select max(recorded_at) from timestamp_token)
)
