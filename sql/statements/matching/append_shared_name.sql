-- Title:      Appends the names that an entity of the store shares, so that they match no one
-- Reads:      entity_name, exact_claim, key_claim, match_kind, text_key
-- Writes:     shared_name
-- Note:       Names of another form of a molecule are claims of the same kind as normalised names.
with exact_claimant as (
    select distinct
        entity_name.entity_kind,
        match_kind.match_kind as claim_kind,
        entity_name.plain as value,
        entity_name.bearer,
        entity_name.entity_id
    from exact_claim
    inner join entity_name
        on
            exact_claim.entity_kind = entity_name.entity_kind
            and exact_claim.value = entity_name.plain
    inner join match_kind on entity_name.strength = match_kind.strength
    where exact_claim.n_bearers > 1
    qualify
        (entity_name.is_foreign, entity_name.strength)
        = min((entity_name.is_foreign, entity_name.strength)) over (
            partition by entity_name.entity_kind, entity_name.plain
        )
),

key_claimant as (
    select distinct
        entity_name.entity_kind,
        'normalised_name' as claim_kind,
        key_claim.value,
        entity_name.bearer,
        entity_name.entity_id
    from key_claim
    inner join text_key
        on key_claim.entity_kind = text_key.entity_kind and key_claim.value = text_key.key
    inner join entity_name
        on
            text_key.entity_kind = entity_name.entity_kind
            and text_key.plain = entity_name.plain
    where
        key_claim.n_bearers > 1
        and text_key.form in ('key', 'light', 'inverted')
    qualify
        (entity_name.is_foreign, text_key.has_lost_salt, entity_name.strength)
        = min((entity_name.is_foreign, text_key.has_lost_salt, entity_name.strength)) over (
            partition by entity_name.entity_kind, key_claim.value
        )
),

claimant as (
    from exact_claimant
    union
    from key_claimant
)

select
    cast(:matching_id as integer) as matching_id,
    entity_kind,
    claim_kind,
    value,
    bearer as claimant,
    entity_id
from claimant
qualify count(entity_id) over (partition by entity_kind, claim_kind, value) > 0
