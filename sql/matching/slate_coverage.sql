-- Title:   Whether the sources can see what a slate predicts
-- Formula: for each predicted drug or disease and each source in the store, the strongest match of
--          any record of the source; the FDA is matched by aliases alone, and names no diseases
-- Units:   strength as in match_kind, 0 and the kind 'none' where no record names it; n_predictions
--          of the drug or disease
-- Grain:   slate_id, entity_kind, entity_id, source
with slate_text as (
    select
        slate_entity_text.*,
        evidence_source.source
    from slate_entity_text
    inner join evidence_source
        on
            evidence_source.matched_by = 'texts'
            or (
                evidence_source.matched_by = 'keys and bracketed texts'
                and slate_entity_text.entity_kind = 'disease'
                and suffix(slate_entity_text.value, ']')
            )
    union all by name
    select
        slate_entity_key.*,
        evidence_source.source
    from slate_entity_key
    inner join evidence_source on evidence_source.matched_by <> 'texts'
),

predicted as (
    select
        slate_id,
        'drug' as entity_kind,
        drug_id as entity_id,
        count(*) as n_predictions
    from prediction
    group by slate_id, drug_id
    union all
    select
        slate_id,
        'disease' as entity_kind,
        disease_id as entity_id,
        count(*) as n_predictions
    from prediction
    group by slate_id, disease_id
),

seen as (
    select
        slate_text.slate_id,
        slate_text.entity_kind,
        slate_text.entity_id,
        slate_text.source,
        min(slate_text.strength) as strength
    from slate_text
    inner join source_text using (source, entity_kind, value)
    group by
        slate_text.slate_id, slate_text.entity_kind, slate_text.entity_id, slate_text.source
),

ingested_source as (
    select
        source,
        evidence_source.names_diseases
    from evidence_source
    semi join release using (source)
)

select
    predicted.slate_id,
    predicted.entity_kind,
    predicted.entity_id,
    ingested_source.source,
    coalesce(seen.strength, 0) as strength,
    coalesce(match_kind.match_kind, 'none') as match_kind,
    predicted.n_predictions
from predicted
inner join ingested_source
    on ingested_source.names_diseases or predicted.entity_kind = 'drug'
left join seen
    on
        predicted.slate_id = seen.slate_id
        and predicted.entity_kind = seen.entity_kind
        and predicted.entity_id = seen.entity_id
        and ingested_source.source = seen.source
left join match_kind on seen.strength = match_kind.strength
