"""Looks at everything that a refresh needs, and says what is wrong with it and what helps."""

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import sqlalchemy as sa
from filelock import FileLock, Timeout
from sqlalchemy import Connection

from tracker import clock, schema, store
from tracker.errors import InputRefused, RequestFailed, TrackerError
from tracker.evidence import release_ledger
from tracker.extras.refresh import configuration, sources
from tracker.extras.refresh.configuration import Configuration, Watched
from tracker.extras.refresh.fetching import Web
from tracker.progress import Progress, silent
from tracker.reports.words import count

OK, WARNING, PROBLEM = "ok", "warning", "problem"
# A writer makes a copy of the store and may spill as much again.
_STORES_OF_SPACE = 3
# The archive of ChEMBL, and the database in it.
_CHEMBL_BYTES = 40_000_000_000
# What a shell would act upon: substitutions, also in double quotes, and operators outside quotes.
_AS_TEXT = re.compile(r"'[^']*'|\\.")
_QUOTED = re.compile(r'"[^"]*"')
_EXPANDED = re.compile(r"\$\w+|\$\{|\$\(|`")
_OPERATOR = re.compile(r"\|\|?|&&?|;|[<>]{1,2}")


@dataclass(frozen=True)
class Finding:
    """What was looked at, its state, what was found, and what helps if it is not well."""

    check: str
    state: str
    finding: str
    remedy: str | None = None


def examine(
    config: Path, db: Path | None = None, *, offline: bool = False, progress: Progress = silent
) -> list[Finding]:
    """Return the findings about a configuration, its store and its servers; changes nothing."""
    try:
        read = configuration.read(config)
    except InputRefused as error:
        remedy = "write it as docs/guides/refresh.md shows, or name it with --config"
        found = [Finding("configuration", PROBLEM, line, remedy) for line in error.lines]
        return [*found, *_of_store(db or Path("tracker.duckdb"))]
    path = db or read.store or Path("tracker.duckdb")
    followed = f"{config}: follows {count(len(read.sources), 'source')}"
    found = [Finding("configuration", OK, followed), *_of_store(path), *_of_disk(path, read)]
    for watched in read.sources:
        found += _of_folders(watched)
    if read.notify is not None:
        found += _of_notify(read)
    if not offline:
        found += _of_servers(read, progress)
    if path.exists() and not any(one.check == "store" and one.state == PROBLEM for one in found):
        progress("looking for new files")
        found += _of_next_run(path, read)
    return found


def _of_store(path: Path) -> Iterator[Finding]:
    if not path.exists():
        made = f"{path}: does not exist yet"
        yield Finding("store", WARNING, made, "'tracker init' or the first refresh creates it")
        return
    try:
        with store.reader(path) as connection:
            yield _contents(path, connection)
            yield _of_clock(connection)
    except TrackerError as error:
        yield Finding("store", PROBLEM, f"{path}: {error}", "see 'tracker check'")
        return
    try:
        with FileLock(f"{path.resolve()}.lock", timeout=0):
            pass
    except Timeout:
        busy = f"{path}: another process is writing to it"
        yield Finding("store", WARNING, busy, "wait for it, or find out what it is")
    except OSError as error:
        locked = f"{path}: cannot be locked: {error.strerror}"
        remedy = "give this user permission to write to the store's folder"
        yield Finding("store", PROBLEM, locked, remedy)


def _contents(path: Path, connection: Connection) -> Finding:
    counts = [
        connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
        for table in (schema.slate, schema.release)
    ]
    size = path.stat().st_size / 1e6
    held = f"{count(counts[0], 'slate')}, {count(counts[1], 'release')}"
    return Finding("store", OK, f"{path}: {held}, {size:,.0f} MB")


def _of_clock(connection: Connection) -> Finding:
    release = schema.release
    newest = connection.execute(sa.select(sa.func.max(release.c.released_on))).scalar()
    today = release_ledger.today()
    if newest is not None and newest > today:
        ahead = f"shows {today}, before the newest release of {newest}"
        return Finding("clock", PROBLEM, ahead, "set the clock of this machine")
    try:
        clock.require_not_behind(connection)
    except InputRefused as error:
        return Finding("clock", PROBLEM, f"the store {error}", "set the clock of this machine")
    return Finding("clock", OK, f"shows {today}")


