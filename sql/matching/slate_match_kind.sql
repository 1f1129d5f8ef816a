-- Title:   Kinds of match that count for a slate, besides the aliases in the store
-- Formula: those that its plan lists under matching.kinds; those of the default plan for a slate
--          without one; none for a plan without the list, of when aliases alone found evidence
-- Units:   strength as in match_kind; recorded_at as in slate
-- Grain:   slate_id, match_kind
select
    slate.slate_id,
    match_kind.match_kind,
    match_kind.strength,
    slate.recorded_at
from slate
inner join match_kind
    on
        if(
            slate.plan is null,
            match_kind.is_default,
            list_contains(
                try_cast(slate.plan -> '$.matching.kinds' as varchar[]), match_kind.match_kind
            )
        )
