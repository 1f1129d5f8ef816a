-- Title:      How many rows of each kind were compared, and what came of it
-- Reads:      given_line, held_line, ledger_difference, unchecked_part
-- Note:       n_stored of the store: equal, different, or of a part that no file was there for;
--             n_missing that the files give and the store lacks.
with kind_name as (
    select kind from held_line
    union
    select kind from given_line
),

stored_line as (
    select
        held_line.kind,
        count(*) as n_stored,
        count(*) filter (where unchecked_part.part is not null) as n_unchecked
    from held_line
    left join unchecked_part on held_line.part = unchecked_part.part
    group by held_line.kind
),

difference as (
    select
        ledger_difference.kind,
        count(*) filter (where ledger_difference.held_content is not null) as n_different,
        count(*) filter (
            where ledger_difference.held_content is not null and unchecked_part.part is not null
        ) as n_unchecked,
        count(*) filter (where ledger_difference.held_content is null) as n_missing
    from ledger_difference
    left join unchecked_part on ledger_difference.part = unchecked_part.part
    group by ledger_difference.kind
)

select
    kind_name.kind,
    coalesce(stored_line.n_stored, 0) as n_stored,
    coalesce(stored_line.n_stored, 0)
    - coalesce(difference.n_different, 0)
    - (coalesce(stored_line.n_unchecked, 0) - coalesce(difference.n_unchecked, 0)) as n_equal,
    coalesce(difference.n_different, 0) as n_different,
    coalesce(difference.n_missing, 0) as n_missing,
    coalesce(stored_line.n_unchecked, 0) - coalesce(difference.n_unchecked, 0) as n_unchecked
from kind_name
left join stored_line on kind_name.kind = stored_line.kind
left join difference on kind_name.kind = difference.kind
order by
    case kind_name.kind when 'event' then 1 when 'claim' then 2 when 'release' then 3 else 4 end,
    kind_name.kind
