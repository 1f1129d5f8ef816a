-- Title:   A release of a vocabulary has the rows that were counted when it was ingested
-- When:    audit
-- Grain:   release_id
with vocabulary_row as (
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
),

found_count as (
    select
        release_id,
        count(*) filter (where kind = 'term') as n_terms,
        count(*) filter (where kind = 'name') as n_names,
        count(*) filter (where kind = 'parent') as n_parents,
        count(*) filter (where kind = 'mapping') as n_mappings
    from vocabulary_row
    group by release_id
)

select
    coalesce(vocabulary_release.release_id, found_count.release_id) as release_id,
    'rows were added or removed, or the release is unknown' as reason
from vocabulary_release
full outer join found_count using (release_id)
where
    vocabulary_release.n_terms is distinct from found_count.n_terms
    or vocabulary_release.n_names is distinct from found_count.n_names
    or vocabulary_release.n_parents is distinct from found_count.n_parents
    or vocabulary_release.n_mappings is distinct from found_count.n_mappings
