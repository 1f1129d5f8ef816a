-- Title:   Whether the sources can see a drug or disease of the store
-- Result:  Evidence and matching
-- Formula: for each source in the store, the strongest match that any record of it has now; the FDA
--          is matched by aliases alone, and names no diseases
-- Units:   strength as in match_kind, 0 and the kind 'none' where no record names it
-- Grain:   entity_kind, entity_id, source
with entity as (
    select
        'drug' as entity_kind,
        drug_id as entity_id
    from drug
    union all
    select
        'disease' as entity_kind,
        disease_id as entity_id
    from disease
),

seen as (
    select
        entity_text.entity_kind,
        entity_text.entity_id,
        source_text.source,
        min(entity_text.strength) as strength
    from entity_text
    inner join source_text using (entity_kind, value)
    inner join evidence_source on source_text.source = evidence_source.source
    where
        not entity_text.is_shared
        and (
            entity_text.level = 0
            or evidence_source.matched_by = 'texts'
            or (
                evidence_source.matched_by = 'keys and bracketed texts'
                and suffix(source_text.value, ']')
            )
        )
    group by entity_text.entity_kind, entity_text.entity_id, source_text.source
),

ingested_source as (
    select
        source,
        evidence_source.names_diseases
    from evidence_source
    semi join release using (source)
)

select
    entity.entity_kind,
    entity.entity_id,
    ingested_source.source,
    coalesce(seen.strength, 0) as strength,
    coalesce(match_kind.match_kind, 'none') as match_kind
from entity
inner join ingested_source on ingested_source.names_diseases or entity.entity_kind = 'drug'
left join seen
    on
        entity.entity_kind = seen.entity_kind
        and entity.entity_id = seen.entity_id
        and ingested_source.source = seen.source
left join match_kind on seen.strength = match_kind.strength
