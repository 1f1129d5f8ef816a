-- Title:      The day until which evidence reaches, and the first day of each source
-- Reads:      evidence_source, release_order
-- Note:       As in slate_follow_up of a slate whose plan does not count the FDA's actions.
select
    source,
    min(release_order.released_on) as first_on,
    max(release_order.released_on) as last_on
from release_order
inner join evidence_source using (source)
where evidence_source.names_diseases and release_order.is_whole
group by source
order by source
