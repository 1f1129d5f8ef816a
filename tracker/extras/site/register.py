"""The register of a site: every slate that the store froze, including those that it withholds.

A slate is withheld until the day of its embargo. Until then the site has its number, hash and date,
the hash of its log entry, and its timestamps, but nothing that reveals its content.
"""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from sqlalchemy import Connection, Row, text

from tracker import schema, slates
from tracker.extras.site import downloads, publications
from tracker.extras.site.files import Files
from tracker.extras.site.layout import slate_path
from tracker.log import exported_timestamps, sealing, timestamps, tree_proofs
from tracker.log.sealing import Head
from tracker.reports.pages.page import Check, Hash, Link, Listing
from tracker.reports.words import DATE_MARKS, NOTHING, count
from tracker.rows import Rows, to_csv
from tracker.store.state import scope

HEAD = "downloads/head.json"
HISTORY_SCRIPT = "downloads/verify_history.py"
EARLIER_HEADS = "downloads/heads.json"
REGISTER = "downloads/register"

# Further tokens' authorities are asked in the same way.
_MOST_COMMANDS = 3
_KNOWN = text(
    "select slate_id, slate_number, date_basis, if(is_withheld, embargo_until, null) as until "
    "from slate_number join slate_date using (slate_id) join slate_embargo using (slate_id)"
)


@dataclass(frozen=True)
class RegisteredSlate:
    """A slate of the register; `proof` comes from tracker.log.tree_proofs."""

    slate: Row[Any]
    number: int
    date_basis: str
    withheld_until: date | None
    tokens: tuple[Row[Any], ...]
    proof: dict[str, Any]

    @property
    def token_paths(self) -> list[str]:
        """The files of the tokens, in the order of `tokens`."""
        folder = token_folder(self.slate.slate_id)
        return [f"{folder}/{number}.tsr" for number in range(1, len(self.tokens) + 1)]


@dataclass(frozen=True)
class Register:
    """Every slate by number, and the head of the log that proves each to be in it.

    `earlier` has the heads before it, each with the proof that its log begins with theirs.
    """

    entries: list[RegisteredSlate]
    head: Head
    earlier: list[dict[str, Any]]

    @property
    def withheld(self) -> list[RegisteredSlate]:
        """The slates whose content the site does not show yet."""
        return [one for one in self.entries if one.withheld_until is not None]

    @property
    def shown(self) -> list[RegisteredSlate]:
        """The slates that the site shows completely."""
        return [one for one in self.entries if one.withheld_until is None]

    @property
    def words(self) -> str:
        """How many slates were frozen and how many are shown, in words."""
        return words_of([_fields(one)["withheld_until"] for one in self.entries])


def words_of(withheld_until: Sequence[str | None]) -> str:
    """Return in words how many slates were frozen and how many are shown, by their embargoes."""
    dates = [one for one in withheld_until if one is not None]
    n_slates = len(withheld_until)
    words = f"{count(n_slates, 'slate')} frozen, {n_slates - len(dates):,} shown"
    if not dates:
        return words
    until = "until" if len(set(dates)) == 1 else "the last of them until"
    return f"{words}, {len(dates):,} withheld {until} {max(dates)}"


def read(connection: Connection) -> Register:
    """Return the register of a store as of the connection's instant.

    Raises CheckFailed if a slate or the log was altered.
    """
    with scope.of_views(connection, "slate_date"):
        known = {row.slate_id: row for row in connection.execute(_KNOWN)}
    rows = sorted(slates.all_slates(connection), key=lambda row: known[row.slate_id].slate_number)
    head = publications.shown_head(connection)
    proofs = tree_proofs.prove_each(connection, schema.slate, [row.slate_id for row in rows], head)
    entries = [
        RegisteredSlate(
            row,
            known[row.slate_id].slate_number,
            known[row.slate_id].date_basis,
            known[row.slate_id].until,
            tuple(timestamps.of_hash(connection, row.content_sha256)),
            proof,
        )
        for row, proof in zip(rows, proofs, strict=True)
    ]
    return Register(entries, head, tree_proofs.earlier_heads(connection, head))


def token_folder(slate_id: Any) -> str:
    """Return the path of the folder of a slate's tokens and their roots."""
    return f"{downloads.folder_of(slate_id)}/{exported_timestamps.FOLDER}"


def write_shown(files: Files, entry: RegisteredSlate, head: Head) -> None:
    """Write a slate's proof, and what its page checks of the log and the tokens."""
    _write_proof(files, entry, entry.proof)
    tokens = [timestamps.reply_of(token) for token in entry.tokens]
    passed = list(zip(entry.token_paths, tokens, strict=True))
    script = script_text(entry.proof, sealing.head_line(head), passed)
    files.write(log_script(entry.slate.slate_id), script)


def log_script(slate_id: Any) -> str:
    """Return the path of the script that loads a slate's proof and tokens."""
    return f"slates/{slate_id}/rows-log.js"


def proof_path(slate_id: Any) -> str:
    """Return the path of a slate's proof."""
    return f"{downloads.folder_of(slate_id)}/proof.json"


def script_text(proof: dict[str, Any], head_line: str, tokens: Sequence[tuple[str, bytes]]) -> str:
    """Return the script that passes a proof, the head and the tokens, by path, to a page."""
    passed = {
        **proof,
        "head": head_line,
        "tokens": [
            {"path": path, "reply": base64.b64encode(reply).decode()} for path, reply in tokens
        ],
    }
    return f'slateRows("log", {json.dumps(passed)});\n'


