"""The question of a round: written for teams and sealed; only its deadline can move.

question.json is the question. It names the hashes of the files beside it; its own hash is in the
table `round`, which the log seals.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import clock, rankers, schema
from tracker.errors import InputRefused, no_such
from tracker.figures import MOST_PREDICTIONS
from tracker.files import fields, json_file, require_file, sha256_of
from tracker.slates import annulments, plans

FORMAT = 1
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# The files beside it, each with the statement that yields its rows.
FILES = {"candidates.csv": "universe_row", "labels.csv": "label_row", "probe.csv": "probe_row"}
QUESTION = "question.json"
# Rankers that enter every round. Related diseases are another entry, if a vocabulary relates any.
BASELINES = (*rankers.BASELINES, "cf")
RELATED = "related diseases"

_QUESTION = fields.record(
    {
        "format": fields.whole(FORMAT, FORMAT),
        "name": fields.TEXT,
        "asked_at": fields.INSTANT,
        "deadline": fields.INSTANT,
        "is_replay": fields.FLAG,
        "top_k": fields.whole(1, MOST_PREDICTIONS),
        "labels_as_of": fields.DATE,
        "embargo_until": fields.optional(fields.DATE),
        "plan": fields.OBJECT,
        "baselines": fields.OBJECT,
        "power": fields.listed(fields.OBJECT, "a list"),
        "n_pairs": fields.whole(1),
        "n_diseases": fields.whole(1),
        "n_drugs": fields.whole(1),
        "files": fields.OBJECT,
    }
)


@dataclass(frozen=True)
class Asked:
    """An organiser's question; `labels_as_of` is the last day that the labels know.

    Deadlines are instants. A `replay` has one in the past, and is marked as made after the fact.
    """

    name: str
    candidates: str
    labels: str
    deadline: datetime
    plan: plans.Plan
    top_k: int = 50
    labels_as_of: date | None = None
    embargo_until: date | None = None
    replay: bool = False


@dataclass(frozen=True)
class Round:
    """A round: its question as asked, and its current deadline."""

    row: Row[Any]
    deadline: datetime

    @property
    def round_id(self) -> int:
        """The number of the round."""
        return int(self.row.round_id)

    @property
    def name(self) -> str:
        """The name of the round."""
        return str(self.row.name)

    @property
    def question(self) -> dict[str, Any]:
        """The content of question.json."""
        return dict(self.row.question)


def extend(connection: Connection, name: str, deadline: datetime, reason: str) -> Round:
    """Store a later deadline, and why; return the round.

    Raises InputRefused if it is not later, if the current deadline has passed, and for a reason
    that is empty, long or not printable.
    """
    found = find(connection, name)
    # Never earlier than the store's contents, even if a clock set back is accepted.
    present = clock.in_order(connection)
    reason = annulments.require_reason(reason)
    if deadline == found.deadline:
        return found
    if deadline < found.deadline:
        raise InputRefused(
            f"{shown(deadline)} is before the deadline of round '{name}', {shown(found.deadline)}; "
            "a deadline can only be extended"
        )
    if present > found.deadline:
        raise InputRefused(
            f"the deadline of round '{name}' has passed, {shown(found.deadline)}: it cannot be "
            "extended"
        )
    connection.execute(
        schema.round_extension.insert(),
        {
            "round_id": found.round_id,
            "deadline": deadline,
            "reason": reason,
            "extended_at": present,
        },
    )
    return find(connection, name)


def find(connection: Connection, name: str) -> Round:
    """Return the round with that name; InputRefused lists the known names."""
    table, later = schema.round_, schema.round_extension
    row = connection.execute(sa.select(table).where(table.c.name == name)).first()
    if row is None:
        names = connection.execute(sa.select(table.c.name).order_by(table.c.name)).scalars().all()
        known = f"known: {', '.join(names)}" if names else "open one with 'tracker round new'"
        raise no_such("round", name, names, known)
    moved = sa.select(sa.func.max(later.c.deadline)).where(later.c.round_id == row.round_id)
    extended = connection.execute(moved).scalar()
    return Round(row, max(row.deadline, extended) if extended else row.deadline)


def read(folder: Path) -> dict[str, Any]:
    """Return the question in a folder; InputRefused if a file's hash is not the one it names."""
    path = folder / QUESTION
    question = json_file.read(path, "the question of a round")
    fields.require(QUESTION, question, _QUESTION)
    for name in FILES:
        require_file(folder / name)
        if question["files"].get(name) != sha256_of(folder / name):
            raise InputRefused(f"{folder / name}: is not the file that {QUESTION} names")
    return dict(question)


def canonical(document: Mapping[str, Any]) -> bytes:
    """Return the hashed bytes of a document: JSON with sorted keys, without spaces."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"{text}\n".encode()


def shown(instant: datetime) -> str:
    """Return an instant in words."""
    return f"{instant.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
