-- Title:   Texts of the registry that mean a drug, each from when to when
-- Formula: a match holds from the instant at which the store knew all that makes it until the next
--          row for the same text and drug: a stronger kind, a weaker one, or its withdrawal
-- Source:  docs/metrics.md#drug_match_period
-- Units:   instants in UTC; known_until is NULL while the match holds; mesh_id is '' where the
--          registry gives none; value is the text, that of a MeSH term with its id; a slate uses
--          the matches that held when it was recorded
-- Grain:   folded_text, is_mesh_term, mesh_id, drug_id, known_since
with period as (
    select
        drug_match.folded_text,
        drug_match.is_mesh_term,
        coalesce(drug_match.mesh_id, '') as mesh_id,
        drug_match.drug_id,
        drug_match.match_kind,
        match_kind.strength,
        drug_match.matched_part,
        drug_match.alias_value,
        drug_match.via,
        drug_match.known_since,
        lead(drug_match.known_since) over (
            partition by
                drug_match.folded_text,
                drug_match.is_mesh_term,
                drug_match.mesh_id,
                drug_match.drug_id
            order by
                drug_match.known_since asc,
                drug_match.matching_id asc,
                match_kind.strength desc nulls first
        ) as known_until
    from drug_match
    left join match_kind on drug_match.match_kind = match_kind.match_kind
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
    drug_id,
    match_kind,
    strength,
    matched_part,
    alias_value,
    via,
    known_since,
    known_until
from period
where strength is not null and coalesce(known_since < known_until, true)
