-- Title:   Terms of vocabularies that are closely related
-- Formula: ancestors that have at most 100 terms at or below them, descendants of terms that have
--          at most 100; siblings below a parent that is no area and has at most 50; the term itself
-- Units:   relation is 'same disease', 'ancestor', 'descendant' or 'sibling': what related_term_id
--          is to term_id; class_size counts the terms at or below the broader one, of siblings
--          their parent
-- Grain:   release_id, term_id, related_term_id, relation
with recursive term as materialized (
    select distinct
        release_id,
        term_id
    from vocabulary_area
),

area as (
    select distinct
        release_id,
        area_id as term_id
    from vocabulary_area
),

-- Classes above the areas have all diseases below them.
edge as materialized (
    select distinct
        vocabulary_parent.release_id,
        vocabulary_parent.term_id,
        vocabulary_parent.parent_term_id as class_id
    from vocabulary_parent
    semi join term
        on
            vocabulary_parent.release_id = term.release_id
            and vocabulary_parent.term_id = term.term_id
    semi join term as parent
        on
            vocabulary_parent.release_id = parent.release_id
            and vocabulary_parent.parent_term_id = parent.term_id
),

below as (
    select
        release_id,
        term_id,
        term_id as class_id
    from term
    union
    select
        below.release_id,
        below.term_id,
        edge.class_id
    from below
    inner join edge
        on
            below.release_id = edge.release_id
            and below.class_id = edge.term_id
),

narrow_class as materialized (
    select
        release_id,
        class_id,
        count(*) as class_size
    from below
    group by release_id, class_id
    having count(*) <= 100
),

parent as (
    select
        edge.release_id,
        edge.class_id,
        edge.term_id,
        narrow_class.class_size
    from edge
    inner join narrow_class
        on
            edge.release_id = narrow_class.release_id
            and edge.class_id = narrow_class.class_id
    anti join area
        on
            edge.release_id = area.release_id
            and edge.class_id = area.term_id
    where narrow_class.class_size <= 50
)

select
    below.release_id,
    unnest([below.term_id, below.class_id]) as term_id,
    unnest([below.class_id, below.term_id]) as related_term_id,
    unnest(['ancestor', 'descendant']) as relation,
    narrow_class.class_size
from below
inner join narrow_class
    on
        below.release_id = narrow_class.release_id
        and below.class_id = narrow_class.class_id
where below.term_id <> below.class_id
union all
select
    parent.release_id,
    parent.term_id,
    sibling.term_id as related_term_id,
    'sibling' as relation,
    min(parent.class_size) as class_size
from parent
inner join parent as sibling
    on
        parent.release_id = sibling.release_id
        and parent.class_id = sibling.class_id
where parent.term_id <> sibling.term_id
group by parent.release_id, parent.term_id, sibling.term_id
union all
select
    release_id,
    term_id,
    term_id as related_term_id,
    'same disease' as relation,
    1 as class_size
from term
