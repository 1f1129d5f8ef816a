-- Title:      The releases that a backtest rests on, by source
-- Reads:      backtest, evidence_source, release_order, release
select
    release_order.source,
    count(*) as n_releases,
    min(release_order.released_on) as first_on,
    max(release_order.released_on) filter (where release_order.is_whole) as last_on
from release_order
inner join release on release_order.release_id = release.release_id
inner join evidence_source on release_order.source = evidence_source.source
where
    evidence_source.names_diseases
    and release.ingested_at <= (
        select backtest.created_at
        from backtest
        where backtest.backtest_id = :backtest_id
    )
group by release_order.source
order by release_order.source
