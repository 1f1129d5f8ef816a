-- Title:   Kinds of match at which a slate's hits are shown
-- Formula: those by which a prediction was hit, and the weakest that the slate counts
-- Units:   strength as in match_kind; is_weakest for the one at which every hit counts
-- Grain:   slate_id, strength
with shown as (
    select
        slate_id,
        match_strength as strength
    from pair_outcome
    where is_hit and match_strength > 0
    union
    select
        slate.slate_id,
        greatest(3, coalesce(max(slate_match_kind.strength), 3)) as strength
    from slate
    left join slate_match_kind on slate.slate_id = slate_match_kind.slate_id
    group by slate.slate_id
)

select
    shown.slate_id,
    shown.strength,
    match_kind.match_kind,
    shown.strength = max(shown.strength) over (partition by shown.slate_id) as is_weakest
from shown
inner join match_kind on shown.strength = match_kind.strength
