-- Title:   Texts of the registry that mean a drug or disease, each from when to when
-- Formula: a match holds from the instant at which the store knew all that makes it until the next
--          row for the same text and drug or disease: a stronger kind, a weaker one, or its
--          withdrawal
-- Units:   instants in UTC; known_until is NULL while the match holds; mesh_id is '' where the
--          registry gives none; value is the text, that of a MeSH term with its id; a slate uses
--          the matches that held when it was recorded
-- Grain:   folded_text, is_mesh_term, mesh_id, entity_kind, entity_id, known_since
with resolved_text as (
    select
        'drug' as entity_kind,
        drug_id as entity_id,
        matching_id,
        folded_text,
        is_mesh_term,
        mesh_id,
        match_kind,
        matched_part,
        alias_value,
        via,
        known_since
    from drug_match
    union all
    select
        'disease' as entity_kind,
        disease_id as entity_id,
        matching_id,
        folded_text,
        is_mesh_term,
        mesh_id,
        match_kind,
        matched_part,
        alias_value,
        via,
        known_since
    from disease_match
),

period as (
    select
        resolved_text.folded_text,
        resolved_text.is_mesh_term,
        coalesce(resolved_text.mesh_id, '') as mesh_id,
        resolved_text.entity_kind,
        resolved_text.entity_id,
        resolved_text.match_kind,
        match_kind.strength,
        resolved_text.matched_part,
        resolved_text.alias_value,
        resolved_text.via,
        resolved_text.known_since,
        lead(resolved_text.known_since) over (
            partition by
                resolved_text.folded_text,
                resolved_text.is_mesh_term,
                resolved_text.mesh_id,
                resolved_text.entity_id,
                resolved_text.entity_kind
            order by
                resolved_text.known_since asc,
                resolved_text.matching_id asc,
                match_kind.strength desc nulls first
        ) as known_until
    from resolved_text
    left join match_kind on resolved_text.match_kind = match_kind.match_kind
)

select
    folded_text,
    is_mesh_term,
    mesh_id,
    if(
        is_mesh_term,
        concat(folded_text, ' [', coalesce(nullif(mesh_id, ''), 'MeSH'), ']'),
        folded_text
    ) as value,
    entity_kind,
    entity_id,
    match_kind,
    strength,
    matched_part,
    alias_value,
    via,
    known_since,
    known_until
from period
where strength is not null and coalesce(known_since < known_until, true)
