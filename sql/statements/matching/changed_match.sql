-- Title:      What the stored matches of the texts lack: new, stronger, weaker or withdrawn matches
-- Reads:      disease_match, drug_match, found_match, match_kind, registry_text
-- Creates:    changed_match
-- Parameters: known_at
-- Note:       A match that holds no longer, because a name has come to mean two, is withdrawn as of
--             the latest knowledge; so is the stronger of two kinds when only the weaker remains.
with stored as (
    select
        'disease' as entity_kind,
        disease_id as entity_id,
        * exclude (disease_id)
    from disease_match
    union all
    select
        'drug' as entity_kind,
        drug_id as entity_id,
        * exclude (drug_id)
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
    left join match_kind on stored.match_kind = match_kind.match_kind
    qualify
        row_number() over (
            partition by
                stored.entity_kind,
                stored.folded_text,
                stored.is_mesh_term,
                stored.mesh_id,
                stored.entity_id
            order by stored.known_since desc, stored.matching_id desc, strength asc
        ) = 1
),

strongest as (
    select
        *,
        coalesce(mesh_id, '') as mesh_key,
        min(strength) over (
            partition by entity_kind, folded_text, is_mesh_term, mesh_id, entity_id
        ) as best
    from found_match
)

select
    strongest.entity_kind,
    strongest.folded_text,
    strongest.is_mesh_term,
    strongest.mesh_id,
    strongest.entity_id,
    strongest.match_kind,
    strongest.matched_part,
    strongest.alias_value,
    strongest.via,
    case
        when latest.match_kind is null then strongest.known_since
        when latest.strength = 10 or latest.strength < strongest.best
            then greatest(strongest.known_since, cast(:known_at as timestamptz))
        else greatest(strongest.known_since, latest.known_since)
    end as known_since
from strongest
left join latest using (entity_kind, folded_text, is_mesh_term, mesh_key, entity_id)
where
    latest.match_kind is null
    or (latest.strength = 10 and strongest.strength = strongest.best)
    or (latest.strength < strongest.best and strongest.strength = strongest.best)
    or (latest.strength < 10 and latest.strength > strongest.strength)
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
anti join strongest using (entity_kind, folded_text, is_mesh_term, mesh_key, entity_id)
inner join registry_text
    on
        latest.entity_kind = registry_text.entity_kind
        and latest.folded_text = registry_text.folded_text
        and latest.is_mesh_term = registry_text.is_mesh_term
        and latest.mesh_key = coalesce(registry_text.mesh_id, '')
where latest.match_kind <> 'withdrawn'
