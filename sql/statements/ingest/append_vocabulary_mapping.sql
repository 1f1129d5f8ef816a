-- Title:      Appends the mappings of the terms of a release, each once
-- Reads:      staged_term_mapping
-- Writes:     vocabulary_mapping
select distinct
    cast(:release_id as integer) as release_id,
    term_id,
    predicate,
    object_id
from staged_term_mapping
