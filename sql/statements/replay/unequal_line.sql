-- Title:      Lines that one of two ledgers has more often than the other
-- Reads:      given_line, held_line
-- Creates:    unequal_line
-- Note:       held: the store has it and the files do not give it; else the reverse. A line that is
--             there n times too often stands n times.
with side_line as (
    select
        kind,
        part,
        subject,
        record,
        content,
        row_id,
        1 as excess
    from held_line
    union all
    select
        kind,
        part,
        subject,
        record,
        content,
        row_id,
        -1 as excess
    from given_line
),

counted_line as (
    select
        kind,
        subject,
        content,
        min_by(part, (-excess, part)) as part,
        min_by(record, (-excess, record)) as record,
        max(row_id) filter (where excess = 1) as row_id,
        sum(excess) as excess
    from side_line
    group by kind, subject, content
    having sum(excess) <> 0
)

select
    kind,
    part,
    subject,
    record,
    content,
    row_id,
    excess > 0 as is_held,
    unnest(range(cast(abs(excess) as bigint))) as copy_number
from counted_line
