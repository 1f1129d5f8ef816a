-- Title:      Terms of the vocabularies that the store's identifiers come from, and the other
--             terms that each of them claims
-- Reads:      entity_term, known_term_name, term_link
-- Creates:    term_claim
-- Note:       Step 0 is the term itself, 1 a typed exact match, 2 one through a further term, 3 an
--             untyped cross-reference.
with home as (
    select distinct
        entity_kind,
        prefix
    from entity_term
),

hub as (
    select
        home.entity_kind,
        home.prefix as home,
        known_term_name.term_id
    from home
    inner join known_term_name on home.prefix = known_term_name.prefix
    where home.prefix <> 'CHEMBL'
    union
    select
        entity_kind,
        prefix as home,
        term_id
    from entity_term
),

outward_link as (
    select
        hub.entity_kind,
        hub.home,
        term_link.object_id as term_id,
        hub.term_id as hub_id,
        term_link.strength,
        term_link.known_since
    from hub
    inner join term_link on hub.term_id = term_link.term_id
    anti join hub as other
        on
            hub.entity_kind = other.entity_kind
            and hub.home = other.home
            and term_link.object_id = other.term_id
    where term_link.strength in (1, 2)
),

only_typed as (
    select
        entity_kind,
        home,
        term_id,
        min(hub_id) as hub_id,
        min(known_since) as known_since
    from outward_link
    where strength = 1
    group by entity_kind, home, term_id
    having count(distinct hub_id) = 1
),

through_another as (
    select
        only_typed.entity_kind,
        only_typed.home,
        term_link.object_id as term_id,
        only_typed.hub_id,
        greatest(only_typed.known_since, term_link.known_since) as known_since
    from only_typed
    inner join term_link on only_typed.term_id = term_link.term_id
    anti join outward_link
        on
            only_typed.entity_kind = outward_link.entity_kind
            and only_typed.home = outward_link.home
            and term_link.object_id = outward_link.term_id
            and outward_link.strength = 1
    where term_link.strength = 1 and term_link.object_prefix <> only_typed.home
),

claim as (
    select
        entity_kind,
        home,
        term_id,
        term_id as hub_id,
        0 as step,
        cast(null as timestamptz) as known_since
    from hub
    union all
    select
        entity_kind,
        home,
        term_id,
        hub_id,
        if(strength = 1, 1, 3) as step,
        known_since
    from outward_link
    union all
    select
        entity_kind,
        home,
        term_id,
        hub_id,
        2 as step,
        known_since
    from through_another
)

select
    entity_kind,
    home,
    term_id,
    hub_id,
    step,
    min(known_since) as known_since
from claim
group by entity_kind, home, term_id, hub_id, step
