-- Title:      How many of the studies that a backtest's labels may rest on have a history
-- Reads:      backtest, event, release, trial
-- Note:       Events and releases of the time at which the backtest was made.
with made as (
    select created_at
    from backtest
    where backtest_id = :backtest_id
),

study as (
    select distinct record as nct_id
    from event
    where
        source = 'ctgov'
        and event_origin = 'detected'
        and slate_id is null
        and recorded_at <= (select made.created_at from made)
),

past_study as (
    select distinct trial.nct_id
    from trial
    inner join release on trial.release_id = release.release_id
    where
        trial.version_number is not null
        and release.ingested_at <= (select made.created_at from made)
)

select
    count(*) as n_studies,
    count(past_study.nct_id) as n_with_history
from study
left join past_study on study.nct_id = past_study.nct_id
