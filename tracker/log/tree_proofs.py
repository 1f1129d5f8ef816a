"""Proofs from the log: that a row was sealed, and that a log only grew since an earlier head.

A head is one canonical line of JSON. A proof is a JSON object that needs no store to be verified:
the canonical line of a row, the path from its leaf to the root of a head (RFC 9162, section
2.1.3), and, since an earlier head, the path from that root to this one (section 2.1.4).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema
from tracker.errors import CheckFailed, InputRefused
from tracker.files import fields, json_file
from tracker.log import leaf_data, merkle, sealing
from tracker.log.sealing import Head

# What a line names its row by.
_NAMING = ("slate_id", "content_sha256", "publication_id", "manifest_sha256")
_COUNT = fields.whole(1)
_PATH = fields.listed(fields.SHA256, "a list of SHA-256 hashes")
_HEAD = fields.record(
    {
        "head_id": _COUNT,
        "log_id": fields.IDENTIFIER,
        "n_entries": _COUNT,
        "reason": fields.TEXT,
        "root_sha256": fields.SHA256,
        "sealed_at": fields.INSTANT,
        "tracker_version": fields.TEXT,
    }
)
_PROOF = {"leaf_index": fields.whole(0), "inclusion_path": _PATH, "head": _HEAD}
_EARLIER = fields.record(
    {"n_entries": _COUNT, "root_sha256": fields.SHA256, "consistency_path": _PATH}
)
_LINE_PROOF = fields.record({"table": fields.TEXT, "line": fields.TEXT, **_PROOF})
_VEILED_PROOF = fields.record({"leaf_sha256": fields.SHA256, **_PROOF})


def latest_head(connection: Connection) -> Head:
    """Return the latest head; raises CheckFailed if another program removed the heads."""
    head = sealing.last_head(connection)
    if head is None:
        raise CheckFailed("the log of this store is missing; run 'tracker check'")
    return head


def unstamped_head(connection: Connection) -> Head | None:
    """Return the latest head if it covers more than the last timestamped one; None if not.

    Timestamps, heads and publications that were stored since then are no news.
    """
    token, head, entry = schema.timestamp_token.c, schema.log_head.c, schema.log_entry.c
    is_stamped = sa.exists().where(token.sha256 == head.head_sha256)
    n_stamped = sa.select(sa.func.coalesce(sa.func.max(head.n_entries), 0)).where(is_stamped)
    is_news = entry.table_name.not_in(
        ("log_head", "publication", "timestamp_token", "timestamp_root")
    )
    news = sa.select(sa.func.count()).where(entry.entry_id >= n_stamped.scalar_subquery(), is_news)
    return latest_head(connection) if connection.execute(news).scalar_one() else None


def first_head(connection: Connection, are_covered: sa.ColumnElement[bool]) -> Head:
    """Return the first head that covers the last of these entries of the log.

    Raises CheckFailed if another program removed the heads.
    """
    head, entry = schema.log_head, schema.log_entry.c
    last = sa.select(sa.func.max(entry.entry_id)).where(are_covered).scalar_subquery()
    found = sa.select(head).where(head.c.n_entries > last).order_by(head.c.head_id).limit(1)
    row = connection.execute(found).first()
    return latest_head(connection) if row is None else Head(*row)


def prove(
    connection: Connection,
    table: sa.Table,
    key: Any,
    since: Head | None = None,
    head: Head | None = None,
) -> dict[str, Any]:
    """Return the proof that a row is in the log, and that the log only grew `since` a head.

    The proof leads to the root of `head`, or of the latest head if that is None. Raises CheckFailed
    if the row or the log is not as it was sealed.
    """
    (proof,) = prove_each(connection, table, [key], head)
    if since is None:
        return proof
    require_beginning(connection, since)
    hashes = leaves(connection, proof["head"]["n_entries"])
    (path,) = merkle.consistency_paths(hashes, [since.n_entries])
    return {**proof, "from_head": _fields(since), "consistency_path": _hex(path)}


def prove_each(
    connection: Connection, table: sa.Table, keys: Sequence[Any], head: Head | None
) -> list[dict[str, Any]]:
    """Return the proof of each row of a table whose rows have entries of their own.

    A proof leads to the root of `head`, or of the latest head if that is None. Raises CheckFailed
    if a row or the log is not as it was sealed.
    """
    entry, (key,) = schema.log_entry.c, table.primary_key
    row = sa.select(
        key.label("key"), leaf_data.ROW_ID.label("place"), leaf_data.line(table).label("line")
    ).subquery()
    sealed = sa.select(row.c.key, row.c.line, entry.entry_id).join_from(
        row, schema.log_entry, entry.first_row == row.c.place
    )
    rows = {
        one.key: one for one in connection.execute(sealed.where(entry.table_name == table.name))
    }
    head = head or latest_head(connection)
    hashes = leaves(connection, head.n_entries)
    for one in keys:
        stored = rows.get(one)
        leaf = merkle.leaf_hash(leaf_data.leaf_data(table, stored.line)) if stored else None
        if stored is None or hashes[stored.entry_id : stored.entry_id + 1] != [leaf]:
            raise CheckFailed(f"{table.name} {one} is not as it was sealed; run 'tracker check'")
    found = [rows[one] for one in keys]
    require_root(hashes, head)
    paths = merkle.inclusion_paths(hashes, [one.entry_id for one in found])
    return [
        {
            "table": table.name,
            "line": one.line,
            "leaf_index": one.entry_id,
            "inclusion_path": _hex(path),
            "head": _fields(head),
        }
        for one, path in zip(found, paths, strict=True)
    ]


def earlier_heads(connection: Connection, head: Head) -> list[dict[str, Any]]:
    """Return the heads before a head, each with the proof that the log of that one begins with it.

    Raises CheckFailed if the log is not as it was sealed.
    """
    hashes = leaves(connection, head.n_entries)
    require_root(hashes, head)
    earlier = [one for one in sealing.heads(connection) if one.head_id < head.head_id]
    paths = merkle.consistency_paths(hashes, [one.n_entries for one in earlier])
    return [
        {**_fields(one), "consistency_path": _hex(path)}
        for one, path in zip(earlier, paths, strict=True)
    ]


def begins_with(place: str, earlier: Any, head: Head, before: Head) -> bool:
    """Whether the log of a head begins with that of an earlier one, as `earlier_heads` proves.

    False if no proof for as many entries is among the heads in the file. Raises InputRefused,
    naming the place, for what is no such list, and CheckFailed where the log was rewritten.
    """
    fields.require(place, earlier, fields.LIST)
    for found in earlier:
        fields.require(f"{place}: head", found, _EARLIER)
        if found["n_entries"] != before.n_entries:
            continue
        path = [*map(bytes.fromhex, found["consistency_path"])]
        first, root = bytes.fromhex(before.root_sha256), bytes.fromhex(head.root_sha256)
        is_same = found["root_sha256"] == before.root_sha256
        if not is_same or not merkle.is_consistent(
            before.n_entries, first, head.n_entries, root, path
        ):
            raise CheckFailed(
                f"{place}: the first {before.n_entries:,} entries of the log are not those sealed "
                f"by {before.sealed_on}: history was rewritten"
            )
        return True
    return False


def veiled(proof: dict[str, Any]) -> dict[str, Any]:
    """Return a proof with the hash of its leaf in place of the line, which it does not reveal."""
    leaf = merkle.leaf_hash(f"{proof['table']}\n{proof['line']}".encode())
    kept = {name: proof[name] for name in ("leaf_index", "inclusion_path", "head")}
    return {"leaf_sha256": leaf.hex(), **kept}


def render(proof: dict[str, Any]) -> str:
    """Return a proof as the text of a file."""
    return json.dumps(proof, indent=2, ensure_ascii=False) + "\n"


def read_head(path: Path) -> Head:
    """Return the head in a file; InputRefused if there is none."""
    return head_of(path.name, json_file.read(path, "a head of a log"))


def verify(connection: Connection | None, path: Path) -> list[str]:
    """Return what a file with a head or a proof proves, in a line each.

    A head is compared with the log of the store, and so is that of a proof if the store is of the
    same log. Raises InputRefused if the file is neither, or a head is given without a store, and
    CheckFailed, naming the file, if it does not hold.
    """
    found = json_file.read(path, "a head or a proof")
    if isinstance(found, dict) and "inclusion_path" in found:
        return _verify_proof(connection, path.name, found)
    head = head_of(path.name, found)
    if connection is None:
        raise InputRefused(f"{path.name}: is a head, which is compared with a store; give --db")
    require_beginning(connection, head, path.name)
    return [_of_this_store(connection, head)]


def require_beginning(connection: Connection, head: Head, place: str = "") -> None:
    """Raise CheckFailed unless the log of the store begins with all entries of the head."""
    ours = latest_head(connection)
    if head.log_id != ours.log_id:
        raise CheckFailed(
            f"{_prefix(place)}is of the log {head.log_id}, and this store has the log "
            f"{ours.log_id}: it was made anew, or is another store"
        )
    require_first_entries(connection, head.n_entries, head.root_sha256, head.sealed_on, place)


def require_first_entries(
    connection: Connection, n_entries: int, root_sha256: str, then: str, place: str
) -> None:
    """Raise CheckFailed unless the first entries of the store's log have this root.

    `then` says when they had it.
    """
    n_stored = sealing.sum_of_entries(connection)
    if n_entries > n_stored:
        raise CheckFailed(
            f"{_prefix(place)}has {n_entries:,} entries, and the log of this store {n_stored:,}: "
            f"the store was set back to before {then}, or its log was started again"
        )
    if merkle.root(leaves(connection, n_entries)).hex() != root_sha256:
        raise CheckFailed(
            f"{_prefix(place)}has another root than the first {n_entries:,} entries of this "
            f"store: what was sealed by {then} was rewritten"
        )


@dataclass(frozen=True)
class Included:
    """An entry that a proof shows to be in the tree of a head; `line` is None in a veiled proof."""

    index: int
    leaf_sha256: str
    table: str
    line: str | None
    head: Head

    @property
    def row(self) -> dict[str, Any]:
        """The row of the line by column; empty if the proof is veiled or the line no object."""
        found = {} if self.line is None else json.loads(self.line)
        return found if isinstance(found, dict) else {}


def included(place: str, proof: Any) -> Included:
    """Return what a proof shows to be in the log.

    Raises InputRefused, naming the place, for what is no proof, and CheckFailed for one that does
    not hold.
    """
    is_veiled = isinstance(proof, dict) and "leaf_sha256" in proof
    fields.require(place, proof, _VEILED_PROOF if is_veiled else _LINE_PROOF)
    head = head_of(f"{place}, head", proof["head"])
    table, index = proof.get("table", "slate"), proof["leaf_index"]
    line = None if is_veiled else proof["line"]
    leaf = (
        bytes.fromhex(proof["leaf_sha256"])
        if is_veiled
        else merkle.leaf_hash(f"{table}\n{line}".encode())
    )
    path = [*map(bytes.fromhex, proof["inclusion_path"])]
    if not merkle.is_included(leaf, index, head.n_entries, path, bytes.fromhex(head.root_sha256)):
        what = "leaf" if is_veiled else "line"
        _fail(place, f"the {what} is not entry {index:,} of the tree with the root of head")
    if line is not None:
        json_file.document(f"{place}, line", line.encode())
    return Included(index, leaf.hex(), table, line, head)


def grown_since(place: str, proof: dict[str, Any], head: Head) -> Head:
    """Return the earlier head with whose entries the log of a proof's head begins, as it proves.

    Raises like `included`.
    """
    fields.require(place, proof, fields.record({"consistency_path": _PATH}))
    since = head_of(f"{place}, from_head", proof.get("from_head"))
    path = [*map(bytes.fromhex, proof["consistency_path"])]
    first, root = bytes.fromhex(since.root_sha256), bytes.fromhex(head.root_sha256)
    is_grown = merkle.is_consistent(since.n_entries, first, head.n_entries, root, path)
    if not is_grown or since.log_id != head.log_id:
        _fail(place, "the log of head does not begin with that of from_head")
    return since


def _verify_proof(connection: Connection | None, place: str, proof: dict[str, Any]) -> list[str]:
    shown = included(place, proof)
    head, row = shown.head, shown.row
    key = " ".join(str(row[name]) for name in _NAMING if name in row)
    what = f"{shown.table} {key}" if row else f"a row that is withheld, {shown.leaf_sha256},"
    found = [
        f"{what} is entry {shown.index:,} of the log {head.log_id}, sealed by {head.sealed_on}"
    ]
    if "from_head" in proof:
        found.append(f"the log has only grown since {grown_since(place, proof, head).sealed_on}")
    if connection is not None and latest_head(connection).log_id == head.log_id:
        require_beginning(connection, head, place)
        found.append(_of_this_store(connection, head))
    return found


def head_of(place: str, found: Any) -> Head:
    """Return the head of parsed JSON; raises InputRefused, naming the place, if it is none."""
    fields.require(place, found, _HEAD)
    return Head(
        head_id=found["head_id"],
        log_id=UUID(found["log_id"]),
        n_entries=found["n_entries"],
        root_sha256=found["root_sha256"],
        peaks=[],
        sealed_at=fields.instant(found["sealed_at"]),
        reason=found["reason"],
        tracker_version=found["tracker_version"],
    )


def require_root(hashes: Sequence[bytes], head: Head) -> None:
    """Raise CheckFailed unless a head has the root over these entries."""
    if merkle.root(hashes).hex() != head.root_sha256:
        raise CheckFailed("the log is not as it was sealed; run 'tracker check'")


def leaves(connection: Connection, n_entries: int) -> list[bytes]:
    """Return the hashes of the first entries of the log."""
    return [
        leaf
        for first in range(0, n_entries, leaf_data.SLICE_ROWS)
        for leaf in sealing.stored_leaves(
            connection, first, min(first + leaf_data.SLICE_ROWS, n_entries)
        )
    ]


def _of_this_store(connection: Connection, head: Head) -> str:
    return later(connection, f"head {head.head_id:,}", head.n_entries)


def later(connection: Connection, what: str, n_entries: int) -> str:
    """Return that the log begins with something of so many entries, and how many are later."""
    n_later = sealing.sum_of_entries(connection) - n_entries
    return f"the log of this store begins with {what}; {n_later:,} entries are later"


def _prefix(place: str) -> str:
    return f"{place}: " if place else ""


def _fields(head: Head) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(sealing.head_line(head))
    return found


def _hex(path: list[bytes]) -> list[str]:
    return [one.hex() for one in path]


def _fail(place: str, problem: str) -> NoReturn:
    raise CheckFailed(f"{place}: does not hold: {problem}")
