-- Title:      Whose key each key is: own vocabularies first, then names that lost no salt
-- Reads:      entity_name, match_word, text_key
-- Creates:    key_claim
-- Note:       n_bearers above 1 is a key that matches no one. A combination has a row for each of
--             its members.
with claim as (
    select
        entity_name.entity_kind,
        text_key.key,
        entity_name.bearer,
        entity_name.entity_id,
        entity_name.is_foreign,
        text_key.has_lost_salt,
        entity_name.strength,
        entity_name.plain,
        entity_name.alias_value,
        entity_name.via,
        entity_name.known_since
    from entity_name
    inner join text_key using (entity_kind, plain)
    anti join match_word
        on
            entity_name.entity_kind = match_word.entity_kind
            and text_key.key = match_word.word
            and match_word.usage in ('salt', 'filler')
    where
        text_key.form in ('key', 'light', 'inverted')
),

first_claim as (
    select *
    from claim
    qualify
        rank() over (
            partition by entity_kind, key
            order by is_foreign, has_lost_salt, strength
        ) = 1
)

select
    entity_kind,
    key as value,
    bearer,
    entity_id,
    count(distinct bearer) over (partition by entity_kind, key) as n_bearers,
    arg_min(alias_value, (known_since, plain)) as alias_value,
    arg_min(coalesce(via, ''), (known_since, plain)) as via,
    min(known_since) as known_since
from first_claim
group by entity_kind, key, bearer, entity_id