def write_withheld(connection: Connection, files: Files, entry: RegisteredSlate) -> None:
    """Write the public facts of a withheld slate: its place in the log, and its tokens."""
    folder = downloads.folder_of(entry.slate.slate_id)
    place = files.folder / folder
    place.mkdir(parents=True)
    exported_timestamps.write(connection, entry.slate, place)
    files.adopt_folder(folder)
    _write_proof(files, entry, tree_proofs.veiled(entry.proof))


def _write_proof(files: Files, entry: RegisteredSlate, proof: dict[str, Any]) -> None:
    files.write(proof_path(entry.slate.slate_id), tree_proofs.render(proof))


def write(files: Files, register: Register) -> None:
    """Write the register as JSON and CSV, the head as its canonical line, and earlier heads."""
    files.write(HEAD, f"{sealing.head_line(register.head)}\n")
    script = Path(__file__).with_name("verify_history.py").read_text(encoding="utf-8")
    files.write(HISTORY_SCRIPT, script)
    files.write(EARLIER_HEADS, json.dumps(register.earlier, indent=1) + "\n")
    found: dict[str, Any] = {
        "n_slates": len(register.entries),
        "n_shown": len(register.shown),
        "slates": [_fields(one) for one in register.entries],
    }
    files.write(f"{REGISTER}.json", json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    files.write(f"{REGISTER}.csv", csv_of(found["slates"]))


def csv_of(listed: Sequence[dict[str, Any]]) -> str:
    """Return the slates of a register, as its JSON has them, as CSV."""
    columns = ["number", "slate_id", "content_sha256", "frozen_on", "date_basis"]
    columns += ["withheld_until", "timestamps"]
    values = [
        (*[one[name] for name in columns[:-1]], "; ".join(_token_words(one)) or None)
        for one in listed
    ]
    return to_csv(columns, values)


def _fields(entry: RegisteredSlate) -> dict[str, Any]:
    until = entry.withheld_until
    return {
        "number": entry.number,
        "slate_id": str(entry.slate.slate_id),
        "content_sha256": entry.slate.content_sha256,
        "frozen_on": entry.slate.frozen_on.isoformat(),
        "date_basis": entry.date_basis,
        "withheld_until": None if until is None else until.isoformat(),
        "timestamps": [
            {
                "file": PurePosixPath(path).name,
                "authority": token.authority,
                "generated_at": token.generated_at.astimezone(UTC).isoformat(),
            }
            for path, token in zip(entry.token_paths, entry.tokens, strict=True)
        ],
    }


def _token_words(listed: dict[str, Any]) -> list[str]:
    return [
        f"{token['authority']}, "
        f"{datetime.fromisoformat(token['generated_at']).astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
        for token in listed["timestamps"]
    ]


def listing(register: Register) -> Listing:
    """Return the register as the index shows it."""
    withheld = (
        " Of a slate that is withheld the site has no more than this line, its timestamps and the "
        "hash of its entry in the log, and the scoreboard has none of its rows."
        if register.withheld
        else ""
    )
    return Listing(
        "register",
        "Register of slates",
        f"{register.words}. Every slate of this store, numbered in the order of recording."
        f"{withheld} Slates that were frozen in another store, and never logged in this one, "
        f"cannot be seen here. The whole hashes are in {REGISTER}.csv.",
        Rows(
            ["number", "slate", "frozen_on", "content_sha256", "timestamps", "state"],
            [
                (
                    one.number,
                    Link(str(one.slate.slate_id)[:8], slate_path(one.slate.slate_id))
                    if one.withheld_until is None
                    else str(one.slate.slate_id),
                    f"{one.slate.frozen_on}, {DATE_MARKS[one.date_basis]}",
                    Hash(one.slate.content_sha256),
                    "; ".join(_token_words(_fields(one))) or NOTHING,
                    "shown"
                    if one.withheld_until is None
                    else f"withheld until {one.withheld_until}",
                )
                for one in register.entries
            ],
        ),
    )


def facts(head: Head) -> list[tuple[str, str]]:
    """Return the head as facts of the index, which readers can keep."""
    return [
        ("log", str(head.log_id)),
        ("entries of the log", f"{head.n_entries:,}"),
        ("root of the log", head.root_sha256),
        ("sealed at", head.sealed_at.astimezone(UTC).isoformat()),
    ]


def checks(entry: RegisteredSlate) -> list[Check]:
    """Return the commands that check what a slate's page cannot: its log and its tokens."""
    return [
        Check(
            "The slate is an entry of the log with the head that the index names.",
            f"tracker verify {proof_path(entry.slate.slate_id)}",
        ),
        *[
            Check(
                "The authority's signature, which no browser checks. In place of roots.pem, its "
                "root certificate from the authority itself.",
                openssl_line(path, entry.slate.content_sha256),
            )
            for path in entry.token_paths[:_MOST_COMMANDS]
        ],
    ]


def openssl_line(path: str, sha256: str) -> str:
    """Return the command that verifies a token's signature; assets/verify.js says the same."""
    folder = PurePosixPath(path).parent
    roots = f"{folder}/{exported_timestamps.ROOTS}"
    return f"openssl ts -verify -digest {sha256} -in {path} -CAfile {roots}"
