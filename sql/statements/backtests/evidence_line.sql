-- Title:      What a backtest's evidence consists of, line by line
-- Reads:      annulment, event, release
-- Note:       The same lines mean the same evidence, apart from names, which aliases have.
with evidence as (
    select concat_ws(' ', source, version, released_on, sha256) as line
    from release
    union all
    select concat_ws(' ', event_origin, count(*)) as line
    from event
    where event_origin <> 'detected'
    group by event_origin
    union all
    select concat_ws(' ', 'annulled', count(*)) as line
    from annulment
    having count(*) > 0
)

select line
from evidence
order by line
