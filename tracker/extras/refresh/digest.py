"""Digests: what a refresh found, written for people and programs, and sent by a command.

A digest follows from the store alone, so that the next run can write and send a missing one.
"""

import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import replacing, schema, slates, store
from tracker.extras.refresh.configuration import Configuration
from tracker.extras.refresh.sources import Found
from tracker.reports import overview
from tracker.reports.words import SOURCES, count
from tracker.rows import markdown_cell, plain, rows_from, to_json
from tracker.slates import falsification
from tracker.store import statements
from tracker.store.state import scope

DUE_DAYS = 90
_COMMAND_SECONDS = 60
_MOST_LISTED = 50
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Digest:
    """What is new since the refresh before: lists of records, as the JSON file has them."""

    refresh_id: int
    refreshed_at: datetime
    since: datetime | None
    hits: Sequence[Mapping[str, Any]]
    verdicts: Sequence[Mapping[str, Any]]
    due: Sequence[Mapping[str, Any]]
    releases: Sequence[Mapping[str, Any]]

    @property
    def title(self) -> str:
        """One line: how many hits are new, and how many verdicts have changed."""
        verdicts = count(len(self.verdicts), "changed verdict")
        return f"{count(len(self.hits), 'new hit')}, {verdicts}"


def tell(path: Path, config: Configuration, slate_ids: Sequence[UUID]) -> list[Found]:
    """Write the digest of the last refresh of a store and send it, unless that was done before.

    Returns the results, none if there was nothing to do. Raises OSError for an unwritable file.
    """
    if config.notify is None or not path.exists():
        return []
    refresh = schema.refresh
    newest = sa.select(refresh.c.refresh_id, refresh.c.refreshed_at).order_by(
        refresh.c.refresh_id.desc()
    )
    with store.reader(path) as connection:
        last = connection.execute(newest.limit(2)).all()
    if not last:
        return []
    refresh_id = last[0].refresh_id
    folder = config.notify.folder
    stem = f"digest-{refresh_id:05}"
    sent = folder / f".{stem}.sent"
    document, letter = folder / f"{stem}.json", folder / f"{stem}.md"
    found = []
    if not (document.exists() and letter.exists()):
        digest = _digest(path, last, slate_ids)
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in ((letter, markdown(digest)), (document, _json(digest))):
            with replacing.file(file) as written:
                written.write_text(text, encoding="utf-8")
        found.append(Found("digest", letter.name, "written"))
    if config.notify.command and not sent.exists():
        problem = _send(config.notify.command, letter.read_text(encoding="utf-8"), config.path)
        if problem is None:
            sent.touch()
        found.append(
            Found("digest", letter.name, "not sent" if problem else "sent", problem=problem)
        )
    return found


def markdown(digest: Digest) -> str:
    """Return a digest as Markdown; names are escaped."""
    day = digest.refreshed_at.astimezone(UTC).date()
    since = f" since {digest.since.astimezone(UTC).date()}" if digest.since else ""
    lines = [f"# {digest.title}", "", f"Refresh {digest.refresh_id} of {day}: what is new{since}."]
    for heading, records, line in (
        ("New hits", digest.hits, _hit),
        ("Verdicts that changed", digest.verdicts, _verdict),
        (f"Criteria due within {DUE_DAYS} days", digest.due, _due),
        ("New releases", digest.releases, _release),
    ):
        if records:
            lines += ["", f"## {heading}", ""]
            lines += [f"- {line(one)}" for one in records[:_MOST_LISTED]]
            hidden = len(records) - _MOST_LISTED
            lines += [f"- and {hidden:,} more, in the JSON file"] if hidden > 0 else []
    return "\n".join([*lines, ""])


