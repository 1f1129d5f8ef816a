"""Writes files for readers without tracker: the content, its place in the log, a script.

An export has all of it. A registration has all but the content, so that it can be deposited before
the content is shown; slate.txt of a later export completes it.
"""

import hashlib
import json
from datetime import UTC
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import replacing, schema, slates, store
from tracker.errors import CheckFailed, InputRefused
from tracker.files import exports, json_file
from tracker.log import exported_timestamps, sealing, tree_proofs, verify_folder
from tracker.store import statements

CONTENT, PROOF, SCRIPT = "slate.txt", "proof.json", "verify.py"
FILES = (CONTENT, PROOF, SCRIPT)
REGISTRATION, EXPLANATION = "registration.json", "README.txt"

_EXPLANATION = """\
Registration of a slate of predictions, frozen with tracker.

registration.json  what was frozen: the SHA-256 of the predictions, the plan, the model, the date
proof.json         the slate's place in the log of its store (RFC 9162)
timestamps/        what timestamping authorities state (RFC 3161), and their root certificates
verify.py          checks all of this with Python's standard library and openssl

The predictions themselves are not here. When they are shown, put slate.txt of their export into
this folder and run

    python3 verify.py

It fails unless slate.txt has the SHA-256 that was registered.
"""


def write_content(connection: Connection, slate: Row[Any], folder: Path) -> None:
    """Write the canonical bytes of a slate, whose SHA-256 is the slate's.

    Raises CheckFailed if the stored predictions are not what was frozen.
    """
    digest = hashlib.sha256()
    key = {"slate_id": str(slate.slate_id)}
    with (folder / CONTENT).open("wb") as handle:
        lines = statements.run(connection, "canonical_line", key).scalars()
        for line in (slates.from_row(slate).header_line, *(f"{line}\n" for line in lines)):
            handle.write(line.encode())
            digest.update(line.encode())
    if digest.hexdigest() != slate.content_sha256:
        raise CheckFailed(
            f"slate {slate.slate_id} is not as it was frozen; see 'tracker slate verify'"
        )


def write_proof(connection: Connection, slate: Row[Any], folder: Path) -> None:
    """Write the slate's place in the log, the tokens of the log's head, and the script.

    The head is the earliest with a token, which proves the most, else the latest. Raises
    CheckFailed if the slate or the log is not as it was sealed.
    """
    head = _stamped_head(connection, slate) or tree_proofs.latest_head(connection)
    proof = tree_proofs.prove(connection, schema.slate, slate.slate_id, head=head)
    (folder / PROOF).write_text(tree_proofs.render(proof), encoding="utf-8")
    exported_timestamps.write_of_head(connection, head.head_sha256, folder)
    script = Path(verify_folder.__file__).read_text(encoding="utf-8")
    (folder / SCRIPT).write_text(script, encoding="utf-8")


def register(db: Path, slate: str, folder: Path) -> Row[Any]:
    """Write a registration of a slate to `folder`, all of it or nothing; return the slate.

    It has no prediction. An empty or absent folder is filled, an earlier registration replaced.
    Raises InputRefused if the folder has anything else.
    """
    with (
        replacing.folder(folder, _refuse_foreign_content) as staged,
        store.reader(db, writes_to=staged, from_rows=True) as connection,
    ):
        found = slates.find(connection, slate)
        facts = {
            "content_sha256": found.content_sha256,
            "recorded_at": found.recorded_at.astimezone(UTC).isoformat(),
            **slates.from_row(found).header,
            "timestamps": exported_timestamps.write(connection, found, staged),
        }
        text = json.dumps(facts, indent=2, sort_keys=True, ensure_ascii=False)
        (staged / REGISTRATION).write_text(f"{text}\n", encoding="utf-8")
        (staged / EXPLANATION).write_text(_EXPLANATION, encoding="utf-8")
        exports.keep_line_ends(staged)
        write_proof(connection, found, staged)
    return found


def _stamped_head(connection: Connection, slate: Row[Any]) -> sealing.Head | None:
    """Return the head with the earliest token among those that cover the slate, if there is one."""
    table = schema.log_head
    query = sa.text(
        "select sha256 from slate_proof inner join timestamp_token using (token_id) "
        "where slate_id = :slate_id and subject = 'head' "
        "order by slate_proof.generated_at, token_id limit 1"
    )
    sha256 = connection.execute(query, {"slate_id": str(slate.slate_id)}).scalar()
    if sha256 is None:
        return None
    row = connection.execute(sa.select(table).where(table.c.head_sha256 == sha256)).one()
    return sealing.Head(*row)


def _refuse_foreign_content(folder: Path) -> None:
    subfolders = {exported_timestamps.FOLDER: exported_timestamps.OWN_NAME}
    own = (REGISTRATION, EXPLANATION, PROOF, SCRIPT)
    exports.refuse_foreign_content(folder, own, lambda _: _read(folder), subfolders)


def _read(folder: Path) -> None:
    content = json_file.read(folder / REGISTRATION, "a registration")
    if not isinstance(content, dict) or "content_sha256" not in content:
        raise InputRefused(f"{folder}: contains no registration")
