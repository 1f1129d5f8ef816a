-- Title:      Appends the terms of a release of a vocabulary
-- Reads:      staged_term
-- Writes:     vocabulary_term
select
    cast(:release_id as integer) as release_id,
    term_id,
    label,
    fold_name(label) as folded_label,
    is_obsolete,
    replaced_by
from staged_term
