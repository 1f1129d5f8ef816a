"""Stores what is new or changed in releases that repeat every record, such as the FDA's.

Sources differ in how they are read, and in the names of their tables and statements.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import temp_tables
from tracker.entities import folding
from tracker.errors import MAX_LISTED, InputRefused
from tracker.evidence import release_ledger
from tracker.files import archives
from tracker.files.archives import Stamp
from tracker.progress import Progress
from tracker.store import statements


@dataclass(frozen=True)
class LocatedFile:
    """A file not yet read: its form, the SHA-256 of its content, its state when it was found."""

    path: Path
    form: str
    sha256: str
    stamps: Sequence[Stamp]


@dataclass(frozen=True)
class Edition:
    """The date that a file states, None if it states none, and whether it has every record."""

    released_on: date | None
    is_complete: bool


def locate(path: Path, form_of: Callable[[Path], str]) -> LocatedFile:
    """Return what `path` is, of the form that `form_of` says; raises InputRefused if it is none."""
    if not path.is_file():
        raise InputRefused(f"{path}: no such file")
    stamps = archives.stamped([path])
    return LocatedFile(path, form_of(path), archives.content_sha256([path]), stamps)


@dataclass(frozen=True)
class Snapshots:
    """How the releases of a source are stored.

    `records` and `publisher` name its records and their publisher in messages. The statements
    `STEM_repeat`, `STEM_name`, `known_STEM_record` and `given_STEM_record` find repeated records,
    the names to fold, and the records of the store and of the file. `new` maps each temporary table
    of new rows to the key of these; `tables` get the rows of the release, `parts` the rows that
    belong to them. `notes_of` words which records do not count.
    """

    source: str
    publisher: str
    records: str
    stem: str
    new: Mapping[str, sa.Column[int]]
    tables: Sequence[str]
    parts: Sequence[str]
    notes_of: Callable[[Connection, int], tuple[str, ...]]

    def store(
        self,
        connection: Connection,
        located: LocatedFile,
        stage: Callable[[], Edition],
        released_on: date | None,
        progress: Progress,
        *,
        is_partial: bool = False,
    ) -> release_ledger.Ingested:
        """Read the file and store what is new of it, as a release of `released_on` if given.

        Raises InputRefused or ProblemsFound naming file and record.
        """
        progress(f"reading the {self.records}")
        edition = stage()
        released_on = released_on or edition.released_on
        if released_on is None:
            raise InputRefused(f"{located.path.name}: does not state its date; give --released")
        release_ledger.refuse_future(released_on)
        release_ledger.refuse_older(connection, self.source, located.path.name, released_on)
        repeats = statements.run(connection, f"{self.stem}_repeat", {"limit": MAX_LISTED}).all()
        release_ledger.refuse_found(
            repeats, lambda row: f"{row.source_key}: {row.record} occurs twice"
        )
        progress("storing what is new")
        folding.prepare(connection, statements.find(f"{self.stem}_name").clause)
        for name, key in self.new.items():
            statements.run(connection, name, {"first_id": temp_tables.next_key(connection, key)})
        n_rows = _n_rows(connection, self.new)
        version = released_on.isoformat()
        release_id = release_ledger.add_release(
            connection, self.source, version, released_on, located.sha256, located.path.name, n_rows
        )
        statements.run(connection, f"known_{self.stem}_record")
        statements.run(connection, f"given_{self.stem}_record")
        is_complete = edition.is_complete and not is_partial
        moved = release_ledger.record_presence(connection, release_id, is_complete)
        n_before = _n_rows(connection, self.tables)
        for table in self.tables:
            statements.run(connection, f"append_{table}", {"release_id": release_id})
        for table in self.parts:
            statements.run(connection, f"append_{table}")
        n_versions = _n_rows(connection, self.tables) - n_before
        release_ledger.add_coverage(
            connection, release_id, located.form, is_complete, n_rows, n_versions, *moved
        )
        notes = self.notes_of(connection, release_id)
        if not is_complete:
            notes = (
                f"some records of {self.publisher} alone: nothing that it lacks has vanished, and "
                "no slate is followed until its date",
                *notes,
            )
        return release_ledger.Ingested(
            self.source, version, released_on, True, n_rows, n_versions, *moved, notes=notes
        )


def _n_rows(connection: Connection, tables: Iterable[str]) -> int:
    return sum(temp_tables.count_rows(connection, table) for table in tables)
