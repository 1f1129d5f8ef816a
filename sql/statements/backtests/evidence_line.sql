-- Title:      What a backtest's evidence consists of, line by line
-- Reads:      release, event
-- Parameters: none
-- Note:       The same lines mean the same evidence, apart from names, which aliases have.
with evidence as (
    select concat_ws(' ', source, version, released_on, sha256) as line
    from release
    union all
    select concat_ws(' ', event_origin, count(*)) as line
    from event
    where event_origin <> 'detected'
    group by event_origin
)

select line
from evidence
order by line
