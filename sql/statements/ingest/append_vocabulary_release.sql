-- Title:      Appends how many rows of each kind a release of a vocabulary has
-- Reads:      vocabulary_mapping, vocabulary_name, vocabulary_parent, vocabulary_term
-- Writes:     vocabulary_release
-- Parameters: release_id
with appended_row as (
    select
        'term' as kind,
        release_id
    from vocabulary_term
    union all
    select
        'name' as kind,
        release_id
    from vocabulary_name
    union all
    select
        'parent' as kind,
        release_id
    from vocabulary_parent
    union all
    select
        'mapping' as kind,
        release_id
    from vocabulary_mapping
)

select
    cast(:release_id as integer) as release_id,
    count(*) filter (where kind = 'term') as n_terms,
    count(*) filter (where kind = 'name') as n_names,
    count(*) filter (where kind = 'parent') as n_parents,
    count(*) filter (where kind = 'mapping') as n_mappings
from appended_row
where release_id = :release_id
