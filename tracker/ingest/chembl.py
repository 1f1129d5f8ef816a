"""Ingests a release of ChEMBL: its indications whole, its molecules and names where new."""

from datetime import date

import sqlalchemy as sa
from sqlalchemy import Connection, text

from tracker import folding, molecules, schema
from tracker.errors import InputRefused, ProblemsFound
from tracker.ingest import ledger
from tracker.loads import Progress, silent
from tracker.sources import chembl, chembl_tables
from tracker.sources.formats import MAX_SHOWN

_INDICATION_PROBLEMS = text(
    """
with problem as (
    select
        source_key,
        case
            when source_key is null
                then 'an indication of ' || coalesce(chembl_id, 'no molecule') || ' has no key'
            when chembl_id is null
                then 'its molecule is not in molecule_dictionary'
            when not regexp_full_match(upper(trim(chembl_id)), 'CHEMBL[0-9]+')
                then '''' || chembl_id || ''' is no ChEMBL id'
            when not regexp_full_match(upper(trim(parent_chembl_id)), 'CHEMBL[0-9]+')
                then '''' || parent_chembl_id || ''' is no ChEMBL id'
            when max_phase is not null
                and (
                    contains(max_phase, '_')
                    or not coalesce(try_cast(max_phase as double) between -1 and 4, false)
                )
                then 'max_phase_for_ind ''' || max_phase || ''' is not between -1 and 4'
        end as message
    from staged_indication
)

select
    if(
        source_key like 'row %', source_key, concat_ws(' ', 'drug_indication', source_key)
    ) as record,
    message,
    count(*) over () as n_problems
from problem
where message is not null
order by record, message
limit :limit
"""
)

_CHEMBL_NAMES = text(
    """
select trim(efo_term) as name from staged_indication where efo_term is not null
union all
select trim(mesh_heading) as name from staged_indication where mesh_heading is not null
union all
select trim(name) as name from staged_name
"""
)

# The rows of a release, in the order of their keys, as the store will hold them.
_PREPARE_INDICATION = text(
    """
create or replace temp table new_indication as
select
    (select coalesce(max(indication_id), 0) from indication) + row_number() over (
        order by
            try_cast(source_key as bigint),
            length(source_key),
            source_key,
            chembl_id,
            efo_id,
            mesh_id,
            max_phase
    ) as indication_id,
    source_key,
    upper(trim(chembl_id)) as chembl_id,
    upper(trim(parent_chembl_id)) as parent_chembl_id,
    ontology_id(nullif(trim(efo_id), '')) as efo_id,
    nullif(trim(efo_term), '') as efo_term,
    fold_name(nullif(trim(efo_term), '')) as folded_efo_term,
    ontology_id(nullif(trim(mesh_id), '')) as mesh_id,
    nullif(trim(mesh_heading), '') as mesh_heading,
    fold_name(nullif(trim(mesh_heading), '')) as folded_mesh_heading,
    cast(max_phase as double) as max_phase
from staged_indication
"""
)

_INSERT_INDICATION = text(
    """
insert into indication by name
select
    indication_id,
    cast(:release_id as integer) as release_id,
    source_key,
    chembl_id,
    parent_chembl_id,
    efo_id,
    efo_term,
    folded_efo_term,
    mesh_id,
    mesh_heading,
    folded_mesh_heading,
    max_phase
from new_indication
"""
)

_INSERT_REFERENCE = text(
    """
insert into indication_reference by name
select distinct
    new_indication.indication_id,
    staged_reference.ref_type,
    staged_reference.ref_id
from staged_reference
join new_indication on new_indication.source_key = staged_reference.source_key
where staged_reference.ref_type is not null and staged_reference.ref_id is not null
"""
)

