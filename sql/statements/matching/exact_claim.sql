-- Title:      Whose name each name is: own vocabularies first, then the strongest kind
-- Reads:      entity_name
-- Creates:    exact_claim
-- Note:       n_bearers above 1 is a name that matches no one; it still keeps weaker kinds from
--             matching it. The weaker claims of the one bearer are kept as well if they are older.
--             A combination has a row for each of its members.
with claim as (
    select *
    from entity_name
    qualify not is_foreign or bool_and(is_foreign) over (partition by entity_kind, plain)
),

strongest as (
    select
        entity_kind,
        plain,
        min(strength) as strength
    from claim
    group by entity_kind, plain
),

held as (
    select
        claim.entity_kind,
        claim.plain,
        count(distinct claim.bearer) as n_bearers,
        any_value(claim.bearer) as bearer
    from claim
    inner join strongest using (entity_kind, plain, strength)
    group by claim.entity_kind, claim.plain
)

select
    held.entity_kind,
    held.plain as value,
    held.n_bearers,
    held.bearer,
    claim.entity_id,
    claim.strength,
    claim.alias_value,
    claim.via,
    claim.known_since
from held
inner join claim using (entity_kind, plain, bearer)
qualify
    row_number() over (
        partition by
            held.entity_kind, held.plain, claim.strength, claim.entity_id
        order by claim.known_since, claim.via nulls first, claim.alias_value
    ) = 1
    and claim.known_since < coalesce(
        min(claim.known_since) over (
            partition by held.entity_kind, held.plain, claim.entity_id
            order by claim.strength
            range between unbounded preceding and 1 preceding
        ),
        timestamptz 'infinity'
    )
