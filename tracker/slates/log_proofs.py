"""Proofs from the log: that a slate was sealed, and that a log only grew since an earlier head.

A head is one canonical line of JSON. A proof is a JSON object that needs no store to be verified:
the canonical line of a slate, the path from its leaf to the root of a head (RFC 9162, section
2.1.3), and, since an earlier head, the path from that root to this one (section 2.1.4).
"""

import json
from datetime import UTC
from pathlib import Path
from typing import Any, NoReturn
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import merkle
from tracker.errors import CheckFailed, InputRefused
from tracker.files import json_file
from tracker.store import covered, schema, sealing
from tracker.store.sealing import Head

_COUNT = (lambda value: type(value) is int and value >= 1, "a whole number of at least 1")
_INDEX = (lambda value: type(value) is int and value >= 0, "a whole number of at least 0")
_HASH = (json_file.is_sha256, "a SHA-256 (64 hexadecimal digits)")
_TEXT = (json_file.is_text, "text")
_PATH = (
    lambda value: isinstance(value, list) and all(map(json_file.is_sha256, value)),
    "a list of SHA-256 hashes",
)
_HEAD_FIELDS: json_file.Fields = {
    "head_id": _COUNT,
    "log_id": json_file.SLATE_ID,
    "n_entries": _COUNT,
    "reason": _TEXT,
    "root_sha256": _HASH,
    "sealed_at": json_file.INSTANT,
    "tracker_version": _TEXT,
}
_PROOF_FIELDS: json_file.Fields = {
    "table": _TEXT,
    "line": _TEXT,
    "leaf_index": _INDEX,
    "inclusion_path": _PATH,
    "head": (json_file.is_mapping, "an object"),
}


def latest_head(connection: Connection) -> Head:
    """Return the latest head; raises CheckFailed if another program removed the heads."""
    head = sealing.last_head(connection)
    if head is None:
        raise CheckFailed("the log of this store is missing; run 'tracker check'")
    return head


def unstamped_head(connection: Connection) -> Head | None:
    """Return the latest head if it covers more than the last timestamped one; None if not.

    Timestamps and heads that were stored since then are no news.
    """
    token, head, entry = schema.timestamp_token.c, schema.log_head.c, schema.log_entry.c
    is_stamped = sa.exists().where(token.sha256 == head.head_sha256)
    n_stamped = sa.select(sa.func.coalesce(sa.func.max(head.n_entries), 0)).where(is_stamped)
    is_news = entry.table_name.not_in(("log_head", "timestamp_token", "timestamp_root"))
    news = sa.select(sa.func.count()).where(entry.entry_id >= n_stamped.scalar_subquery(), is_news)
    return latest_head(connection) if connection.execute(news).scalar_one() else None


def prove(
    connection: Connection,
    slate: Row[Any],
    since: Head | None = None,
    head: Head | None = None,
) -> dict[str, Any]:
    """Return the proof that a slate is in the log, and that the log only grew `since` a head.

    It is in the log of `head`, of the latest one without it.

    Raises CheckFailed if the slate or the log is not as it was sealed.
    """
    table, entry = schema.slate, schema.log_entry.c
    row = connection.execute(
        sa.select(covered.ROW_ID.label("place"), covered.line(table).label("line"))
        .select_from(table)
        .where(table.c.slate_id == slate.slate_id)
    ).one()
    index = connection.execute(
        sa.select(entry.entry_id).where(
            entry.table_name == table.name, entry.first_row == row.place
        )
    ).scalar_one()
    head = head or latest_head(connection)
    leaves = _leaves(connection, head.n_entries)
    is_sealed = leaves[index] == merkle.leaf_hash(covered.leaf_data(table, row.line))
    if not is_sealed or merkle.root(leaves).hex() != head.root_sha256:
        raise CheckFailed(f"slate {slate.slate_id} is not as it was sealed; run 'tracker check'")
    proof = {
        "table": table.name,
        "line": row.line,
        "leaf_index": index,
        "inclusion_path": _hex(merkle.inclusion_path(leaves, index)),
        "head": _fields(head),
    }
    if since is None:
        return proof
    require_beginning(connection, since)
    path = merkle.consistency_path(leaves, since.n_entries)
    return {**proof, "from_head": _fields(since), "consistency_path": _hex(path)}


def render(proof: dict[str, Any]) -> str:
    """Return a proof as the text of a file."""
    return json.dumps(proof, indent=2, ensure_ascii=False) + "\n"


def read_head(path: Path) -> Head:
    """Return the head in a file; InputRefused if there is none."""
    return _head(path.name, json_file.read(path, "a head of a log"))


