"""Ways to alter a slate's page so that it deceives, each as a change of a site."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Change = Callable[[str], str]


@dataclass(frozen=True)
class Alteration:
    """A change of a slate's page, rows or proof, and the report of either verification."""

    name: str
    message: str
    page: Change = lambda text: text
    rows: Change | None = None
    header: Change | None = None
    log: Change | None = None


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


def cell(number: int, by: str, row: int = 0) -> Change:
    """Return a change of the text of one cell."""

    def change(rows: list[str]) -> list[str]:
        cells = re.split(r"(?<=</td>)(?=<td)", rows[row])
        pattern = r"(<a [^>]*>)[^<]*" if "<a " in cells[number] else r"(<td[^>]*>)[^<]*"
        cells[number] = re.sub(pattern, rf"\g<1>{by}", cells[number], count=1)
        return [*rows[:row], "".join(cells), *rows[row + 1 :]]

    return table(change)


def fact(name: str, by: str) -> Change:
    """Return a change of one of the page's facts."""
    return replaced(rf"(<dt>{name}</dt><dd>)[^<]*", rf"\g<1>{by}")


def _swapped_names(rows: list[str]) -> list[str]:
    names = [re.findall(r"<a [^>]*>([^<]*)</a>", row)[1] for row in rows]
    first = rows[0].replace(f">{names[0]}</a>", f">{names[1]}</a>")
    second = rows[1].replace(f">{names[1]}</a>", f">{names[0]}</a>")
    return [first, second, *rows[2:]]


def _around_predictions(before: str, after: str) -> Change:
    def change(text: str) -> str:
        start = text.index('<section class="listing" id="predictions">')
        end = text.index("</section>", start) + len("</section>")
        return text[:start] + before + text[start:end] + after + text[end:]

    return change


def _second_table(text: str, attributes: str = "") -> str:
    start = text.index("<table ", text.index('id="predictions"'))
    end = text.index("</table>", start) + len("</table>")
    return text[start:end].replace("<table ", f"<table{attributes} ").replace("high", "HIGH")


def _hidden_second_table(text: str) -> str:
    at = text.index("<table ", text.index('id="predictions"'))
    return text[:at] + _second_table(text, " hidden") + text[at:]


def _second_table_elsewhere(text: str) -> str:
    at = text.index('<section class="listing" id="predictions">')
    return f"{text[:at]}<section>{_second_table(text)}</section>{text[at:]}"


_END_OF_BODY = r"(id=\"predictions\".*?)</tbody>"
_FORGED = "<tr><td>1</td>" + "<td>forged</td>" * 11 + "</tr>"
_HASH = r'(<p class="hash"><code>)([0-9a-f]{64})'
_OTHER_HASH = "0" * 64
_RANK = 0
_DISEASE, _DISEASE_IDENTIFIER, _DRUG, _DRUG_IDENTIFIER = 1, 2, 3, 4
_TIER, _SCORE, _LABEL, _PHASE, _DUE = 5, 6, 7, 8, 9


