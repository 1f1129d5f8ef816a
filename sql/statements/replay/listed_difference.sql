-- Title:      Differences between two ledgers in the order in which they are told
-- Reads:      ledger_difference
-- Note:       Releases first, since the rest follows from them, then events.
select
    kind,
    record,
    row_id,
    held_content,
    given_content
from ledger_difference
order by
    case kind when 'release' then 1 when 'event' then 2 when 'claim' then 3 else 4 end,
    kind,
    record,
    row_id,
    held_content,
    given_content