# Molecules worth naming: the families of those indicated, and drugs the store already has.
_PREPARE_NAMES = text(
    """
create or replace temp table new_name as
with family as (
    select distinct coalesce(parent_chembl_id, chembl_id) as family_chembl_id from new_indication
),

folded as (
    select
        chembl_id,
        parent_chembl_id,
        kind,
        trim(name) as name,
        fold_name(trim(name)) as folded_name
    from staged_name
    where trim(name) <> ''
),

wanted as (
    select folded.chembl_id
    from folded
    join family on family.family_chembl_id = coalesce(folded.parent_chembl_id, folded.chembl_id)
    union
    select folded.chembl_id
    from folded
    join drug_alias on drug_alias.value = folded.folded_name
    where drug_alias.kind in ('name', 'synonym')
    union
    select value as chembl_id from drug_alias where kind = 'chembl_id'
)

select
    folded.chembl_id,
    any_value(folded.parent_chembl_id) as parent_chembl_id,
    folded.kind,
    folded.folded_name,
    min(folded.name) as name
from folded
join wanted on wanted.chembl_id = folded.chembl_id
group by folded.chembl_id, folded.kind, folded.folded_name
"""
)

_INSERT_NAME = text(
    """
insert into molecule_name by name
select
    new_name.chembl_id,
    new_name.kind,
    new_name.folded_name,
    new_name.name,
    cast(:release_id as integer) as release_id
from new_name
anti join molecule_name
    on molecule_name.chembl_id = new_name.chembl_id
    and molecule_name.kind = new_name.kind
    and molecule_name.folded_name = new_name.folded_name
"""
)

# An older release, ingested late, only adds molecules: the newest says what a parent is now. No
# parent means that the source tells none; it does not take back what an earlier one told.
_INSERT_MOLECULE = text(
    """
insert into molecule by name
with seen as (
    select chembl_id, parent_chembl_id from new_indication
    union
    select chembl_id, parent_chembl_id from new_name
    union
    select chembl_id, parent_chembl_id from staged_molecule
),

seen_once as (
    select chembl_id, max(parent_chembl_id) as parent_chembl_id
    from seen
    group by chembl_id
),

held as (
    select
        molecule.chembl_id,
        arg_max_null(
            molecule.parent_chembl_id, (release.released_on, release.release_id)
        ) as parent_chembl_id
    from molecule
    join release on release.release_id = molecule.release_id
    group by molecule.chembl_id
)

select
    seen_once.chembl_id,
    cast(:release_id as integer) as release_id,
    seen_once.parent_chembl_id
from seen_once
left join held on held.chembl_id = seen_once.chembl_id
where held.chembl_id is null
    or (
        :is_newest
        and seen_once.parent_chembl_id is not null
        and held.parent_chembl_id is distinct from seen_once.parent_chembl_id
    )
"""
)

# A release given twice under one version, in another wrapping: do its rows differ?
_DIFFERING_INDICATIONS = text(
    """
with held as (
    select
        source_key,
        chembl_id,
        parent_chembl_id,
        efo_id,
        efo_term,
        mesh_id,
        mesh_heading,
        max_phase
    from indication
    where release_id = :release_id
),

given as (
    select
        source_key,
        chembl_id,
        parent_chembl_id,
        efo_id,
        efo_term,
        mesh_id,
        mesh_heading,
        max_phase
    from new_indication
),

difference as (
    (from held except all from given)
    union all
    (from given except all from held)
)

select count(*) as n_rows from difference
"""
)

_INDICATIONS_SHA256 = text(
    """
with line as (
    select
        indication_id,
        concat_ws(
            chr(31),
            source_key,
            chembl_id,
            coalesce(parent_chembl_id, chr(30)),
            coalesce(efo_id, chr(30)),
            coalesce(efo_term, chr(30)),
            coalesce(mesh_id, chr(30)),
            coalesce(mesh_heading, chr(30)),
            coalesce(cast(max_phase as varchar), chr(30))
        ) as content
    from new_indication
)

select sha256(string_agg(content, chr(29) order by indication_id)) as sha256
from line
"""
)


