"""Gives a frozen slate the candidate set or label set that it was frozen or imported without.

The slate itself, and its hash, stay as they are: an attachment is a row of its own, and every
report says that the set came later.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection, Row, Table

from tracker import clock, schema
from tracker.errors import InputRefused
from tracker.slates import loads
from tracker.store import sealed_sets, statements

_TABLES = {"candidates": schema.candidate_set, "labels": schema.label_set}


@dataclass(frozen=True)
class AttachedSet:
    """A set attached to a slate, as the statement attached_set has it."""

    set_kind: str
    name: str
    sha256: str
    origin: str
    n_pairs: int
    loaded_at: datetime
    attached_at: datetime
    is_frozen_file: bool
    n_later: int


@dataclass(frozen=True)
class Attached:
    """The result of attaching one set; it is not new if the slate had this very set."""

    noun: str
    name: str
    n_pairs: int
    is_new: bool


def attach(
    connection: Connection,
    slate: Row[Any],
    *,
    candidates: str | None = None,
    labels: str | None = None,
) -> list[Attached]:
    """Attach a candidate set, a label set or both to a slate that has none: all or nothing.

    A set that the slate already has is left alone. Raises InputRefused for an unknown set, a slate
    with another one, a set from another file than the slate was frozen with elsewhere, candidates
    that lack a prediction of the slate, or labels without any of its drugs, and CheckFailed if a
    file of the candidate set is not as it was sealed.
    """
    wanted = {"candidates": candidates, "labels": labels}
    return [
        _attach(connection, slate, kind, name) for kind, name in wanted.items() if name is not None
    ]


def of_slate(connection: Connection, slate_id: UUID) -> list[AttachedSet]:
    """Return the sets attached to a slate, candidates first, as of the connection's instant."""
    rows = statements.run(connection, "attached_set", {"slate_id": str(slate_id)})
    return [AttachedSet(**row) for row in rows.mappings()]


def _attach(connection: Connection, slate: Row[Any], kind: str, name: str) -> Attached:
    table = _TABLES[kind]
    key, noun = f"{table.name}_id", table.name.replace("_", " ")
    found = loads.find_set(connection, table, name, f"load one with 'tracker load {kind}'")
    set_id = getattr(found, key)
    present = _present(connection, slate, table)
    if present is not None and getattr(present, key) != set_id:
        raise InputRefused(
            f"slate {_short(slate)} has the {noun} '{present.name}'; a slate keeps its sets"
        )
    if present is None:
        _require_fit(connection, slate, kind, found)
        row = {"slate_id": slate.slate_id, "set_kind": kind, key: set_id}
        connection.execute(
            schema.slate_attachment.insert(), {**row, "attached_at": clock.now(connection)}
        )
    return Attached(noun, found.name, found.n_pairs, present is None)


def _present(connection: Connection, slate: Row[Any], table: Table) -> Row[Any] | None:
    """Return the slate's set of a kind, frozen with it or attached, None if it has none."""
    key = f"{table.name}_id"
    sets = sa.table("slate_sets", sa.column("slate_id", sa.Uuid), sa.column(key))
    query = (
        sa.select(table)
        .join(sets, sets.c[key] == table.c[key])
        .where(sets.c.slate_id == slate.slate_id)
    )
    return connection.execute(query).first()


def _require_fit(connection: Connection, slate: Row[Any], kind: str, found: Row[Any]) -> None:
    """Raise InputRefused if the set contradicts what was frozen."""
    frozen_sha256 = slate.candidate_sha256 if kind == "candidates" else slate.label_sha256
    if frozen_sha256 not in (None, found.sha256):
        raise InputRefused(
            f"slate {_short(slate)} was frozen with {kind} of SHA-256 {frozen_sha256[:12]}..., and "
            f"'{found.name}' was loaded from another file; load the original"
        )
    key = {"slate_id": str(slate.slate_id)}
    if kind == "labels":
        key |= {"label_set_id": found.label_set_id}
        if not statements.run(connection, "has_labeled_drug", key).scalar_one():
            raise InputRefused(
                f"label set '{found.name}' has none of the drugs of slate {_short(slate)}"
            )
        return
    sealed_sets.require_unaltered(connection, found.candidate_set_id)
    key |= {"candidate_set_id": found.candidate_set_id}
    lacking = statements.run(connection, "unscored_prediction", key).all()
    if lacking:
        raise InputRefused(
            f"candidate set '{found.name}' lacks {len(lacking):,} of the {slate.n_predictions:,} "
            f"predictions of slate {_short(slate)}: drug '{lacking[0].drug_name}' for disease "
            f"'{lacking[0].disease_name}', for instance"
        )


def _short(slate: Row[Any]) -> str:
    return str(slate.slate_id)[:8]