def verify(connection: Connection | None, path: Path) -> list[str]:
    """Return what a file with a head or a proof proves, in a line each.

    A head is compared with the log of the store, and so is that of a proof if the store is of the
    same log. Raises InputRefused if the file is neither, or a head is given without a store, and
    CheckFailed, naming the file, if it does not hold.
    """
    found = json_file.read(path, "a head or a proof")
    if isinstance(found, dict) and "inclusion_path" in found:
        return _verify_proof(connection, path.name, found)
    head = _head(path.name, found)
    if connection is None:
        raise InputRefused(f"{path.name}: is a head, which is compared with a store; give --db")
    require_beginning(connection, head, path.name)
    return [_of_this_store(connection, head)]


def require_beginning(connection: Connection, head: Head, place: str = "") -> None:
    """Raise CheckFailed unless the log of the store begins with all entries of the head."""
    ours = latest_head(connection)
    prefix = f"{place}: " if place else ""
    if head.log_id != ours.log_id:
        raise CheckFailed(
            f"{prefix}is of the log {head.log_id}, and this store has the log {ours.log_id}: it "
            "was made anew, or is another store"
        )
    n_entries = sealing.sum_of_entries(connection)
    if head.n_entries > n_entries:
        raise CheckFailed(
            f"{prefix}has {head.n_entries:,} entries, and the log of this store {n_entries:,}: the "
            f"store was set back to before {_shown(head)}, or its log was made anew"
        )
    if merkle.root(_leaves(connection, head.n_entries)).hex() != head.root_sha256:
        raise CheckFailed(
            f"{prefix}has another root than the first {head.n_entries:,} entries of this store: "
            f"what was sealed by {_shown(head)} was rewritten"
        )


def _verify_proof(connection: Connection | None, place: str, proof: dict[str, Any]) -> list[str]:
    json_file.require(place, proof, _PROOF_FIELDS)
    head = _head(f"{place}, head", proof["head"])
    table, line, index = proof["table"], proof["line"], proof["leaf_index"]
    root = bytes.fromhex(head.root_sha256)
    leaf = merkle.leaf_hash(f"{table}\n{line}".encode())
    path = [*map(bytes.fromhex, proof["inclusion_path"])]
    if not merkle.is_included(leaf, index, head.n_entries, path, root):
        _fail(place, f"the line is not entry {index:,} of the tree with the root of head")
    row = json_file.document(f"{place}, line", line.encode())
    key = " ".join(str(row[name]) for name in ("slate_id", "content_sha256") if name in row)
    found = [f"{table} {key} is entry {index:,} of the log {head.log_id}, sealed by {_shown(head)}"]
    if "from_head" in proof:
        json_file.require(place, proof, {"consistency_path": _PATH})
        since = _head(f"{place}, from_head", proof["from_head"])
        path = [*map(bytes.fromhex, proof["consistency_path"])]
        first = bytes.fromhex(since.root_sha256)
        is_grown = merkle.is_consistent(since.n_entries, first, head.n_entries, root, path)
        if not is_grown or since.log_id != head.log_id:
            _fail(place, "the log of head does not begin with that of from_head")
        found.append(f"the log only grew since {_shown(since)}")
    if connection is not None and latest_head(connection).log_id == head.log_id:
        require_beginning(connection, head, place)
        found.append(_of_this_store(connection, head))
    return found


def _head(place: str, found: Any) -> Head:
    json_file.require(place, found, _HEAD_FIELDS)
    return Head(
        head_id=found["head_id"],
        log_id=UUID(found["log_id"]),
        n_entries=found["n_entries"],
        root_sha256=found["root_sha256"],
        peaks=[],
        sealed_at=json_file.instant(found["sealed_at"]),
        reason=found["reason"],
        tracker_version=found["tracker_version"],
    )


def _leaves(connection: Connection, n_entries: int) -> list[bytes]:
    return [
        leaf
        for first in range(0, n_entries, covered.SLICE_ROWS)
        for leaf in sealing.stored_leaves(
            connection, first, min(first + covered.SLICE_ROWS, n_entries)
        )
    ]


def _of_this_store(connection: Connection, head: Head) -> str:
    n_later = sealing.sum_of_entries(connection) - head.n_entries
    return f"the log of this store begins with head {head.head_id:,}; {n_later:,} entries are later"


def _fields(head: Head) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(sealing.head_line(head))
    return fields


def _hex(path: list[bytes]) -> list[str]:
    return [one.hex() for one in path]


def _shown(head: Head) -> str:
    return f"{head.sealed_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _fail(place: str, problem: str) -> NoReturn:
    raise CheckFailed(f"{place}: does not hold: {problem}")
