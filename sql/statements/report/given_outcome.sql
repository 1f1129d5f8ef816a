-- Title:      How many outcomes of a slate came in files or with it, not by detection, and how many
--             prospective hits rest on those alone
-- Reads:      outcome_timing, prediction
with recorded as (
    select
        count(*) as n_outcomes,
        count(*) filter (where outcome_origin in ('loaded', 'imported')) as n_given,
        count(*) filter (where outcome_origin = 'loaded') as n_loaded,
        count(*) filter (where outcome_origin = 'imported') as n_imported
    from outcome_timing
    where slate_id = :slate_id
),

hit_origin as (
    select bool_or(outcome_timing.outcome_origin = 'detected') as is_detected
    from outcome_timing
    inner join prediction using (slate_id, disease_id, drug_id)
    where
        slate_id = :slate_id
        and outcome_timing.signal = 'high'
        and outcome_timing.timing = 'prospective'
    group by disease_id, drug_id
),

given_hit as (
    select
        count(*) as n_recorded_hits,
        count(*) filter (where not is_detected) as n_given_hits
    from hit_origin
)

select
    recorded.*,
    given_hit.*
from recorded
cross join given_hit
