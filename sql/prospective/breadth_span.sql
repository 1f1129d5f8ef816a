-- Title:   Span of a class of breadths
-- Formula: what the slate's plan states, else 1.15
-- Units:   ratio above 1; the breadths of a class differ by less than this factor
-- Grain:   slate_id
with planned as (
    select
        slate_id,
        try_cast(plan ->> 'breadth_span' as double) as breadth_span
    from slate
)

select
    slate_id,
    if(breadth_span > 1, breadth_span, 1.15) as breadth_span
from planned
