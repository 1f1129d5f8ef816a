-- Title:      Appends the parents of the terms of a release, each once
-- Reads:      staged_term_parent
-- Writes:     vocabulary_parent
select distinct
    cast(:release_id as integer) as release_id,
    term_id,
    parent_term_id
from staged_term_parent
