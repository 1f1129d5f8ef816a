-- Title:      The terms that the store's drugs and diseases are, by identifier, else by name
-- Reads:      current_identifier, disease_alias, drug_alias, identifier_spelling, known_term_name,
--             match_prefix, term_link
-- Creates:    entity_term
-- Note:       By name: none of the identifiers is known to a vocabulary, as a drug's never is, and
--             one term of the vocabulary has the name as its label, else as an exact synonym.
with identified as (
    select
        'disease' as entity_kind,
        disease_alias.disease_id as entity_id,
        disease_alias.value as alias_value,
        disease_alias.added_at,
        identifier_spelling.identifier
    from disease_alias
    inner join identifier_spelling on disease_alias.value = identifier_spelling.given
    where disease_alias.kind in ('efo_id', 'mondo_id', 'mesh_id')
    union all
    select
        'drug' as entity_kind,
        drug_alias.drug_id as entity_id,
        drug_alias.value as alias_value,
        drug_alias.added_at,
        identifier_spelling.identifier
    from drug_alias
    inner join identifier_spelling on drug_alias.value = identifier_spelling.given
    where drug_alias.kind = 'chembl_id'
),

identifier_tie as (
    select
        identified.entity_kind,
        identified.entity_id,
        identified.alias_value,
        coalesce(current_identifier.term_id, identified.identifier) as term_id,
        greatest(identified.added_at, current_identifier.known_since) as known_since
    from identified
    left join current_identifier on identified.identifier = current_identifier.old_id
),

known_disease as (
    select identifier_tie.entity_id
    from identifier_tie
    where
        identifier_tie.entity_kind = 'disease'
        and (
            identifier_tie.term_id in (select known_term_name.term_id from known_term_name)
            or identifier_tie.term_id in (select term_link.term_id from term_link)
        )
),

own_name as (
    select
        'disease' as entity_kind,
        disease_alias.disease_id as entity_id,
        disease_alias.value as alias_value,
        disease_alias.added_at
    from disease_alias
    anti join known_disease on disease_alias.disease_id = known_disease.entity_id
    where disease_alias.kind = 'name'
    union all
    select
        'drug' as entity_kind,
        drug_id as entity_id,
        value as alias_value,
        added_at
    from drug_alias
    where kind = 'name'
),

bearer_of_name as (
    select
        own_name.entity_kind,
        own_name.entity_id,
        own_name.alias_value,
        known_term_name.term_id,
        known_term_name.prefix,
        known_term_name.scope,
        greatest(own_name.added_at, known_term_name.known_since) as known_since
    from own_name
    inner join known_term_name on own_name.alias_value = known_term_name.folded_name
    left join match_prefix on known_term_name.prefix = match_prefix.prefix
    where
        known_term_name.prefix <> 'CHEMBL'
        and coalesce(match_prefix.entity_kind, own_name.entity_kind) = own_name.entity_kind
    qualify
        known_term_name.scope = max(known_term_name.scope) over (
            partition by own_name.entity_kind, own_name.entity_id, known_term_name.prefix
        )
)

select
    entity_kind,
    entity_id,
    term_id,
    regexp_extract(term_id, '^[A-Za-z.]+') as prefix,
    'identifier' as tie,
    min(alias_value) as alias_value,
    min(known_since) as known_since
from identifier_tie
group by entity_kind, entity_id, term_id
union all
select
    entity_kind,
    entity_id,
    min(term_id) as term_id,
    prefix,
    any_value(scope) as tie,
    min(alias_value) as alias_value,
    min(known_since) as known_since
from bearer_of_name
group by entity_kind, entity_id, prefix
having count(distinct term_id) = 1
