-- Title:   How far evidence follows a slate
-- Formula: for each source that can show the slate's outcomes and has whole releases in the store,
--          the date of the newest of them; the slate is followed until the earliest of these dates
-- Units:   dates, never before counted_from; source is the one furthest behind, newest_source the
--          one furthest ahead, until newest_on; all are NULL without a release
-- Grain:   slate_id
-- Stored:  evidence
-- Note:    releases ingested after the as-of instant are left out; a vocabulary is no evidence, and
--          the FDA's actions name no disease, so that they count only if the plan opted in;
--          EMA's decisions count as in ema_slate
with source_end as (
    select
        source,
        evidence_source.followed_by,
        max(release_order.released_on) as released_on
    from release_order
    inner join evidence_source using (source)
    where release_order.is_whole
    group by source, evidence_source.followed_by
)

select
    slate_id,
    slate_date.frozen_on,
    slate_date.counted_from,
    min(greatest(slate_date.counted_from, source_end.released_on))
    filter (where source_end.released_on is not null) as followed_until,
    arg_min(source_end.source, (source_end.released_on, source_end.source)) as source,
    max(greatest(slate_date.counted_from, source_end.released_on))
    filter (where source_end.released_on is not null) as newest_on,
    arg_max(source_end.source, (source_end.released_on, source_end.source)) as newest_source
from slate
inner join slate_date using (slate_id)
left join ema_slate using (slate_id)
left join source_end
    on
        case source_end.followed_by
            when 'fda_drug_level' then coalesce((slate.plan ->> 'fda_drug_level') = 'true', false)
            when 'ema_slate' then ema_slate.slate_id is not null
            else true
        end
group by all
