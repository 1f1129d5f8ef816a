-- Title:      The day until which evidence reaches, and the first day of each source
-- Reads:      release_order
-- Parameters: none
-- Note:       As in slate_follow_up of a slate whose plan does not count the FDA's actions.
select
    source,
    min(released_on) as first_on,
    max(released_on) as last_on
from release_order
where source in ('chembl', 'ctgov', 'ema') and is_whole
group by source
order by source
