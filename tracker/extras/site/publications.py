"""The publication of a site: its log seals the hash of its manifest before the site is shown.

A seal cannot be part of what it hashes. So a site shows the first head of the log that covers
everything but publications, and publishing an unchanged store yields the same site. Three things
lie beside the manifest, which does not list them: the proof that it was sealed, from the head that
the site shows; a script that passes both to the pages of slates; and timestamps of the head that
covers the publication, which would change the next site if the store had them.
"""

import contextlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import clock, schema, store, temp_tables
from tracker.errors import InputRefused
from tracker.extras.site.files import MANIFEST, PROOF, SCRIPT, TOKENS
from tracker.log import exported_timestamps, sealing, timestamp_proofs, timestamps, tree_proofs
from tracker.log.sealing import Head
from tracker.log.timestamps import Obtained
from tracker.progress import Progress
from tracker.version import VERSION

_NAME = schema.publication.name


def shown_head(connection: Connection) -> Head:
    """Return the head that a site shows: the first that covers everything but publications."""
    name = schema.log_entry.c.table_name
    return tree_proofs.first_head(connection, name.not_in((_NAME, schema.log_head.name)))


def seal(db: Path, sha256: str, n_files: int, wait: float) -> str | None:
    """Seal the hash of a manifest, unless the last publication has it.

    Returns why it could not be sealed, None if it is. Raises StoreBusy after `wait` seconds, and
    CheckFailed if another program changed the store.
    """
    table = schema.publication
    with store.reader(db) as connection:
        last = sa.select(table.c.manifest_sha256).order_by(table.c.publication_id.desc()).limit(1)
        if connection.execute(last).scalar() == sha256:
            return None
    if not all(os.access(place, os.W_OK) for place in (db, db.resolve().parent)):
        return "the store cannot be written"
    try:
        with store.writer(db, wait=wait) as connection:
            row = {
                "publication_id": temp_tables.next_key(connection, table.c.publication_id),
                "published_at": clock.in_order(connection),
                "manifest_sha256": sha256,
                "n_files": n_files,
                "tracker_version": VERSION,
            }
            connection.execute(table.insert(), row)
    except InputRefused as error:
        return str(error)
    return None


def prove(connection: Connection, sha256: str, since: Head) -> dict[str, Any] | None:
    """Return the proof that a manifest was sealed after a head, None if no publication has it.

    It leads to the first head that covers the last such publication.
    """
    table, entry = schema.publication, schema.log_entry.c
    same = sa.select(sa.func.max(table.c.publication_id)).where(table.c.manifest_sha256 == sha256)
    key = connection.execute(same).scalar()
    if key is None:
        return None
    is_own = (entry.table_name == _NAME) & (entry.first_row == key - 1)
    return tree_proofs.prove(
        connection, table, key, since, tree_proofs.first_head(connection, is_own)
    )


def write(connection: Connection, folder: Path, sha256: str, since: Head) -> None:
    """Write the script and, if the site's manifest was sealed, the proof."""
    proof = prove(connection, sha256, since)
    if proof is not None:
        (folder / PROOF).write_text(tree_proofs.render(proof), encoding="utf-8")
    manifest = (folder / MANIFEST).read_text(encoding="utf-8")
    (folder / SCRIPT).write_text(script_text(manifest, proof), encoding="utf-8")


def stamp(
    connection: Connection,
    folder: Path,
    earlier: Path,
    authorities: Sequence[str],
    progress: Progress,
) -> list[Obtained]:
    """Write timestamps of the head that covers a site's publication beside the proof.

    They come from an earlier site of the same publication, else from the authorities. Returns the
    results; none without a publication or authorities.
    """
    proof = _proof_in(folder)
    if proof is None:
        return []
    sha256 = head_sha256(proof)
    obtained = _kept(connection, earlier, sha256)
    if not obtained and authorities:
        obtained = timestamp_proofs.obtain(connection, sha256, authorities, progress=progress)
    sound = [one for one in obtained if one.verified is not None]
    if sound:
        (folder / TOKENS).mkdir()
        for number, one in enumerate(sound, start=1):
            (folder / TOKENS / f"{number}.tsr").write_bytes(one.reply)
        used = {one.verified.root_sha256 for one in sound if one.verified}
        roots = [one.pem for one in timestamps.pinned(connection) if one.root_sha256 in used]
        (folder / TOKENS / exported_timestamps.ROOTS).write_text("".join(roots), encoding="ascii")
    return obtained


def _kept(connection: Connection, site: Path, sha256: str) -> list[Obtained]:
    """Return a site's timestamps of a hash, none if they are of another."""
    trusted, kept = timestamp_proofs.roots(connection), []
    for path in sorted((site / TOKENS).glob("*.tsr"), key=lambda one: (len(one.name), one.name)):
        with contextlib.suppress(InputRefused):
            kept.append(timestamps.from_file(path, sha256, trusted))
    return kept


def _proof_in(folder: Path) -> dict[str, Any] | None:
    path = folder / PROOF
    if not path.exists():
        return None
    proof: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return proof


def head_sha256(proof: dict[str, Any]) -> str:
    """Return the SHA-256 of the head that covers a publication, which its timestamps state."""
    head = tree_proofs.head_of(PROOF, proof["head"])
    return sealing.head_sha256(sealing.head_line(head))


def script_text(manifest: str, proof: dict[str, Any] | None) -> str:
    """Return the script that passes the manifest, and its proof if there is one, to a page."""
    passed = {"manifest": manifest, "proof": proof}
    return f'slateRows("publication", {json.dumps(passed)});\n'
