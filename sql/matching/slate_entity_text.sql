-- Title:   Texts by which evidence refers to a slate's drugs and diseases
-- Formula: the slate's keys, and the texts that a kind of match which counts for it resolved to
--          a drug or disease when the slate was recorded, or for drugs that came with attached
--          candidates when these were attached
-- Units:   value as in entity_text; strength as in match_kind, the strongest; known_since is
--          the first instant
-- Grain:   slate_id, entity_kind, entity_id, value
with new_entity as (
    select
        slate_id,
        'drug' as entity_kind,
        drug_id as entity_id,
        known_by
    from attached_drug
),

known_text as (
    select
        slate_id,
        entity_kind,
        entity_id,
        value,
        strength,
        known_since
    from slate_entity_key
    union all
    select
        slate_match_kind.slate_id,
        match_period.entity_kind,
        match_period.entity_id,
        match_period.value,
        match_period.strength,
        match_period.known_since
    from slate_match_kind
    inner join match_period on slate_match_kind.strength = match_period.strength
    left join new_entity
        on
            slate_match_kind.slate_id = new_entity.slate_id
            and match_period.entity_kind = new_entity.entity_kind
            and match_period.entity_id = new_entity.entity_id
    where
        coalesce(new_entity.known_by, slate_match_kind.recorded_at) >= match_period.known_since
        and coalesce(
            coalesce(new_entity.known_by, slate_match_kind.recorded_at)
            < match_period.known_until,
            true
        )
)

select
    slate_id,
    entity_kind,
    entity_id,
    value,
    min(strength) as strength,
    min(known_since) as known_since
from known_text
group by slate_id, entity_kind, entity_id, value
