-- Title:   Discount of a position
-- Formula: 1 / log2(position + 1), for each position up to the largest k of cutoff; ideal_dcg is
--          the sum of the discounts up to the position
-- Source:  docs/metrics.md#discount
-- Units:   gain
-- Grain:   position
with numbered as (
    select unnest(range(1, (select max(k) + 1 from cutoff))) as position
),

discounted as (
    select
        position,
        1 / log2(position + 1) as discount
    from numbered
)

select
    position,
    discount,
    sum(discount) over (order by position rows unbounded preceding) as ideal_dcg
from discounted
