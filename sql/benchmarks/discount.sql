-- Title:   Discount of a position
-- Formula: 1 / log2(position + 1), for each position up to the largest k of cutoff, or up to the
--          largest number of true labels of an instance if that is more; ideal_dcg is the sum of
--          the discounts up to the position
-- Units:   gain
-- Grain:   position
with true_count as (
    select
        item_id,
        count(*) as n_true
    from truth_label
    group by item_id
),

numbered as (
    select
        unnest(range(1, 1 + greatest(
            (select max(cutoff.k) from cutoff),
            (select coalesce(max(true_count.n_true), 0) from true_count)
        ))) as position
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
