-- Title:      Whose each term is: a drug's or disease's of the store, or that of no one there
-- Reads:      concept_term, entity_term, known_term_name, match_prefix
-- Creates:    bearer_term
-- Note:       A bearer of names is an entity of the store, a term of the vocabularies that its
--             identifiers come from, or, elsewhere, all terms with one label.
with borne as (
    select
        concept_term.entity_kind,
        entity_term.entity_id,
        concept_term.home,
        concept_term.term_id,
        concept_term.hub_id,
        concept_term.step,
        entity_term.tie,
        entity_term.alias_value,
        greatest(entity_term.known_since, concept_term.known_since) as known_since
    from concept_term
    left join entity_term
        on
            concept_term.entity_kind = entity_term.entity_kind
            and concept_term.hub_id = entity_term.term_id
),

label as (
    select
        term_id,
        prefix,
        min(folded_name) filter (where scope = 'label') as folded_label
    from known_term_name
    group by term_id, prefix
),

elsewhere as (
    select
        entity.entity_kind,
        label.term_id,
        label.prefix,
        label.folded_label
    from label
    cross join (values ('disease'), ('drug')) as entity (entity_kind)
    left join match_prefix on label.prefix = match_prefix.prefix
    anti join concept_term
        on entity.entity_kind = concept_term.entity_kind and label.term_id = concept_term.term_id
    where coalesce(match_prefix.entity_kind, entity.entity_kind) = entity.entity_kind
)

select
    entity_kind,
    coalesce(entity_kind || ' ' || entity_id, hub_id) as bearer,
    entity_id,
    home,
    term_id,
    step,
    tie,
    alias_value,
    known_since
from borne
qualify
    entity_id is not null
    or count(entity_id) over (partition by entity_kind, term_id) = 0
union all
select
    entity_kind,
    coalesce('label ' || folded_label, term_id) as bearer,
    cast(null as integer) as entity_id,
    prefix as home,
    term_id,
    cast(null as integer) as step,
    cast(null as varchar) as tie,
    cast(null as varchar) as alias_value,
    cast(null as timestamptz) as known_since
from elsewhere
