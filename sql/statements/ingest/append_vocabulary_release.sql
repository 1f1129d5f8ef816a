-- Title:      Appends how many rows of each kind a release of a vocabulary has
-- Reads:      vocabulary_mapping, vocabulary_name, vocabulary_parent, vocabulary_term
-- Writes:     vocabulary_release
select
    cast(:release_id as integer) as release_id,
    (
        select count(*) from vocabulary_term
        where release_id = :release_id
    ) as n_terms,
    (
        select count(*) from vocabulary_name
        where release_id = :release_id
    ) as n_names,
    (
        select count(*) from vocabulary_parent
        where release_id = :release_id
    ) as n_parents,
    (
        select count(*) from vocabulary_mapping
        where release_id = :release_id
    ) as n_mappings
