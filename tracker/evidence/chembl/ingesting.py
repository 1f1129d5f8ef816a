"""Ingests a release of ChEMBL: indications and warnings whole, molecules and names where new."""

from collections.abc import Collection, Sequence
from datetime import date

import sqlalchemy as sa
from sqlalchemy import Connection, text

from tracker import schema, temp_tables
from tracker.entities import folding, molecules
from tracker.errors import MAX_LISTED, InputRefused, some
from tracker.evidence import release_ledger
from tracker.evidence.chembl import reading as chembl
from tracker.evidence.chembl import tables
from tracker.progress import Progress, silent
from tracker.store import statements

_KEYS = {"inchi_key": "InChIKey", "unii": "UNII", "name": "name"}


def ingest_chembl(
    connection: Connection,
    target: str,
    *,
    version: str | None = None,
    released_on: date | None = None,
    keeps_keys: bool = True,
    is_whole: bool = True,
    progress: Progress = silent,
) -> release_ledger.Ingested:
    """Store a release of ChEMBL and link the store's drugs to its molecules.

    `version` and `released_on` are needed where the source does not state them. Two options leave
    out what earlier versions did not store: without `keeps_keys`, the keys of molecules and the
    warnings of a database; without `is_whole`, names and parents of molecules that neither an
    indication nor a drug of the store has. Raises InputRefused or ProblemsFound naming file and
    record; ingesting the same release again adds nothing.
    """
    progress("hashing")
    source = chembl.locate(target)
    # A version has one date.
    stored = release_ledger.find_same(
        connection,
        "chembl",
        source.sha256,
        version=tables.plain_version(version) if version else None,
    )
    if stored is not None:
        return stored
    progress("reading the release")
    known_ids = connection.execute(
        text(
            "select value from drug_alias where kind = 'chembl_id' union "
            "select chembl_id from molecule order by 1"
        )
    ).scalars()
    edition = chembl.stage(connection, source, list(known_ids), has_derivatives=is_whole)
    version, released_on = _edition(source.origin, edition, version, released_on)
    release_ledger.refuse_future(released_on)
    release_ledger.refuse_found(
        statements.run(connection, "indication_problem", {"limit": MAX_LISTED}).all(),
        lambda row: f"{source.origin}, {row.record}: {row.message}",
    )
    progress("storing what is new")
    folding.prepare(connection, statements.find("chembl_name").clause)
    first_id = temp_tables.next_key(connection, schema.indication.c.indication_id)
    year = {"released_in": released_on.year}
    statements.run(connection, "new_indication", {"first_id": first_id, **year})
    stored = _stored_version(connection, source, version)
    if stored is not None:
        return stored
    n_rows = temp_tables.count_rows(connection, "new_indication")
    if n_rows == 0:
        raise InputRefused(f"{source.origin}: contains no drug indication")
    # A source that is not a file is known by its rows.
    sha256 = source.sha256 or statements.run(connection, "indication_sha256").scalar_one()
    changed_before = _changes(connection)
    is_newest = release_ledger.newest_date(connection, "chembl") <= released_on
    release_id = release_ledger.add_release(
        connection, "chembl", version, released_on, sha256, source.origin, n_rows
    )
    values = {"release_id": release_id, "is_newest": is_newest}
    statements.run(connection, "append_indication", {"release_id": release_id})
    statements.run(connection, "append_indication_reference")
    statements.run(connection, "new_name", {"is_whole": is_whole})
    statements.run(connection, "append_molecule_name", {"release_id": release_id})
    statements.run(connection, "append_molecule", values)
    # A table of indications does not say which molecules there are.
    if keeps_keys and source.form != "table":
        statements.run(connection, "append_molecule_key", {"release_id": release_id})
    # Earlier versions read no table that has warnings.
    if keeps_keys or source.form == "table":
        statements.run(connection, "append_drug_warning", {"release_id": release_id})
    release_ledger.add_coverage(connection, release_id, source.form, True, n_rows, n_rows)
    linked = molecules.link(connection)
    return release_ledger.Ingested(
        "chembl",
        version,
        released_on,
        True,
        n_rows,
        n_rows,
        n_aliases=linked.n_aliases,
        n_ambiguous=linked.n_ambiguous,
        notes=(
            *_change_notes(_changes(connection), changed_before),
            *_lost_notes(statements.run(connection, "lost_drug").scalars().all()),
            *[
                f"{row.n_records:,} of drug_indication {row.remark}: {some(row.records)}"
                for row in statements.run(connection, "reference_remark", year)
            ],
        ),
        remark=_remark(source.origin, version),
    )