def _digest(path: Path, last: Sequence[Any], slate_ids: Sequence[UUID]) -> Digest:
    """Read the digest of the last refresh; `last` is that one and the one before."""
    followed = {str(slate_id) for slate_id in slate_ids}
    since = last[1].refreshed_at if len(last) > 1 else None
    with store.reader(path) as connection:
        hits = [one for slate_id in sorted(followed) for one in _hits(connection, slate_id, since)]
        verdicts = overview.read(connection).records()
        replayed = sa.select(schema.slate.c.slate_id).where(schema.slate.c.is_replay)
        replays = set(map(str, connection.execute(replayed).scalars()))
        due = falsification.due(connection, None, days=DUE_DAYS, months=0).records()
        releases = _releases(connection, since)
    before = {}
    if since is not None:
        with store.reader(path, as_of=since) as connection:
            before = {
                one["slate_id"]: one["verdict"]
                for one in overview.read(connection, since).records()
            }
    return Digest(
        last[0].refresh_id,
        last[0].refreshed_at,
        since,
        _marked(hits, replays),
        [
            {
                **{name: one[name] for name in ("slate_id", "model_version", "why")},
                "before": before[one["slate_id"]],
                "verdict": one["verdict"],
            }
            for one in verdicts
            if one["slate_id"] in followed
            and before.get(one["slate_id"], one["verdict"]) != one["verdict"]
        ],
        _marked([one for one in due if str(one["slate_id"]) in followed], replays),
        releases,
    )


def _marked(records: Sequence[dict[str, Any]], replays: set[str]) -> list[dict[str, Any]]:
    """Return records of slates with `is_replay`: whether the slate was made with hindsight."""
    return [{**one, "is_replay": str(one["slate_id"]) in replays} for one in records]


def _hits(connection: Connection, slate_id: str, since: datetime | None) -> list[dict[str, Any]]:
    slate = slates.find(connection, slate_id)
    values = {"slate_id": slate_id, "since": (since or _BEGINNING).isoformat()}
    with scope.of_slates(connection, slate):
        return rows_from(statements.run(connection, "new_hit", values)).records()


def _releases(connection: Connection, since: datetime | None) -> list[dict[str, Any]]:
    release, fetch = schema.release, schema.release_fetch
    names = ("source", "version", "released_on", "origin")
    query = (
        sa.select(*[release.c[name] for name in names], fetch.c.url)
        .outerjoin(fetch, fetch.c.release_id == release.c.release_id)
        .where(release.c.ingested_at > (since or _BEGINNING))
        .order_by(release.c.release_id)
    )
    return rows_from(connection.execute(query)).records()


def _json(digest: Digest) -> str:
    names = ("refresh_id", "title", "refreshed_at", "since", "hits", "verdicts", "due", "releases")
    return to_json({name: plain(getattr(digest, name)) for name in names})


def _hit(one: Mapping[str, Any]) -> str:
    record = f" {one['record']}" if one["record"] else ""
    source = SOURCES.get(one["source"], one["source"])
    what = str(one["outcome_type"]).replace("_", " ")
    on = f" of {one['event_date']}" if one["event_date"] else ""
    return markdown_cell(
        f"{one['drug_name']} for {one['disease_name']}: {what}{on}, {source}{record} "
        f"({_slate(one)}, {one['tier']} tier, rank {one['rank']})"
    )


def _verdict(one: Mapping[str, Any]) -> str:
    return markdown_cell(
        f"slate {one['slate_id'][:8]} ({one['model_version']}): {one['verdict']}, before: "
        f"{one['before']}. {one['why']}"
    )


def _due(one: Mapping[str, Any]) -> str:
    return markdown_cell(
        f"{one['due_date']}: {one['drug_name']} for {one['disease_name']} needs "
        f"{one['criterion_text']} ({_slate(one)})"
    )


def _slate(one: Mapping[str, Any]) -> str:
    """Return how a line names its slate; a verdict says itself that it is of a replay."""
    return f"{'replay' if one['is_replay'] else 'slate'} {str(one['slate_id'])[:8]}"


def _release(one: Mapping[str, Any]) -> str:
    source = SOURCES.get(one["source"], one["source"])
    return markdown_cell(f"{source} {one['version']} ({one['released_on']})")


def _send(command: str, letter: str, config: Path) -> str | None:
    """Run a command with a letter on standard input; return why it was not sent, if it was not."""
    words = shlex.split(command)
    try:
        done = subprocess.run(  # noqa: S603 - the user's own command, without a shell
            words,
            input=letter,
            text=True,
            encoding="utf-8",
            # What a command says may be in any encoding.
            errors="replace",
            capture_output=True,
            timeout=_COMMAND_SECONDS,
            cwd=config.resolve().parent,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{words[0]}: did not end within {_COMMAND_SECONDS} s"
    except OSError as error:
        return f"{words[0]}: cannot be run: {error.strerror}"
    if done.returncode:
        said = (done.stderr.strip().splitlines() or [""])[-1]
        return f"{words[0]}: ended with exit code {done.returncode}" + (f": {said}" if said else "")
    return None
