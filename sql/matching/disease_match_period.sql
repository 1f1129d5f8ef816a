-- Title:   Texts of the registry that mean a disease, each from when to when
-- Formula: a match holds from the instant at which the store knew all that makes it until the next
--          row for the same text and disease: a stronger kind, a weaker one, or its withdrawal
-- Source:  docs/metrics.md#disease_match_period
-- Units:   instants in UTC; known_until is NULL while the match holds; mesh_id is '' where the
--          registry gives none; value is the text, that of a MeSH term with its id; a slate uses
--          the matches that held when it was recorded
-- Grain:   folded_text, is_mesh_term, mesh_id, disease_id, known_since
with period as (
    select
        disease_match.folded_text,
        disease_match.is_mesh_term,
        coalesce(disease_match.mesh_id, '') as mesh_id,
        disease_match.disease_id,
        disease_match.match_kind,
        match_kind.strength,
        disease_match.matched_part,
        disease_match.alias_value,
        disease_match.via,
        disease_match.known_since,
        lead(disease_match.known_since) over (
            partition by
                disease_match.folded_text,
                disease_match.is_mesh_term,
                disease_match.mesh_id,
                disease_match.disease_id
            order by
                disease_match.known_since asc,
                disease_match.matching_id asc,
                match_kind.strength desc nulls first
        ) as known_until
    from disease_match
    left join match_kind on disease_match.match_kind = match_kind.match_kind
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
    disease_id,
    match_kind,
    strength,
    matched_part,
    alias_value,
    via,
    known_since,
    known_until
from period
where strength is not null and coalesce(known_since < known_until, true)