def _of_disk(path: Path, read: Configuration) -> Iterator[Finding]:
    folder = path.resolve().parent
    if not folder.is_dir():
        yield Finding("disk", PROBLEM, f"{folder}: no such folder", "create it")
        return
    if not os.access(folder, os.W_OK):
        remedy = "give this user permission to write to it"
        yield Finding("disk", PROBLEM, f"{folder}: cannot be written", remedy)
    size = path.stat().st_size if path.exists() else 0
    free = shutil.disk_usage(folder).free
    needed = _STORES_OF_SPACE * size
    space = f"{folder}: {free / 1e9:,.1f} GB free"
    if free < needed:
        yield Finding("disk", PROBLEM, f"{space}, and {needed / 1e9:,.1f} GB needed", "make room")
    elif free < _CHEMBL_BYTES and any(one.kind == "chembl" for one, _ in read.fetched):
        wanted = (
            f"{space}; a release of ChEMBL takes {_CHEMBL_BYTES / 1e9:,.0f} GB while it is read"
        )
        yield Finding("disk", WARNING, wanted, "make room, or set TRACKER_TEMP to a larger disk")
    else:
        yield Finding("disk", OK, space)


def _of_folders(watched: Watched) -> Iterator[Finding]:
    if watched.url is not None:
        return
    named = ", ".join(watched.paths)
    try:
        files = watched.files()
    except OSError as error:
        unread = f"{error.filename or named}: cannot be read: {error.strerror}"
        yield Finding("files", PROBLEM, unread, "give this user permission to read it")
        return
    if files or watched.provider is not None:
        yield Finding("files", OK, f"{watched.kind}, {named}: {count(len(files), 'file')}")
    else:
        nothing = f"{watched.kind}, {named}: no file"
        yield Finding("files", WARNING, nothing, "put files there, or correct the path")


def _of_notify(read: Configuration) -> Iterator[Finding]:
    command = read.notify.command if read.notify is not None else None
    if command is None:
        yield Finding("notify", OK, "digests are written but not sent")
        return
    word, operators = shlex.split(command)[0], _operators(command)
    if operators:
        # The words would go to the first of them, '>>' as the name of a file.
        plain = f"{', '.join(operators)} means nothing here: the command is run without a shell"
        yield Finding("notify", PROBLEM, plain, f"write it as: sh -c {shlex.quote(command)}")
    elif shutil.which(word) is None:
        yield Finding("notify", PROBLEM, f"{word}: no such command", "install it, or name another")
    else:
        yield Finding("notify", OK, f"digests are given to {word}")


def _operators(command: str) -> list[str]:
    """Return the parts of a command that only a shell understands; single quotes enclose text."""
    words = _AS_TEXT.sub("", command)
    found = [match[0] for match in _EXPANDED.finditer(words)]
    return found + [match[0] for match in _OPERATOR.finditer(_QUOTED.sub("", words))]


def _of_servers(read: Configuration, progress: Progress) -> Iterator[Finding]:
    limits = replace(read.limits, attempts=min(2, read.limits.attempts))
    trusted = [watched.base_url for watched, _ in read.fetched]
    with Web(trusted, read.contact, limits, progress) as web:
        for watched, provider in read.fetched:
            progress(f"asking {provider.name}")
            try:
                web.reach(watched.base_url + provider.probe)
            except RequestFailed as error:
                remedy = "check the network and HTTPS_PROXY, or name another server with base_url"
                yield Finding("server", PROBLEM, f"{provider.name}: {error}", remedy)
            else:
                yield Finding("server", OK, f"{provider.name}: answers")


def _of_next_run(path: Path, read: Configuration) -> Iterator[Finding]:
    table = schema.refused_file
    with store.reader(path) as connection:
        held = sources.held(connection)
        told = {row.origin: row.problem for row in connection.execute(sa.select(table))}
    found = sources.ingest(path, read, held, dry_run=True, wait=0, log=lambda _event, _fields: None)
    new = [one.origin for one in found if one.status == "new"]
    waiting = f"{count(len(new), 'new file')}: {', '.join(new[:5])}"
    yield Finding("next refresh", OK, f"would ingest {waiting}" if new else "no new files yet")
    problems = {
        one.origin: one.problem for one in found if one.status in ("refused", "refused before")
    }
    for origin, problem in problems.items():
        why = problem or told.get(origin) or "refused under another name"
        refuses = f"refuses {origin}: {why.splitlines()[0]}"
        yield Finding("next refresh", WARNING, refuses, "get the file again, or remove it")