def passed(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Change:
    """Return a change of the proof that a page loads."""

    def altered(text: str) -> str:
        start, end = 'slateRows("log", ', ");\n"
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


# The last thing that the head of a page loads.
_LAST_SCRIPT = r"(<script[^>]*verify\.js[^>]*></script>)"

ALTERATIONS = (
    Alteration("forged rows", "SHA-256", rows=replaced(r"\\t0\.9\d*", r"\\t0.99")),
    Alteration(
        "forged rows and attribute",
        "",
        replaced('id="verify"', rf'\g<0> data-sha256="{_OTHER_HASH}"'),
        rows=replaced(r"\\t0\.9\d*", r"\\t0.99"),
    ),
    Alteration("forged header", "SHA-256", header=replaced("first model", "other model")),
    Alteration(
        "forged rows and table", "SHA-256", cell(_SCORE, "0.990"), rows=replaced(r"0\.95", "0.99")
    ),
    Alteration("rows left out", "SHA-256", rows=replaced(r'"[^"]*",\n', "")),
    Alteration("visible hash", "SHA-256", replaced(_HASH, rf"\g<1>{_OTHER_HASH}")),
    Alteration("second hash", "not 1", replaced(_HASH, rf"\g<1>{_OTHER_HASH}</code><code>\g<2>")),
    Alteration(
        "second element of the hash",
        "not 1",
        replaced(_HASH, rf'<p class="hash"><code>{_OTHER_HASH}</code></p>\g<1>\g<2>'),
    ),
    Alteration("name of a drug", "drug is shown as 'aspirin'", cell(_DRUG, "aspirin")),
    Alteration("name of a disease", "disease is shown as 'gout'", cell(_DISEASE, "gout")),
    Alteration("two names swapped", "drug is shown as", table(_swapped_names)),
    Alteration("identifier of a drug", "not among", cell(_DRUG_IDENTIFIER, "CHEMBL25", 2)),
    Alteration("identifier of a disease", "not among", cell(_DISEASE_IDENTIFIER, "EFO:1")),
    Alteration("known label", "known label is shown as '4'", cell(_LABEL, "4")),
    Alteration("known label removed", "known label is shown as", cell(_LABEL, "\u2013", 1)),
    Alteration("known phase", "known max phase is shown as '3'", cell(_PHASE, "3")),
    Alteration("tier", "tier is shown as 'exploratory'", cell(_TIER, "exploratory")),
    Alteration("rank", "rank is shown as '7'", cell(_RANK, "7")),
    Alteration("score within rounding", "score is shown as '0.9501'", cell(_SCORE, "0.9501")),
    Alteration("score with fewer digits", "score is shown as '1'", cell(_SCORE, "1")),
    Alteration("score", "score is shown as '0.960'", cell(_SCORE, "0.960")),
    Alteration("due date", "due date is shown as", cell(_DUE, "2099-01-01")),
    Alteration("row removed", "rows, not", table(lambda rows: rows[1:])),
    Alteration("row duplicated", "is shown twice", table(lambda rows: [*rows, rows[0]])),
    Alteration(
        "row in place of another",
        "is missing from the table",
        table(lambda rows: [rows[0], rows[0], *rows[2:]]),
    ),
    Alteration("row added", "is not among", table(lambda rows: [*rows, _FORGED])),
    Alteration("table emptied", "the table has 0 rows", table(lambda _: [])),
    Alteration(
        "table removed", "'", replaced(r'(id="predictions">.*?)<table [^>]*>.*?</table>', r"\g<1>")
    ),
    Alteration(
        "section removed",
        "not 1",
        replaced(r'<section class="listing" id="predictions">.*?</section>', ""),
    ),
    Alteration("freeze date among the facts", "'frozen on'", fact("frozen on", "2019-01-01")),
    Alteration("instant among the facts", "'created at'", fact("created at", "2019-01-01")),
    Alteration("number among the facts", "'predictions'", fact("predictions", "5")),
    Alteration(
        "a fact twice",
        "'frozen on'",
        replaced("(<dt>frozen on</dt>)", r"\g<1><dd>2019-01-01</dd>\g<1>"),
    ),
    Alteration("hash among the facts", "of the slate'", fact("SHA-256 of the slate", _OTHER_HASH)),
    Alteration("hash of the slate before", "before it'", fact(".{7} of the slate before it", "0")),
    Alteration(
        "freeze date in the first lines",
        "line under the title",
        replaced(r'(class="subtitle">[^<]*?frozen on )\d{4}', r"\g<1>2019"),
    ),
    Alteration(
        "more in the first lines",
        "line under the title",
        replaced(r'(class="subtitle">[^<]*)', r"\g<1> Approved by everybody."),
    ),
    Alteration(
        "model version",
        "line under the title",
        replaced(r'(class="subtitle">[^<]* by )first', r"\g<1>second"),
    ),
    Alteration(
        "number in the first lines",
        "line under the title",
        replaced(r'(class="subtitle">)\d', r"\g<1>8"),
    ),
    Alteration(
        "hash in the line to cite",
        "the line to cite",
        replaced(r'(class="cite">.*?SHA-256 )[0-9a-f]{64}', rf"\g<1>{_OTHER_HASH}"),
    ),
    Alteration("description", "the title", replaced(r"(<h1><bdi>[^<]*)small", r"\g<1>big")),
    Alteration(
        "freeze date in the chain",
        "the chain",
        replaced(r'(id="chain"(?:.*?</tr>){2}.*?<td>)\d{4}', r"\g<1>2019"),
    ),
    Alteration(
        "hash in the chain",
        "the chain",
        replaced(r'(id="chain"(?:.*?</tr>){2}.*?<td>)[0-9a-f]{64}', rf"\g<1>{_OTHER_HASH}"),
    ),
    Alteration("hidden second table", "hidden", _hidden_second_table),
    Alteration("second table elsewhere", "second table", _second_table_elsewhere),
    Alteration(
        "hidden section",
        "hidden",
        replaced(r'(<section class="listing") (id="predictions")', r"\g<1> hidden \g<2>"),
    ),
    Alteration(
        "section in details",
        "'",
        _around_predictions("<details>", "</details>"),
    ),
    Alteration(
        "main part hidden", "hidden", replaced('<main id="content"', '<main hidden id="content"')
    ),
    Alteration(
        "row hidden",
        "hidden",
        table(lambda rows: [rows[0].replace("<tr", "<tr hidden"), *rows[1:]]),
    ),
    Alteration(
        "row of a class that is off the screen",
        "class 'skip'",
        table(lambda rows: [rows[0].replace("<tr", '<tr class="skip"'), *rows[1:]]),
    ),
    Alteration(
        "cell over two columns",
        "colspan",
        table(lambda rows: [rows[0].replace("<td", '<td colspan="2"', 1), *rows[1:]]),
    ),
    Alteration(
        "row as a comment",
        "",
        table(lambda rows: [f"<!-- {rows[0].strip()} -->\n", *rows[1:]]),
    ),
    Alteration(
        "row as a template", "template", table(lambda rows: [f"<template>{rows[0]}</template>"])
    ),
    Alteration(
        "table in a cell",
        "inside 'td'",
        table(
            lambda rows: [
                rows[0].replace("</td>", f"<table><tbody>{_FORGED}</tbody></table></td>", 1),
                *rows[1:],
            ]
        ),
    ),
    Alteration("row out of the body", "", replaced(_END_OF_BODY, rf"\g<1></tbody>{_FORGED}")),
    Alteration(
        "row in the head",
        "",
        replaced(r"(id=\"predictions\".*?)</thead>", rf"\g<1>{_FORGED}</thead>"),
    ),
    Alteration(
        "row in a foot", "tfoot", replaced(_END_OF_BODY, rf"\g<1></tbody><tfoot>{_FORGED}</tfoot>")
    ),
    Alteration(
        "second body", "tbody", replaced(_END_OF_BODY, rf"\g<1></tbody><tbody>{_FORGED}</tbody>")
    ),
    Alteration(
        "text between rows", "directly inside", table(lambda rows: ["gout, aspirin", *rows])
    ),
    Alteration(
        "second element of the id",
        "not 1",
        replaced('<section class="listing" id="chain">', '<p id="predictions"></p>\\g<0>'),
    ),
    Alteration(
        "heading of the table",
        "the columns of the table",
        replaced(r"(id=\"predictions\".*?>)known label<", r"\g<1>true label<"),
    ),
    Alteration(
        "columns swapped",
        "the columns of the table",
        replaced(
            r"(id=\"predictions\".*?>)known label(<.*?>)known max phase<",
            r"\g<1>known max phase\g<2>known label<",
        ),
    ),
    Alteration(
        "heading of an eleventh column removed",
        "the columns of the table",
        replaced(r"(id=\"predictions\".*?)<th scope=\"col\">evidence</th>", r"\g<1>"),
    ),
    Alteration(
        "body inside another element",
        "inside another element",
        lambda text: text.replace("<body>", "<div hidden><body>").replace(
            "</body>", "</body></div><div>forged</div>"
        ),
    ),
    Alteration(
        "second element html",
        "an element 'html'",
        replaced("<footer>", r"<html hidden></html>\g<0>"),
    ),
    Alteration(
        "further style sheet",
        "the head of the page",
        replaced(_LAST_SCRIPT, r'\g<1><link rel="stylesheet" href="../assets/icon.svg">'),
    ),
    Alteration(
        "further script",
        "the head of the page",
        replaced(_LAST_SCRIPT, r'\g<1><script src="../assets/tables.js"></script>'),
    ),
    Alteration(
        "style sheet in the body",
        "an element 'link' inside its body",
        replaced("<footer>", r'<link rel="stylesheet" href="../assets/icon.svg">\g<0>'),
    ),
    Alteration(
        "another style sheet",
        "the head of the page",
        replaced(r"assets/site\.css", "assets/icon.svg"),
    ),
    Alteration("policy removed", "the head of the page", replaced(r"<meta http-equiv[^>]*>", "")),
    Alteration(
        "policy in another attribute",
        "the head of the page",
        replaced(r'<meta http-equiv="[^"]*"', '<meta name="Content-Security-Policy"'),
    ),
    Alteration(
        "policy that allows more",
        "the head of the page",
        replaced("default-src &#39;none&#39;", "default-src *"),
    ),
    Alteration(
        "place in the log",
        "is not entry",
        log=passed(lambda proof: proof | {"leaf_index": proof["leaf_index"] - 1}),
    ),
    Alteration(
        "path in the log cut",
        "is not entry",
        log=passed(lambda proof: proof | {"inclusion_path": proof["inclusion_path"][:-1]}),
    ),
    Alteration(
        "path in the log reversed",
        "is not entry",
        log=passed(lambda proof: proof | {"inclusion_path": proof["inclusion_path"][::-1]}),
    ),
    Alteration("line of the log", "is not entry", log=replaced("first model", "other model")),
    Alteration(
        "root of the log",
        "is not entry",
        log=replaced(r"(root_sha256[^0-9a-f]*)[0-9a-f]{64}", rf"\g<1>{_OTHER_HASH}"),
    ),
    Alteration("another log", "is of another slate", log=passed(_another_tree)),
    Alteration(
        "place beyond the log",
        "is not entry",
        log=passed(lambda proof: proof | {"leaf_index": 1 << 40}),
    ),
)


def alter(site: Path, slate_id: str, alteration: Alteration) -> None:
    """Alter a slate in a copy of a site, as one who can write all of it would.

    The manifest lists the altered files.
    """
    page = site / "slates" / f"{slate_id}.html"
    text = alteration.page(page.read_text(encoding="utf-8"))
    paths = [site / "slates" / slate_id / f"rows-{name}.js" for name in ("0", "1", "log")]
    changes = (alteration.header, alteration.rows, alteration.log)
    for path, change in zip(paths, changes, strict=True):
        if change is not None:
            path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    page.write_text(text, encoding="utf-8")
    relist(site)


def relist(site: Path) -> None:
    """Make the manifest of an altered site list its actual files."""
    path = site / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["files"] = {
        one.relative_to(site).as_posix(): {
            "sha256": hashlib.sha256(one.read_bytes()).hexdigest(),
            "bytes": one.stat().st_size,
        }
        for one in sorted(site.rglob("*"))
        if one.is_file() and one != path
    }
    path.write_text(json.dumps(manifest), encoding="utf-8")
