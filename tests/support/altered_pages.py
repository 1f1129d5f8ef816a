"""Ways to alter a published site so that it deceives."""

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from support import ran

from tracker.cli import main
from tracker.extras.site import datasets, publications
from tracker.extras.site.files import MANIFEST, PROOF, SCRIPT, UNLISTED
from tracker.resources import directory

Change = Callable[[str], str]

_OTHER_HASH = "0" * 64


@dataclass(frozen=True)
class Alteration:
    """A change of a file that a slate's button loads, and the report of either verification."""

    name: str
    message: str
    file: str
    change: Change


def manifest_sha256(site: Path) -> str:
    """Return the hash that fixes every byte of a site."""
    return hashlib.sha256((site / MANIFEST).read_bytes()).hexdigest()


def replaced(pattern: str, by: str) -> Change:
    """Return the change of the first match of a pattern, which must be there."""

    def change(text: str) -> str:
        changed, n = re.subn(pattern, by, text, count=1, flags=re.DOTALL)
        assert n == 1, pattern
        assert changed != text, pattern
        return changed

    return change


def table(change: Callable[[list[str]], list[str]]) -> Change:
    """Return a change of the rows of the table of predictions."""

    def altered(text: str) -> str:
        start = text.index("<tbody>\n", text.index('id="predictions"')) + len("<tbody>\n")
        end = text.index("</tbody>", start)
        rows = text[start:end].splitlines(keepends=True)
        changed = change(rows)
        assert changed != rows
        return text[:start] + "".join(changed) + text[end:]

    return altered


def cell(number: int, by: str) -> Change:
    """Return a change of the text of a cell of the first row."""
    return replaced(
        rf'(id="predictions".*?<tbody>\s*<tr>(?:<td.*?</td>){{{number}}}<td.*?>)[^<]+',
        rf"\g<1>{by}",
    )


def passed(change: Callable[[dict[str, Any]], dict[str, Any]], key: str = "log") -> Change:
    """Return a change of the proof that a page loads, or of what else it loads as JSON."""

    def altered(text: str) -> str:
        start, end = f'slateRows("{key}", ', ");\n"
        before = json.loads(text.removeprefix(start).removesuffix(end))
        after = change(json.loads(json.dumps(before)))
        assert after != before
        return f"{start}{json.dumps(after)}{end}"

    return altered


def _another_tree(proof: dict[str, Any]) -> dict[str, Any]:
    """A log of one entry, sound in itself, in which the slate has another hash."""
    line = re.sub(r'("content_sha256":")[0-9a-f]{64}', rf"\g<1>{_OTHER_HASH}", proof["line"])
    leaf = hashlib.sha256(f"\0{proof['table']}\n{line}".encode()).hexdigest()
    head = json.loads(proof["head"]) | {"n_entries": 1, "root_sha256": leaf}
    own = {"line": line, "leaf_index": 0, "inclusion_path": [], "head": json.dumps(head)}
    return proof | own


_FORGED = "<tr><td>1</td>" + "<td>forged</td>" * 11 + "</tr>"

# What a visitor of a slate's page would be deceived by: what it shows, hides and loads.
# By the part of a slate's page that has it, none for the first.
_BY_PART: dict[str, dict[str, Change]] = {
    "": {
        "verdict": replaced(r'(class="word">)[^<]*', r"\g<1>works"),
        "description": replaced(r"(<h1><bdi>[^<]*)small", r"\g<1>big"),
        "line under the title": replaced(r'(class="subtitle">[^<]*frozen on )\d{4}', r"\g<1>2019"),
        "line to cite": replaced(r'(class="cite">.*?SHA-256 )[0-9a-f]{64}', rf"\g<1>{_OTHER_HASH}"),
        "further script": replaced("</head>", r'<script src="../assets/tables.js"></script>\g<0>'),
        "another style sheet": replaced(r"assets/site\.css", "assets/icon.svg"),
        "policy that allows more": replaced("default-src &#39;none&#39;", "default-src *"),
    },
    "/audit": {
        "hash": replaced(r'(<p class="hash"><code>)[0-9a-f]{64}', rf"\g<1>{_OTHER_HASH}"),
        "fact": replaced(r"(<dt>created at</dt><dd>)[^<]*", r"\g<1>2019-01-01"),
        "chain": replaced(r'(id="chain".*?<td>)\d{4}', r"\g<1>2019"),
    },
    "/predictions": {
        "name of a drug": cell(3, "aspirin"),
        "score within rounding": cell(6, "0.9501"),
        "status": cell(10, "approved"),
        "row removed": table(lambda rows: rows[1:]),
        "row added": table(lambda rows: [*rows, _FORGED]),
        "row hidden": table(lambda rows: [rows[0].replace("<tr", "<tr hidden"), *rows[1:]]),
        "section hidden": replaced('(class="listing") (id="predictions")', r"\g<1> hidden \g<2>"),
        "table in a comment": replaced(
            '(id="predictions".*?)(<table.*?</table>)', r"\g<1><!--\g<2>-->"
        ),
    },
}
PAGES = {name: (part, change) for part, found in _BY_PART.items() for name, change in found.items()}

