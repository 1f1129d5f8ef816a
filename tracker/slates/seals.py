"""Seals candidate sets: writes their pairs to Parquet files beside the store.

The store, and each copy that a command makes of it, then stays small. tracker.store.sealed_sets
says where the files are and how the view `candidate` reads them.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import clock, files, replacing, schema, scratch, temp_tables
from tracker.errors import CheckFailed, InputRefused, TrackerError
from tracker.log import moving, sealing, tampering
from tracker.progress import Progress, silent
from tracker.rows import Rows
from tracker.store import lake, places, sealed_sets, statements

# Files of some ten megabytes: a few of them keep all processors busy.
PART_ROWS = 4_000_000

# The pairs that are about to be sealed.
sealing_row = temp_tables.define_like("sealing_row", schema.stored_candidate)


def place_of(connection: Connection, chosen: str | Path | None) -> str | Path:
    """Return where a set is sealed: in the store's folder, or the folder or address that is chosen.

    Raises InputRefused unless the store looks for sealed sets there.
    """
    if isinstance(chosen, str) and places.is_address(chosen):
        address = chosen.rstrip("/")
        if address not in places.addresses():
            raise _not_named(chosen)
        return address
    where = sealed_sets.places_of(connection)
    place = where[0] if chosen is None else Path(chosen).resolve()
    if "," in str(place) or not where[0].is_dir():
        raise InputRefused(f"{place}: the path of a folder of sealed sets cannot have a comma")
    if not place.is_dir():
        raise InputRefused(f"{chosen}: no such folder")
    if chosen is not None and place not in where:
        raise _not_named(chosen)
    return place


def write(
    connection: Connection, candidate_set_id: int, place: str | Path, progress: Progress = silent
) -> None:
    """Write the pairs of `sealing_row` as the files of a set, which the store then lists.

    Raises InputRefused if there are files of that set, and TrackerError if they cannot be written.
    What was written to a folder is removed unless the store is, too (tracker.store.opening).
    """
    head = sealing.last_head(connection)
    if head is None:
        raise CheckFailed("the log of this store is missing: run 'tracker check'")
    name = sealed_sets.folder_name(head.log_id, candidate_set_id)
    if isinstance(place, Path):
        parts, manifest = _write_beside(connection, candidate_set_id, place / name, progress)
    else:
        with scratch.folder(sealed_sets.places_of(connection)[0]) as folder:
            parts, manifest = _write_files(connection, candidate_set_id, folder, progress)
            progress("uploading")
            lake.upload(folder, f"{place}/{name}", sealed_sets.MANIFEST)
    own = {"candidate_set_id": candidate_set_id}
    connection.execute(
        schema.sealed_set.insert(),
        {
            **own,
            "n_parts": len(parts),
            "manifest_sha256": hashlib.sha256(manifest).hexdigest(),
            "sealed_at": clock.now(connection),
        },
    )
    connection.execute(schema.sealed_part.insert(), [{**own, **part} for part in parts])
    if isinstance(place, str):
        connection.execute(schema.sealed_address.insert(), {**own, "address": place})
    sealed_sets.rebuild(connection)


def move(
    connection: Connection,
    candidate_set: Row[Any],
    chosen: str | Path | None = None,
    progress: Progress = silent,
) -> None:
    """Seal a set that the store keeps: its pairs leave the store.

    Raises InputRefused for a set that is sealed, and CheckFailed if anything in the store is not as
    the log has it: the files would make it look sound.
    """
    place = place_of(connection, chosen)
    set_id = int(candidate_set.candidate_set_id)
    if sealed_sets.parts(connection, [set_id]):
        raise InputRefused(f"candidate set '{candidate_set.name}' is sealed already")
    altered = tampering.verify(connection, progress)
    if altered:
        raise CheckFailed("\n".join(f"log: {one}" for one in altered))
    connection.exec_driver_sql(
        "create temp view sealing_row as from main.stored_candidate where candidate_set_id = "
        + str(set_id)
    )
    write(connection, set_id, place, progress)
    connection.exec_driver_sql("drop view temp.sealing_row")
    progress("taking the pairs out of the store")
    moving.take_out(connection, set_id)


def listed(connection: Connection) -> Rows:
    """Return the candidate sets in the order in which they were loaded, and where their pairs are.

    `place` is the folder of a sealed set, NULL for one that the store keeps.
    """
    found = statements.run(connection, "listed_candidate_set").all()
    where = sealed_sets.places_of(connection)
    first = {
        part.candidate_set_id: part
        for part in sealed_sets.parts(connection)
        if part.part_number == 1
    }
    columns = ["name", "model_version", "n_pairs", "loaded_at", "n_parts", "n_bytes", "place"]
    values = []
    for row in found:
        part = first.get(row.candidate_set_id)
        folder = None if part is None else sealed_sets.located(part, where).rpartition("/")[0]
        values.append((*[row._mapping[name] for name in columns[:-1]], folder))
    return Rows(columns, values)


def problems(connection: Connection, progress: Progress = silent) -> Iterator[str]:
    """Yield what is wrong with the files of sealed sets, a line for each file."""
    names = {row.candidate_set_id: row.name for row in connection.execute(_NAMES)}
    where = sealed_sets.places_of(connection)
    found = sealed_sets.parts(connection)
    sealed = {row.candidate_set_id: row for row in connection.execute(sa.select(schema.sealed_set))}
    for part in found:
        progress(f"verifying {part}")
        wrong = sealed_sets.damage(part, where)
        if wrong is None and part.part_number == 1:
            folder = sealed_sets.located(part, where).rpartition("/")[0]
            manifest = f"{folder}/{sealed_sets.MANIFEST}"
            sha256 = sealed[part.candidate_set_id].manifest_sha256
            altered = sealed_sets.difference(manifest, sha256)
            if altered is not None:
                yield (
                    f"the manifest of the sealed candidate set {part.candidate_set_id} "
                    f"('{names.get(part.candidate_set_id)}') {altered}"
                )
        if wrong is not None:
            yield f"{part} ('{names.get(part.candidate_set_id)}') {wrong}"


_NAMES = sa.select(schema.candidate_set.c.candidate_set_id, schema.candidate_set.c.name)


def _not_named(chosen: str | Path) -> InputRefused:
    return InputRefused(
        f"{chosen}: set {places.VARIABLE}={chosen}, without which sealed sets are read only "
        "beside the store"
    )


def _write_beside(
    connection: Connection, candidate_set_id: int, folder: Path, progress: Progress
) -> tuple[list[dict[str, object]], bytes]:
    """Write the files of a set in their folder; return the parts and the manifest."""
    with _written(folder):
        path = _path_of(connection)
        if os.path.lexists(folder) and not sealed_sets.is_unmarked(folder, path):
            raise InputRefused(f"{folder}: exists, and is not of a set of this store; move it away")
        folder.mkdir(parents=True, exist_ok=True)
        marker = folder / sealed_sets.UNFINISHED
        marker.write_text(str(path), encoding="utf-8")
        return _write_files(connection, candidate_set_id, folder, progress)


def _write_files(
    connection: Connection, candidate_set_id: int, folder: Path, progress: Progress
) -> tuple[list[dict[str, object]], bytes]:
    with _written(folder):
        ranges = statements.run(connection, "sealed_part_range", {"part_rows": PART_ROWS}).all()
        parts = []
        for found in ranges:
            progress(f"writing part {found.part_number:,} of {len(ranges):,}")
            parts.append(_write_part(connection, folder, found))
        manifest = _manifest(connection, candidate_set_id, parts)
        (folder / sealed_sets.MANIFEST).write_bytes(manifest)
        replacing.synchronise(folder / sealed_sets.MANIFEST)
    return parts, manifest


def _path_of(connection: Connection) -> Path:
    """Return the path of the store of which this connection writes a private copy."""
    copy = Path(connection.engine.url.database or "")
    return sealed_sets.places_of(connection)[0] / copy.name


def _write_part(connection: Connection, folder: Path, found: Row[Any]) -> dict[str, object]:
    path = folder / sealed_sets.file_name(found.part_number)
    span = {"first_disease_id": found.first_disease_id, "last_disease_id": found.last_disease_id}
    statements.write_file(connection, "sealed_row", path, "parquet", span)
    replacing.synchronise(path)
    return {
        "part_number": found.part_number,
        "n_rows": found.n_rows,
        "n_bytes": path.stat().st_size,
        "sha256": files.sha256_of(path),
    }


def _manifest(
    connection: Connection, candidate_set_id: int, parts: list[dict[str, object]]
) -> bytes:
    """Return the list of a set's files as JSON, for whoever has the files without the store."""
    table = schema.candidate_set
    described = connection.execute(
        sa.select(table).where(table.c.candidate_set_id == candidate_set_id)
    ).one()
    content = {
        "candidate_set": described.name,
        "model_version": described.model_version,
        "source_sha256": described.sha256,
        "n_pairs": described.n_pairs,
        "columns": ["disease_id", "drug_id", "score"],
        "parts": [
            {"file": sealed_sets.file_name(int(str(part["part_number"]))), **part} for part in parts
        ],
    }
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


@contextlib.contextmanager
def _written(folder: Path) -> Iterator[None]:
    """Word errors of writing as those of the folder."""
    try:
        yield
    except OSError as error:
        raise TrackerError(f"{folder}: cannot be written: {error.strerror}") from error
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        replacing.raise_if_full(folder, error)
        raise
