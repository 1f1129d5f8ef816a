-- Title:      Whose name each name is: the claims of the strongest kind
-- Reads:      bearer_name
-- Creates:    exact_claim
-- Parameters: none
-- Note:       n_bearers above 1 is a name that matches no one; it still keeps weaker kinds from
--             matching it. The weaker claims of the one bearer are kept as well if they are older.
--             A combination has a row for each of its members.
with strongest as (
    select
        entity_kind,
        plain,
        min(strength) as strength
    from bearer_name
    group by entity_kind, plain
),

held as (
    select
        bearer_name.entity_kind,
        bearer_name.plain,
        count(distinct bearer_name.bearer) as n_bearers,
        any_value(bearer_name.bearer) as bearer
    from bearer_name
    inner join strongest using (entity_kind, plain, strength)
    group by bearer_name.entity_kind, bearer_name.plain
)

select
    held.entity_kind,
    held.plain as value,
    held.n_bearers,
    held.bearer,
    bearer_name.entity_id,
    bearer_name.strength,
    bearer_name.alias_value,
    bearer_name.via,
    bearer_name.known_since
from held
inner join bearer_name using (entity_kind, plain, bearer)
qualify
    row_number() over (
        partition by
            held.entity_kind, held.plain, bearer_name.strength, bearer_name.entity_id
        order by bearer_name.known_since, bearer_name.via nulls first, bearer_name.alias_value
    ) = 1
    and bearer_name.known_since < coalesce(
        min(bearer_name.known_since) over (
            partition by held.entity_kind, held.plain, bearer_name.entity_id
            order by bearer_name.strength
            range between unbounded preceding and 1 preceding
        ),
        timestamptz 'infinity'
    )
