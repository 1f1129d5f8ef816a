"""Ties the store's drugs to the molecules that ChEMBL releases name, through aliases.

An alias is a row with the moment it was added, so a slate frozen before is not matched through
it. Nothing ambiguous becomes an alias: two drugs never come to share an identifier or a name.
"""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection, text

from tracker.store import clock, schema

# A drug known by name alone gets the ChEMBL id of the one molecule so named, else of the one
# family (a parent and its salts) of which the name is a synonym.
_TIE = text(
    """
create or replace temp table drug_tie as
with current_molecule as (
    select
        molecule.chembl_id,
        coalesce(
            arg_max(molecule.parent_chembl_id, (release.released_on, release.release_id)),
            molecule.chembl_id
        ) as family_chembl_id
    from molecule
    join release on release.release_id = molecule.release_id
    group by molecule.chembl_id
),

bearer as (
    select
        drug_alias.drug_id,
        molecule_name.kind,
        molecule_name.chembl_id,
        coalesce(current_molecule.family_chembl_id, molecule_name.chembl_id) as family_chembl_id
    from drug_alias
    join molecule_name on molecule_name.folded_name = drug_alias.value
    left join current_molecule on current_molecule.chembl_id = molecule_name.chembl_id
    where drug_alias.kind in ('name', 'synonym')
        and drug_alias.drug_id not in (
            select held.drug_id
            from drug_alias as held
            where held.kind in ('chembl_id', 'parent_chembl_id')
        )
),

named_tie as (
    select
        drug_id,
        'name' as kind,
        min(chembl_id) as chembl_id,
        min(family_chembl_id) as family_chembl_id
    from bearer
    where kind = 'name'
    group by drug_id
    having count(distinct chembl_id) = 1
),

synonym_tie as (
    select
        drug_id,
        'synonym' as kind,
        if(
            count(distinct chembl_id) = 1, min(chembl_id), min(family_chembl_id)
        ) as chembl_id,
        min(family_chembl_id) as family_chembl_id
    from bearer
    where drug_id not in (select named.drug_id from bearer as named where named.kind = 'name')
    group by drug_id
    having count(distinct family_chembl_id) = 1
),

tie as (
    select drug_id, kind, chembl_id, family_chembl_id from named_tie
    union all
    select drug_id, kind, chembl_id, family_chembl_id from synonym_tie
)

select
    drug_id,
    chembl_id,
    family_chembl_id,
    count(*) over (partition by chembl_id, kind) = 1
    and kind = min(kind) over (partition by chembl_id)
    and chembl_id not in (
        select value from drug_alias where drug_alias.kind = 'chembl_id'
    ) as is_own
from tie
"""
)

# A molecule that already is another drug of the store stays that drug's; the family is shared.
_ADD_IDENTIFIERS = text(
    """
insert into drug_alias by name
select
    'chembl_id' as kind,
    chembl_id as value,
    drug_id,
    cast(:added_at as timestamptz) as added_at
from drug_tie
where is_own
union all
select
    'parent_chembl_id' as kind,
    family_chembl_id as value,
    drug_id,
    cast(:added_at as timestamptz) as added_at
from drug_tie
where not is_own
"""
)

_ADD_PARENTS = text(
    """
insert into drug_alias by name
with current_molecule as (
    select
        molecule.chembl_id,
        arg_max_null(
            molecule.parent_chembl_id, (release.released_on, release.release_id)
        ) as parent_chembl_id
    from molecule
    join release on release.release_id = molecule.release_id
    group by molecule.chembl_id
)

select distinct
    'parent_chembl_id' as kind,
    current_molecule.parent_chembl_id as value,
    drug_alias.drug_id,
    cast(:added_at as timestamptz) as added_at
from drug_alias
join current_molecule on current_molecule.chembl_id = drug_alias.value
where drug_alias.kind = 'chembl_id'
    and current_molecule.parent_chembl_id is not null
    and current_molecule.parent_chembl_id <> drug_alias.value
    and not exists (
        select held.drug_id
        from drug_alias as held
        where held.kind = 'parent_chembl_id'
            and held.value = current_molecule.parent_chembl_id
            and held.drug_id = drug_alias.drug_id
    )
"""
)

_NAME_CLAIMS = text(
    """
create or replace temp table name_claim as
with claim as (
    select
        molecule_name.folded_name,
        drug_alias.drug_id,
        min(molecule_name.kind) as kind
    from drug_alias
    join molecule_name on molecule_name.chembl_id = drug_alias.value
    where drug_alias.kind = 'chembl_id'
    group by molecule_name.folded_name, drug_alias.drug_id
),

name_holder as (
    select
        value,
        min(drug_id) as first_drug_id,
        max(drug_id) as last_drug_id
    from drug_alias
    where kind in ('name', 'synonym')
    group by value
)

select
    claim.folded_name,
    claim.drug_id,
    claim.kind,
    name_holder.value is not null as is_held,
    count(*) over (partition by claim.folded_name) > 1
    or coalesce(
        name_holder.first_drug_id <> claim.drug_id or name_holder.last_drug_id <> claim.drug_id,
        false
    ) as is_ambiguous
from claim
left join name_holder on name_holder.value = claim.folded_name
"""
)

_ADD_NAMES = text(
    """
insert into drug_alias by name
select
    kind,
    folded_name as value,
    drug_id,
    cast(:added_at as timestamptz) as added_at
from name_claim
where not is_held and not is_ambiguous
"""
)


@dataclass(frozen=True)
class Linked:
    """How many aliases were added, and how many names were left out as they mean two drugs."""

    n_aliases: int
    n_ambiguous: int


def link(connection: Connection) -> Linked:
    """Add the identifiers, parents and names that ChEMBL gives the store's drugs as aliases.

    Run again, it adds nothing. A drug whose molecule already is another drug of the store gets
    only their common parent; a name that would mean two drugs is left out and counted.
    """
    count = sa.select(sa.func.count()).select_from(schema.drug_alias)
    before = connection.execute(count).scalar_one()
    moment = {"added_at": clock.in_order(connection)}
    connection.execute(_TIE)
    connection.execute(_ADD_IDENTIFIERS, moment)
    connection.execute(_ADD_PARENTS, moment)
    connection.execute(_NAME_CLAIMS)
    connection.execute(_ADD_NAMES, moment)
    n_ambiguous = connection.execute(
        text("select count(distinct folded_name) from name_claim where is_ambiguous")
    ).scalar_one()
    n_aliases = connection.execute(count).scalar_one() - before
    return Linked(int(n_aliases), int(n_ambiguous))
