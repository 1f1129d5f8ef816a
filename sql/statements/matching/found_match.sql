-- Title:      Every match of the texts: the strongest kind, and a weaker one where known earlier
-- Reads:      bearer_term, current_identifier, disease_ancestor, entity_term,
--             identifier_spelling, match_kind, plain_spelling, registry_text, text_entity
-- Creates:    found_match
-- Note:       The registry's MeSH term, or a term of an indication, means whom its identifier
--             means; where that is no entity of the store, the one of which it is the name.
with given_text as materialized (
    select
        registry_text.entity_kind,
        registry_text.folded_text,
        registry_text.is_mesh_term,
        registry_text.mesh_id,
        coalesce(plain_spelling.plain, registry_text.folded_text) as plain,
        row_number() over () as text_id
    from registry_text
    left join plain_spelling on registry_text.folded_text = plain_spelling.folded
),

identified as (
    select
        given_text.text_id,
        1 as strength,
        concat(given_text.entity_kind, ' ', entity_term.entity_id) as bearer,
        entity_term.entity_id,
        cast(null as varchar) as matched_part,
        entity_term.alias_value,
        cast(null as varchar) as via,
        entity_term.known_since
    from given_text
    inner join identifier_spelling on given_text.folded_text = identifier_spelling.given
    inner join entity_term
        on
            given_text.entity_kind = entity_term.entity_kind
            and identifier_spelling.identifier = entity_term.term_id
    where not given_text.is_mesh_term and entity_term.tie = 'identifier'
    qualify
        count(*) over (partition by given_text.entity_kind, given_text.folded_text) = 1
),

given_mesh as (
    select distinct
        entity_kind,
        mesh_id
    from given_text
),

mesh_bearer as (
    select
        given_mesh.entity_kind,
        given_mesh.mesh_id,
        bearer_term.bearer,
        bearer_term.entity_id,
        bearer_term.alias_value,
        bearer_term.term_id,
        greatest(bearer_term.known_since, current_identifier.known_since) as known_since
    from given_mesh
    inner join identifier_spelling on given_mesh.mesh_id = identifier_spelling.given
    left join current_identifier on identifier_spelling.identifier = current_identifier.old_id
    inner join bearer_term
        on
            given_mesh.entity_kind = bearer_term.entity_kind
            and coalesce(current_identifier.term_id, identifier_spelling.identifier)
            = bearer_term.term_id
    where bearer_term.step is not null
    qualify
        bearer_term.step = min(bearer_term.step) over (
            partition by given_mesh.entity_kind, given_mesh.mesh_id
        )
),

one_mesh_bearer as (
    select
        entity_kind,
        mesh_id,
        any_value(bearer) as bearer,
        any_value(entity_id) as entity_id,
        any_value(alias_value) as alias_value,
        any_value(term_id) as term_id,
        min(known_since) as known_since,
        count(distinct bearer) as n_bearers
    from mesh_bearer
    group by entity_kind, mesh_id
),

registered as (
    select
        given_text.text_id,
        text_entity.strength,
        text_entity.bearer,
        text_entity.entity_id,
        if(text_entity.part = given_text.plain, null, text_entity.part) as matched_part,
        text_entity.alias_value,
        text_entity.via,
        text_entity.known_since
    from given_text
    inner join text_entity using (entity_kind, plain)
    where not given_text.is_mesh_term
),

derived as (
    select
        given_text.text_id,
        if(given_text.mesh_id like 'MESH:%', 5, 4) as strength,
        one_mesh_bearer.bearer,
        one_mesh_bearer.entity_id,
        cast(null as varchar) as matched_part,
        one_mesh_bearer.alias_value,
        one_mesh_bearer.term_id as via,
        one_mesh_bearer.known_since
    from given_text
    inner join one_mesh_bearer using (entity_kind, mesh_id)
    where given_text.is_mesh_term and one_mesh_bearer.n_bearers = 1
    union all
    select
        given_text.text_id,
        if(
            coalesce(given_text.mesh_id like 'MESH:%', true), 5, greatest(text_entity.strength, 4)
        ) as strength,
        text_entity.bearer,
        text_entity.entity_id,
        cast(null as varchar) as matched_part,
        text_entity.alias_value,
        text_entity.via,
        text_entity.known_since
    from given_text
    inner join text_entity using (entity_kind, plain)
    left join one_mesh_bearer using (entity_kind, mesh_id)
    where
        given_text.is_mesh_term
        and text_entity.place in ('whole', 'class')
        and text_entity.strength <= if(one_mesh_bearer.bearer is null, 6, 3)
        and (one_mesh_bearer.n_bearers is distinct from 1 or one_mesh_bearer.entity_id is null)
),

direct as (
    from identified
    union all
    from registered
    union all
    from derived
),

related as (
    select
        direct.text_id,
        9 as strength,
        direct.bearer,
        disease_ancestor.entity_id,
        direct.matched_part,
        disease_ancestor.alias_value,
        disease_ancestor.via,
        greatest(direct.known_since, disease_ancestor.known_since) as known_since
    from direct
    inner join disease_ancestor on direct.bearer = disease_ancestor.bearer
),

found as (
    from direct
    where entity_id is not null
    union all
    from related
),

-- The strongest, then what is weaker but was known before all that is stronger.
ranked as (
    select
        found.text_id,
        found.strength,
        found.entity_id,
        found.matched_part,
        found.alias_value,
        found.via,
        found.known_since,
        row_number() over strongest_first = 1 as is_strongest,
        min(found.known_since) over (
            strongest_first rows between unbounded preceding and 1 preceding
        ) as known_before
    from found
    window
        strongest_first as (
            partition by found.text_id, found.entity_id
            order by
                found.strength,
                found.known_since,
                found.matched_part nulls first,
                found.via nulls first,
                found.alias_value
        )
)

select
    given_text.entity_kind,
    given_text.folded_text,
    given_text.is_mesh_term,
    given_text.mesh_id,
    ranked.entity_id,
    ranked.strength,
    match_kind.match_kind,
    ranked.matched_part,
    ranked.alias_value,
    ranked.via,
    ranked.known_since,
    ranked.is_strongest
from ranked
inner join given_text on ranked.text_id = given_text.text_id
inner join match_kind on ranked.strength = match_kind.strength
where ranked.is_strongest or ranked.known_since < ranked.known_before