def _changes(connection: Connection) -> list[tuple[str, str, str]]:
    """Return the molecules with another identifier, by old identifier and release.

    Each is the old identifier, the new one, and the key by which the two were matched.
    """
    rows = connection.exec_driver_sql(
        "select chembl_id, new_chembl_id, matched_by from molecule_change "
        "order by chembl_id, release_id"
    )
    return [(old, new, how) for old, new, how in rows]


def _change_notes(
    found: Sequence[tuple[str, str, str]], known: Collection[tuple[str, str, str]]
) -> tuple[str, ...]:
    """Word which molecules have another identifier now."""
    changed = [one for one in found if one not in set(known)]
    if not changed:
        return ()
    listed = [f"{old} is now {new} (same {_KEYS[how]})" for old, new, how in changed]
    verbs = "molecule has {}, and stays" if len(changed) == 1 else "molecules have {}, and stay"
    what = verbs.format("another identifier")
    return (f"{len(changed):,} {what} the same: {some(listed)}",)


def _lost_notes(names: Sequence[str]) -> tuple[str, ...]:
    """Word which drugs of the store are missing from a release."""
    if not names:
        return ()
    noun = "drug of the store is" if len(names) == 1 else "drugs of the store are"
    return (f"{len(names):,} {noun} gone from ChEMBL: {some(names)}",)


def _stored_version(
    connection: Connection, source: chembl.Source, version: str
) -> release_ledger.Ingested | None:
    """Return the stored ChEMBL release of this version; refuse one with other rows."""
    release = schema.release
    held = connection.execute(
        sa.select(release).where(release.c.source == "chembl").order_by(release.c.release_id)
    ).all()
    # Earlier versions of tracker stored --version as it was given, also as ChEMBL_33.
    row = next((one for one in held if tables.plain_version(one.version) == version), None)
    if row is None:
        return None
    values = {"release_id": row.release_id}
    if statements.run(connection, "differing_indication", values).scalar_one():
        raise InputRefused(
            f"{source.origin}: ChEMBL {version} is already in the store with different content "
            f"(from {row.origin})"
        )
    return release_ledger.Ingested("chembl", row.version, row.released_on, False, row.n_rows)


def _edition(
    origin: str, edition: tables.Edition, version: str | None, released_on: date | None
) -> tuple[str, date]:
    """Return the version and the date of a release: what the source states, or else what is given.

    Raises InputRefused where the two differ, and where neither has one.
    """
    version = tables.plain_version(version) if version else version
    missing = []
    for option, given, stated, example in (
        ("--version", version, edition.version, "33"),
        ("--released", released_on, edition.released_on, "2023-05-31"),
    ):
        if given is not None and stated is not None and given != stated:
            raise InputRefused(f"{origin}: states {stated}, not {option} {given}")
        if not given and not stated:
            missing.append(f"{option} {example}")
    version = version or edition.version
    released_on = released_on or edition.released_on
    if not version or released_on is None:
        raise InputRefused(
            f"{origin}: no release found in the file; add, for example, {' '.join(missing)}"
        )
    return version, released_on


def _remark(origin: str, version: str) -> str | None:
    """Return the warning that a file's name and its release differ, None if they do not."""
    named = tables.version_in_name(origin)
    if named is None or named == version:
        return None
    return f"{origin}: is named for ChEMBL {named} and is ChEMBL {version}"
