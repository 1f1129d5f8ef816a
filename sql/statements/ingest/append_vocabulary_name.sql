-- Title:      Appends the names of the terms of a release, each once per scope
-- Reads:      staged_term_name
-- Writes:     vocabulary_name
with given_name as (
    select distinct
        term_id,
        scope,
        name
    from staged_term_name
)

select
    cast(:release_id as integer) as release_id,
    term_id,
    scope,
    name,
    fold_name(name) as folded_name
from given_name