ALTERATIONS = (
    Alteration("forged rows", "SHA-256", "rows-1", replaced(r"\\t0\.9\d*", r"\\t0.99")),
    Alteration("rows left out", "SHA-256", "rows-1", replaced(r'"[^"]*",\n', "")),
    Alteration("forged header", "SHA-256", "rows-0", replaced("first model", "other model")),
    Alteration(
        "place in the log",
        "is not entry",
        "rows-log",
        passed(lambda proof: proof | {"leaf_index": proof["leaf_index"] - 1}),
    ),
    Alteration(
        "path in the log cut",
        "is not entry",
        "rows-log",
        passed(lambda proof: proof | {"inclusion_path": proof["inclusion_path"][:-1]}),
    ),
    Alteration(
        "step of the path in the log",
        "is not entry",
        "rows-log",
        passed(
            lambda proof: proof | {"inclusion_path": [_OTHER_HASH, *proof["inclusion_path"][1:]]}
        ),
    ),
    Alteration(
        "line of the log", "is not entry", "rows-log", replaced("first model", "other model")
    ),
    Alteration(
        "root of the log",
        "is not entry",
        "rows-log",
        replaced(r"(root_sha256[^0-9a-f]*)[0-9a-f]{64}", rf"\g<1>{_OTHER_HASH}"),
    ),
    Alteration("another log", "is of another slate", "rows-log", passed(_another_tree)),
    Alteration(
        "place beyond the log",
        "is not entry",
        "rows-log",
        passed(lambda proof: proof | {"leaf_index": 1 << 40}),
    ),
)


def edit(path: Path, change: Change) -> None:
    """Change the text of a file."""
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def relist(site: Path, **facts: Any) -> None:
    """Make the manifest of an altered site fit, as one who can write all of it would.

    It lists the actual files, with other `facts` if some are given, and the site is one that was
    published without being sealed.
    """
    path = site / MANIFEST
    manifest = json.loads(path.read_text(encoding="utf-8")) | facts
    manifest["files"] = {
        name: {"sha256": hashlib.sha256(one.read_bytes()).hexdigest(), "bytes": one.stat().st_size}
        for one in sorted(site.rglob("*"))
        if one.is_file() and (name := one.relative_to(site).as_posix()) not in UNLISTED
    }
    path.write_text(json.dumps(manifest), encoding="utf-8")
    (site / PROOF).unlink(missing_ok=True)
    (site / SCRIPT).write_text(publications.script_text(path.read_text(), None))


def describe(site: Path) -> None:
    """Make the descriptions of an altered site's downloads fit their files."""
    path = site / "datapackage.json"
    package = json.loads(path.read_text(encoding="utf-8"))
    kept = [one for one in package["resources"] if (site / one["path"]).exists()]
    for one in kept:
        content = (site / one["path"]).read_bytes()
        one |= {"bytes": len(content), "hash": f"sha256:{hashlib.sha256(content).hexdigest()}"}
    package["resources"] = kept
    for name, found in (("datapackage", package), ("croissant", datasets.croissant(package))):
        text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
        (site / f"{name}.json").write_text(text, encoding="utf-8")


def history(site: Path, older: Path) -> "subprocess.CompletedProcess[str]":
    """Run the script that comes with a site, which needs no tracker."""
    script = directory("extras/site") / "verify_history.py"
    return ran(sys.executable, "-I", script, site, older)


def verified(site: object, *words: object) -> Result:
    """Verify a site without its store: what `tracker verify` finds altered, the script finds too.

    But it is given neither a hash nor a head alone.
    """
    done = CliRunner().invoke(main, ["verify", str(site), *map(str, words)])
    older = Path(str(words[-1])) if "--against" in words else Path(str(site))
    is_known = "--sha256" not in words or "neither the manifest of this site" not in done.output
    if done.exit_code == 4 and is_known and older.is_dir():
        found = history(Path(str(site)), older)
        assert found.returncode == 1, found.stdout
        assert found.stderr.startswith("does not hold: ")
    return done
