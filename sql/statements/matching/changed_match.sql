-- Title:      What the stored matches of the texts lack: new, stronger, weaker or withdrawn matches
-- Reads:      disease_match, drug_match, found_match, match_kind, registry_text
-- Creates:    changed_match
-- Note:       A match that holds no longer, because a name has come to mean two, is withdrawn as of
--             the latest knowledge; so is the stronger of two kinds when only the weaker remains.
with stored as (
    select
        'disease' as entity_kind,
        folded_text,
        is_mesh_term,
        mesh_id,
        disease_id as entity_id,
        match_kind,
        known_since,
        matching_id
    from disease_match
    union all
    select
        'drug' as entity_kind,
        folded_text,
        is_mesh_term,
        mesh_id,
        drug_id as entity_id,
        match_kind,
        known_since,
        matching_id
    from drug_match
),

latest as (
    select
        stored.entity_kind,
        stored.folded_text,
        stored.is_mesh_term,
        coalesce(stored.mesh_id, '') as mesh_key,
        stored.mesh_id,
        stored.entity_id,
        stored.match_kind,
        stored.known_since,
        coalesce(match_kind.strength, 10) as strength
    from stored
    semi join registry_text
        on
            stored.entity_kind = registry_text.entity_kind
            and stored.folded_text = registry_text.folded_text
            and stored.is_mesh_term = registry_text.is_mesh_term
            and coalesce(stored.mesh_id, '') = coalesce(registry_text.mesh_id, '')
    left join match_kind on stored.match_kind = match_kind.match_kind
    qualify
        row_number() over (
            partition by
                stored.entity_kind,
                stored.folded_text,
                stored.is_mesh_term,
                stored.mesh_id,
                stored.entity_id
            order by
                stored.known_since desc,
                stored.matching_id desc,
                coalesce(match_kind.strength, 10) asc
        ) = 1
),

found as (
    select
        entity_kind,
        folded_text,
        is_mesh_term,
        coalesce(mesh_id, '') as mesh_key,
        mesh_id,
        entity_id,
        strength,
        match_kind,
        matched_part,
        alias_value,
        via,
        known_since,
        is_strongest
    from found_match
)

select
    found.entity_kind,
    found.folded_text,
    found.is_mesh_term,
    found.mesh_id,
    found.entity_id,
    found.match_kind,
    found.matched_part,
    found.alias_value,
    found.via,
    case
        when latest.match_kind is null then found.known_since
        when latest.strength = 10 or latest.strength < found.strength
            then greatest(found.known_since, cast(:known_at as timestamptz))
        else greatest(found.known_since, latest.known_since)
    end as known_since
from found
left join latest using (entity_kind, folded_text, is_mesh_term, mesh_key, entity_id)
where
    latest.match_kind is null
    or (found.is_strongest and (latest.strength = 10 or latest.strength < found.strength))
    or (latest.strength < 10 and latest.strength > found.strength)
union all
select
    latest.entity_kind,
    latest.folded_text,
    latest.is_mesh_term,
    latest.mesh_id,
    latest.entity_id,
    'withdrawn' as match_kind,
    cast(null as varchar) as matched_part,
    cast(null as varchar) as alias_value,
    cast(null as varchar) as via,
    cast(:known_at as timestamptz) as known_since
from latest
anti join found using (entity_kind, folded_text, is_mesh_term, mesh_key, entity_id)
where latest.match_kind <> 'withdrawn'
