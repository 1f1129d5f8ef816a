-- Title:      The releases that a backtest rests on, by source
-- Reads:      backtest, release_order, release
-- Parameters: backtest_id
select
    release_order.source,
    count(*) as n_releases,
    min(release_order.released_on) as first_on,
    max(release_order.released_on) filter (where release_order.is_whole) as last_on
from release_order
inner join release on release_order.release_id = release.release_id
where
    release_order.source in ('chembl', 'ctgov', 'ema')
    and release.ingested_at <= (
        select backtest.created_at
        from backtest
        where backtest.backtest_id = :backtest_id
    )
group by release_order.source
order by release_order.source
