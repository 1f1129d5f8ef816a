-- Title:   Texts by which evidence refers to a slate's drugs and diseases
-- Formula: the slate's keys, and the texts that a kind of match which counts for it resolved to
--          a drug or disease when the slate was recorded, or for drugs that came with attached
--          candidates when these were attached
-- Source:  docs/metrics.md#slate_entity_text
-- Units:   value as in entity_text; strength as in match_kind, the strongest; known_since is
--          the first instant
-- Grain:   slate_id, entity_kind, entity_id, value
with known_text as (
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
    inner join match_period
        on
            slate_match_kind.strength = match_period.strength
            and slate_match_kind.recorded_at >= match_period.known_since
            and coalesce(slate_match_kind.recorded_at < match_period.known_until, true)
    union all
    select
        attached_drug.slate_id,
        'drug' as entity_kind,
        attached_drug.drug_id as entity_id,
        match_period.value,
        match_period.strength,
        match_period.known_since
    from attached_drug
    inner join slate_match_kind on attached_drug.slate_id = slate_match_kind.slate_id
    inner join match_period
        on
            match_period.entity_kind = 'drug'
            and attached_drug.drug_id = match_period.entity_id
            and slate_match_kind.strength = match_period.strength
            and attached_drug.known_by >= match_period.known_since
            and coalesce(attached_drug.known_by < match_period.known_until, true)
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
