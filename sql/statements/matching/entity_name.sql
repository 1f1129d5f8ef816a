-- Title:      Every name of every drug and disease, with its kind and since when it is known
-- Reads:      bearer_term, current_molecule, disease_alias, drug_alias, entity_term,
--             known_term_name, plain_spelling
-- Creates:    entity_name
-- Note:       Strength as in match_kind: 2 name, 3 exact synonym, 4 exact cross-reference, 6 the
--             name of another form (salt or parent) of a molecule, 7 that of a combination. A name
--             that the store does not have rivals that of an entity only within the entity's own
--             vocabulary; elsewhere the two vocabularies mean the same by it. 'A component of B'
--             makes A a member of the combination B, the one bearer that has several entities.
with own_name as (
    select
        'disease' as entity_kind,
        disease_id as entity_id,
        value as folded_name,
        if(kind = 'name', 2, 3) as strength,
        value as alias_value,
        added_at as known_since
    from disease_alias
    where kind in ('name', 'synonym')
    union all
    select
        'drug' as entity_kind,
        drug_id as entity_id,
        value as folded_name,
        if(kind = 'name', 2, 3) as strength,
        value as alias_value,
        added_at as known_since
    from drug_alias
    where kind in ('name', 'synonym')
),

drug_molecule as (
    select
        drug_alias.drug_id,
        drug_alias.value,
        drug_alias.added_at,
        current_molecule.chembl_id,
        current_molecule.family_chembl_id,
        current_molecule.known_since
    from drug_alias
    left join current_molecule on drug_alias.value = current_molecule.chembl_id
    where drug_alias.kind = 'chembl_id'
),

-- Molecules of one family that are no drug of the store themselves.
relative as (
    select distinct
        drug_molecule.drug_id,
        drug_molecule.value as alias_value,
        current_molecule.chembl_id,
        greatest(
            drug_molecule.added_at, drug_molecule.known_since, current_molecule.known_since
        ) as known_since
    from drug_molecule
    inner join current_molecule
        on drug_molecule.family_chembl_id = current_molecule.family_chembl_id
    anti join drug_molecule as own on current_molecule.chembl_id = own.value
),

named as (
    select
        entity_kind,
        entity_kind || ' ' || entity_id as bearer,
        entity_id,
        cast(null as varchar) as home,
        true as is_home,
        folded_name,
        strength,
        alias_value,
        cast(null as varchar) as via,
        known_since
    from own_name
    union all
    select
        bearer_term.entity_kind,
        bearer_term.bearer,
        bearer_term.entity_id,
        bearer_term.home,
        bearer_term.step is not null as is_home,
        known_term_name.folded_name,
        case
            when bearer_term.step > 0 then 4
            when known_term_name.scope = 'label' and coalesce(bearer_term.tie, '') <> 'exact' then 2
            else 3
        end as strength,
        bearer_term.alias_value,
        concat(known_term_name.term_id, ' "', known_term_name.folded_name, '"') as via,
        greatest(bearer_term.known_since, known_term_name.known_since) as known_since
    from bearer_term
    inner join known_term_name on bearer_term.term_id = known_term_name.term_id
    anti join relative
        on bearer_term.entity_kind = 'drug' and bearer_term.term_id = relative.chembl_id
    union all
    select
        'drug' as entity_kind,
        'drug ' || relative.drug_id as bearer,
        relative.drug_id as entity_id,
        'CHEMBL' as home,
        true as is_home,
        known_term_name.folded_name,
        6 as strength,
        relative.alias_value,
        concat(known_term_name.term_id, ' "', known_term_name.folded_name, '"') as via,
        greatest(relative.known_since, known_term_name.known_since) as known_since
    from relative
    inner join known_term_name on relative.chembl_id = known_term_name.term_id
),

spelled_name as (
    select
        named.entity_kind,
        named.bearer,
        named.entity_id,
        named.home,
        named.is_home,
        named.strength,
        named.alias_value,
        named.via,
        named.known_since,
        coalesce(plain_spelling.plain, named.folded_name) as plain
    from named
    left join plain_spelling on named.folded_name = plain_spelling.folded
),

plain_name as (
    from spelled_name
    union all
    select
        entity_kind,
        'combination ' || regexp_extract(plain, '. component of (.+)$', 1) as bearer,
        entity_id,
        home,
        is_home,
        7 as strength,
        alias_value,
        via,
        known_since,
        regexp_extract(plain, '. component of (.+)$', 1) as plain
    from spelled_name
    where entity_kind = 'drug' and regexp_matches(plain, '. component of .')
),

held_name as (
    select distinct
        plain_name.entity_kind,
        plain_name.plain,
        entity_term.prefix
    from plain_name
    left join entity_term using (entity_kind, entity_id)
    where plain_name.entity_id is not null
)

select
    plain_name.entity_kind,
    plain_name.bearer,
    plain_name.entity_id,
    plain_name.plain,
    plain_name.strength,
    not plain_name.is_home as is_foreign,
    plain_name.alias_value,
    plain_name.via,
    plain_name.known_since
from plain_name
where
    plain_name.plain <> ''
    and (
        plain_name.entity_id is not null
        or (plain_name.entity_kind, plain_name.plain)
        not in (select (held_name.entity_kind, held_name.plain) from held_name)
        or (
            plain_name.is_home
            and (plain_name.entity_kind, plain_name.plain, plain_name.home)
            in (
                select (held_name.entity_kind, held_name.plain, held_name.prefix)
                from held_name
                where held_name.prefix is not null
            )
        )
    )
