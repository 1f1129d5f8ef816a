-- Title:      Appends the matches of texts with drugs that the store lacks
-- Reads:      changed_match
-- Writes:     drug_match
select
    cast(:matching_id as integer) as matching_id,
    folded_text,
    is_mesh_term,
    mesh_id,
    entity_id as drug_id,
    match_kind,
    matched_part,
    alias_value,
    via,
    known_since
from changed_match
where entity_kind = 'drug'