def ingest_chembl(
    connection: Connection,
    target: str,
    *,
    version: str | None = None,
    released_on: date | None = None,
    progress: Progress = silent,
) -> ledger.Ingested:
    """Store a release of ChEMBL and tie the store's drugs to its molecules.

    `version` and `released_on` are needed where the source does not say them. Raises InputRefused
    or ProblemsFound naming file and record; the same release again adds nothing.
    """
    progress("hashing")
    source = chembl.locate(target)
    held = ledger.held(connection, "chembl", source.sha256)
    if held is not None:
        return held
    progress("reading the release")
    drug_ids = connection.execute(
        text("select distinct value from drug_alias where kind = 'chembl_id' order by value")
    ).scalars()
    edition = chembl.stage(connection, source, list(drug_ids))
    version, released_on = _edition(source.origin, edition, version, released_on)
    ledger.refuse_future(released_on)
    _refuse_bad_indications(connection, source.origin)
    progress("storing what is new")
    folding.prepare(connection, _CHEMBL_NAMES)
    connection.execute(_PREPARE_INDICATION)
    held = _held_version(connection, source, version)
    if held is not None:
        return held
    n_rows = ledger.count_rows(connection, "new_indication")
    if n_rows == 0:
        raise InputRefused(f"{source.origin}: holds no drug indication")
    sha256 = source.sha256 or _indications_sha256(connection)
    is_newest = ledger.newest(connection, "chembl") <= released_on
    release_id = ledger.add_release(
        connection, "chembl", version, released_on, sha256, source.origin, n_rows
    )
    values = {"release_id": release_id, "is_newest": is_newest}
    connection.execute(_INSERT_INDICATION, {"release_id": release_id})
    connection.execute(_INSERT_REFERENCE)
    connection.execute(_PREPARE_NAMES)
    connection.execute(_INSERT_NAME, {"release_id": release_id})
    connection.execute(_INSERT_MOLECULE, values)
    ledger.add_coverage(connection, release_id, source.form, True, n_rows, n_rows)
    linked = molecules.link(connection)
    return ledger.Ingested(
        "chembl",
        version,
        released_on,
        True,
        n_rows,
        n_rows,
        n_aliases=linked.n_aliases,
        n_ambiguous=linked.n_ambiguous,
    )


def _held_version(
    connection: Connection, source: chembl.Source, version: str
) -> ledger.Ingested | None:
    """Return the ChEMBL release of the same version and rows; refuse one of other rows."""
    release = schema.release
    row = connection.execute(
        sa.select(release).where(release.c.source == "chembl", release.c.version == version)
    ).first()
    if row is None:
        return None
    values = {"release_id": row.release_id}
    if connection.execute(_DIFFERING_INDICATIONS, values).scalar_one():
        raise InputRefused(
            f"{source.origin}: ChEMBL {version} is in the store already, with other content "
            f"(from {row.origin})"
        )
    return ledger.Ingested("chembl", row.version, row.released_on, False, row.n_rows)


def _edition(
    origin: str, edition: chembl_tables.Edition, version: str | None, released_on: date | None
) -> tuple[str, date]:
    for option, given, said in (
        ("--version", version, edition.version),
        ("--released", released_on, edition.released_on),
    ):
        if given is not None and said is not None and given != said:
            raise InputRefused(f"{origin}: says of itself {said}, not {option} {given}")
    version = version or edition.version
    released_on = released_on or edition.released_on
    if not version or released_on is None:
        missing = [
            option
            for option, value in (("--version", version), ("--released", released_on))
            if not value
        ]
        raise InputRefused(f"{origin}: does not say its edition; give {' and '.join(missing)}")
    return version, released_on


def _refuse_bad_indications(connection: Connection, origin: str) -> None:
    found = connection.execute(_INDICATION_PROBLEMS, {"limit": MAX_SHOWN}).all()
    if found:
        raise ProblemsFound(
            [f"{origin}, {row.record}: {row.message}" for row in found], found[0].n_problems
        )


def _indications_sha256(connection: Connection) -> str:
    """Return the SHA-256 of the rows, for a source that is no file."""
    return str(connection.execute(_INDICATIONS_SHA256).scalar_one())
