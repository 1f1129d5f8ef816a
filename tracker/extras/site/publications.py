"""The publication of a site: the hash of its manifest, sealed in the log before the site is shown.

What is sealed cannot be part of what it is the hash of. So a site shows the first head of the log
that covers everything but publications, and a store that was only published since yields the same
site. Beside the manifest, and not listed in it, are the proof that it was sealed, from the head
that the site shows, and a script that passes both to the pages of slates.
"""

import json
import os
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import store
from tracker.errors import InputRefused
from tracker.extras.site.files import MANIFEST, PROOF, SCRIPT
from tracker.slates import log_proofs
from tracker.store import clock, filling, schema
from tracker.store.sealing import Head
from tracker.version import VERSION

_NAME = schema.publication.name


def shown_head(connection: Connection) -> Head:
    """Return the head that a site shows: the first that covers everything but publications."""
    name = schema.log_entry.c.table_name
    return log_proofs.first_head(connection, name.not_in((_NAME, schema.log_head.name)))


def seal(db: Path, sha256: str, n_files: int, wait: float) -> str | None:
    """Seal the hash of a manifest, unless it is that of the last publication.

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
                "publication_id": filling.next_key(connection, table.c.publication_id),
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

    It is in the log of the first head that covers the last such publication.
    """
    table, entry = schema.publication, schema.log_entry.c
    same = sa.select(sa.func.max(table.c.publication_id)).where(table.c.manifest_sha256 == sha256)
    key = connection.execute(same).scalar()
    if key is None:
        return None
    is_own = (entry.table_name == _NAME) & (entry.first_row == key - 1)
    return log_proofs.prove(
        connection, table, key, since, log_proofs.first_head(connection, is_own)
    )


def write(connection: Connection, folder: Path, sha256: str, since: Head) -> None:
    """Write the proof of a site's manifest, if it was sealed, and the script."""
    proof = prove(connection, sha256, since)
    if proof is not None:
        (folder / PROOF).write_text(log_proofs.render(proof), encoding="utf-8")
    manifest = (folder / MANIFEST).read_text(encoding="utf-8")
    (folder / SCRIPT).write_text(script_text(manifest, proof), encoding="utf-8")


def script_text(manifest: str, proof: dict[str, Any] | None) -> str:
    """Return the script that passes the manifest, and its proof if there is one, to a page."""
    passed = {"manifest": manifest, "proof": proof}
    return f'slateRows("publication", {json.dumps(passed)});\n'
