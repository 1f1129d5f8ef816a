"""Replays a ledger: rebuilds it from files in a private store, and compares the two."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema, scratch, store
from tracker.errors import CheckFailed, InputRefused
from tracker.extras.replay import claims, comparing, rebuilding, sources, steps, stored
from tracker.extras.replay.rebuilding import Rebuilt, Source
from tracker.extras.replay.sources import Found
from tracker.progress import Progress, silent
from tracker.reports.words import count
from tracker.rows import Rows
from tracker.store import connections


@dataclass(frozen=True)
class Replayed:
    """The result of a replay: its releases, what was compared, every difference.

    `notes` say in words what was not checked, and why.
    """

    releases: Rows
    compared: Rows
    differences: Rows
    notes: Sequence[str]
    n_unfound: int

    @property
    def is_equal(self) -> bool:
        """Whether nothing that was compared differs."""
        return not self.differences.values

    @property
    def exit_code(self) -> int:
        """0 if all is equal, 4 if anything differs, 3 if the file of a release was not there."""
        if not self.is_equal:
            return CheckFailed.exit_code
        return InputRefused.exit_code if self.n_unfound else 0

    @property
    def summary(self) -> str:
        """A sentence on events and on all differences."""
        kinds = {row["kind"]: row for row in self.compared.records()}
        nothing = dict.fromkeys(self.compared.columns, 0)
        event, claim = (kinds.get(kind, nothing) for kind in ("event", "claim"))
        events = (
            f"events: {event['n_stored']:,} in the store, {event['n_equal']:,} equal, "
            f"{event['n_different']:,} different, {event['n_missing']:,} missing, "
            f"{event['n_unchecked'] + claim['n_unchecked']:,} not checked"
        )
        found = f"{count(len(self.differences.values), 'difference')} in all"
        return f"{events}; {'no difference' if self.is_equal else found}"


def run(path: Path, folders: Sequence[Path], *, progress: Progress = silent) -> Replayed:
    """Rebuild the ledger of a store from the files below `folders` and compare the two.

    The store is only read; the other one is removed at the end. Raises InputRefused if the store or
    a folder is absent, if the store has no release, or if the folders have the file of none.
    """
    with store.reader(path):
        pass
    with scratch.folder() as private, connections.store_errors(private):
        rebuilt_path = private / "rebuilt.duckdb"
        with store.writer(rebuilt_path, run_checks=False):
            pass
        links = private / "links"
        links.mkdir()
        with (
            connections.engine(rebuilt_path, read_only=False) as engine,
            connections.connect(engine, rebuilt_path) as anchor,
        ):
            # The store stays attached for as long as a connection is open.
            stored.attach(anchor, path)
            releases = _releases(anchor)
            taken = steps.read(anchor)
            anchor.commit()
            found = _found(folders, list(releases.values()), progress)
            claim_files = claims.files(found.files)
            rebuilt = rebuilding.rebuild(
                engine, taken, releases, found, claim_files, links, progress
            )
            if not steps.is_detected(taken):
                with engine.connect() as connection:
                    rebuilt.n_pending = rebuilding.pending(connection)
            progress("comparing")
            with engine.begin() as connection:
                compared = comparing.compare(connection, rebuilt)
                n_imported = _n_imported(connection)
    differences = [*_of_files(found, releases.values(), rebuilt), *compared.differences.values]
    return Replayed(
        _release_rows(rebuilt),
        compared.counts,
        Rows(compared.differences.columns, differences),
        _notes(found, rebuilt, n_imported),
        len(_unfound(rebuilt)),
    )


def _releases(connection: Connection) -> dict[int, sa.Row[Any]]:
    """Return the releases of the attached store by their numbers; refuses a store without any."""
    release = stored.of(schema.release)
    rows = connection.execute(sa.select(release).order_by(release.c.release_id)).all()
    if not rows:
        raise InputRefused("the store has no release, and so no event that files could show")
    return {row.release_id: row for row in rows}


def _found(folders: Sequence[Path], releases: Sequence[sa.Row[Any]], progress: Progress) -> Found:
    """Return what the folders have; refuses those that have the file of no release."""
    of_files = [release for release in releases if not rebuilding.is_database(release)]
    found = sources.find(folders, of_files, progress)
    if of_files and not found.paths:
        listed = ", ".join(map(str, folders))
        raise InputRefused(f"{listed}: has the file of none of the {len(of_files):,} releases")
    return found


def _n_imported(connection: Connection) -> int:
    """Return how many claims the store has that came with slates."""
    event = stored.of(schema.event)
    counted = sa.select(sa.func.count()).select_from(event).where(event.c.slate_id.is_not(None))
    return int(connection.execute(counted).scalar_one())


def _release_rows(rebuilt: Rebuilt) -> Rows:
    columns: dict[str, Callable[[Source], Any]] = {
        "source": attrgetter("release.source"),
        "version": attrgetter("release.version"),
        "released_on": attrgetter("release.released_on"),
        "state": attrgetter("state"),
        "file": lambda one: None if one.path is None else str(one.path),
        "problem": attrgetter("problem"),
        "sha256": attrgetter("release.sha256"),
    }
    order = attrgetter("release.source", "release.released_on", "release.release_id")
    return Rows.of(columns, sorted(rebuilt.sources, key=order))


def _of_files(
    found: Found, releases: Iterable[sa.Row[Any]], rebuilt: Rebuilt
) -> list[tuple[Any, ...]]:
    """Return the differences that files alone show: refused releases, and kept ones not stored."""
    known = {(release.source, release.sha256) for release in releases}
    refused = [
        (
            f"{one.release.source} {one.release.version}",
            f"its file, read with what the store states of it, is refused: {one.problem}",
        )
        for one in rebuilt.sources
        if one.state == "refused"
    ]
    lost = [
        (f"{source} {sha256[:8]}", f"is kept in an archive, {path}, and not in the store")
        for (source, sha256), path in sorted(found.kept.items())
        if (source, sha256) not in known
    ]
    return [
        ("release", record, f"release {record}: {problem}", None, None)
        for record, problem in (*refused, *lost)
    ]


def _notes(found: Found, rebuilt: Rebuilt, n_imported: int) -> list[str]:
    notes = []
    unfound = _unfound(rebuilt)
    databases = [one for one in rebuilt.sources if one.state == rebuilding.DATABASE]
    if unfound:
        notes.append(
            f"{count(len(unfound), 'release')} could not be read from a file: "
            f"{_named(unfound)}. Their rows were taken from the store and are not checked; the "
            "events of later releases are checked as far as they rest on other rows."
        )
    if databases:
        notes.append(
            f"Read from a database, of which no file can be kept: {_named(databases)}. Rows of "
            "such releases were taken from the store and are not checked."
        )
    if rebuilt.unchecked_claims:
        notes.append(
            f"The claims of {count(len(rebuilt.unchecked_claims), 'load')} are not checked, since "
            "their files are not here."
        )
    if n_imported:
        notes.append(
            f"{count(n_imported, 'claim')} came with imported slates and {_are(n_imported)} not "
            "checked here."
        )
    if rebuilt.n_pending:
        notes.append(
            f"{count(rebuilt.n_pending, 'event')} of releases ingested since the last detection "
            f"{_are(rebuilt.n_pending)} not recorded yet: run 'tracker refresh detect', then this "
            "again."
        )
    if found.unreadable:
        more = f" and {len(found.unreadable) - 1:,} more" if len(found.unreadable) > 1 else ""
        notes.append(f"Not read: {found.unreadable[0]}{more}.")
    return notes


def _unfound(rebuilt: Rebuilt) -> list[Source]:
    """Return the releases that no file could be read for, though one could have been kept."""
    return [
        one for one in rebuilt.sources if one.state not in (rebuilding.FOUND, rebuilding.DATABASE)
    ]


def _named(listed: Sequence[Source]) -> str:
    return ", ".join(f"{one.release.source} {one.release.version} ({one.state})" for one in listed)


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
