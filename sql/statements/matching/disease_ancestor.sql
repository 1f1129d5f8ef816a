-- Title:      The diseases of the store that each bearer of names is a kind of
-- Reads:      bearer_term, current_identifier, release, vocabulary_parent
-- Creates:    disease_ancestor
-- Note:       Downwards from the terms that a disease is, and from their exact matches, along the
--             parents in every vocabulary; a circle of parents ends where it began.
with recursive edge as materialized (
    select
        coalesce(child.term_id, vocabulary_parent.term_id) as term_id,
        coalesce(above.term_id, vocabulary_parent.parent_term_id) as parent_id,
        min(greatest(release.ingested_at, child.known_since, above.known_since)) as known_since
    from vocabulary_parent
    inner join release on vocabulary_parent.release_id = release.release_id
    left join current_identifier as child on vocabulary_parent.term_id = child.old_id
    left join current_identifier as above on vocabulary_parent.parent_term_id = above.old_id
    group by
        coalesce(child.term_id, vocabulary_parent.term_id),
        coalesce(above.term_id, vocabulary_parent.parent_term_id)
),

root as (
    select
        entity_id,
        term_id,
        alias_value,
        known_since
    from bearer_term
    where entity_kind = 'disease' and entity_id is not null and step <= 2
),

distinct_root as (
    select distinct term_id
    from root
),

below as (
    select
        edge.parent_id as root_id,
        edge.term_id,
        edge.known_since
    from edge
    inner join distinct_root on edge.parent_id = distinct_root.term_id
    union
    select
        below.root_id,
        edge.term_id,
        greatest(below.known_since, edge.known_since) as known_since
    from below
    inner join edge on below.term_id = edge.parent_id
),

descendant as (
    select
        below.root_id,
        below.term_id,
        min(below.known_since) as known_since
    from below
    group by below.root_id, below.term_id
),

-- On its own, so that the diseases are compared after the joins and not by all pairs.
kin as materialized (
    select
        bearer_term.bearer,
        bearer_term.entity_id as own_id,
        root.entity_id,
        root.alias_value,
        concat(descendant.term_id, ' is_a ', descendant.root_id) as via,
        greatest(root.known_since, descendant.known_since, bearer_term.known_since)
            as known_since
    from root
    inner join descendant on root.term_id = descendant.root_id
    inner join bearer_term on descendant.term_id = bearer_term.term_id
    where bearer_term.entity_kind = 'disease'
)

select
    kin.bearer,
    kin.entity_id,
    arg_min(kin.alias_value, (kin.known_since, kin.via)) as alias_value,
    arg_min(kin.via, (kin.known_since, kin.via)) as via,
    min(kin.known_since) as known_since
from kin
where kin.own_id is distinct from kin.entity_id
group by kin.bearer, kin.entity_id
