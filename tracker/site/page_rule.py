"""The rule by which a slate's page is compared with the slate's canonical bytes.

The rule is documented here. assets/verify.js applies it in the visitor's browser, this module
outside it; tests run the same alterations against both.

1. The page shows the slate's SHA-256 in its section "Verify this slate". The published rows,
   header and lines, have this SHA-256. Every other mention of it, among the facts and in the
   chain of slates, is equal.
2. The title, the line under it, the facts and the slate's row in the chain are those of the
   hashed header: description, model version, freeze date and instant, number of predictions, and
   the hashes of the slate before and of the files. The line to cite names the slate's ID and
   SHA-256.
3. The table of predictions has the first 1,000 of the hashed lines in the order of rank, then
   disease identifier, then drug identifier, or all of them if there are fewer: each once, in any
   order of rows, and nothing else.
4. Each row shows rank, identifiers, tier, what was known at the freeze and the due date as hashed,
   and the score rounded as pages round numbers. A name is compared where it is itself the
   identifier, without regard to case; a name next to an official identifier is not hashed.
5. The compared parts of the page each occur once, directly in the page, and consist only of the
   elements, attributes and classes that tracker writes: nothing is hidden or doubled.
   The head loads and declares what tracker's does, and nothing else on the page does.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from tracker.entities import fold
from tracker.entities.kinds import DISEASE, DRUG, Entity
from tracker.report import listing, words
from tracker.report.words import DATE_MARKS, NOTHING, printable, short
from tracker.site.layout import citation
from tracker.site.markup import Element
from tracker.site.page_structure import COLUMNS, Differs, headings, require_structure, with_id

_CHAIN = ("frozen on", "slate ID", "description", "content SHA-256", "previous SHA-256")
_LONGEST_CHECKED_NAME = 100

# Replaces the value of a fact that occurs twice; no frozen value is this text.
_TWICE = "two values"


@dataclass(frozen=True)
class Expected:
    """An expected row of the table: its identifiers, and the texts of its first cells.

    None stands for a name, which is compared by another rule or not at all.
    """

    disease: str
    drug: str
    cells: tuple[str | None, ...]

    @property
    def key(self) -> str:
        """The name of the row in messages."""
        return f"{self.cells[2]}, {self.cells[4]}"


def shown_sha256(page: Element) -> str:
    """Return the SHA-256 that a reader of the page sees; raises Differs."""
    require_structure(page)
    (section,) = with_id(page, "verify")
    places = [one for one in section.inside() if "hash" in one.classes]
    codes = [code for one in places for code in one.of("code")]
    if len(codes) != 1:
        raise Differs(f"the page has {len(codes)} elements '#verify .hash code', not 1")
    if not re.fullmatch("[0-9a-f]{64}", codes[0].text):
        raise Differs("the page shows no SHA-256")
    return codes[0].text


def differences(
    page: Element, sha256: str, header: dict[str, Any], expected: list[Expected]
) -> list[str]:
    """Return how a page differs from the slate of a hash: from its header and expected rows.

    Raises Differs where no comparison is possible.
    """
    require_structure(page)
    return [
        *_fact_differences(page, sha256, header),
        *_row_differences(_rows(page, "predictions", COLUMNS), expected),
    ]


def expected_rows(header: dict[str, Any], lines: Sequence[str]) -> list[Expected]:
    """Return the expected rows of the table; lines are in the order of the canonical bytes.

    Raises ValueError for lines that are not predictions.
    """
    split = [line.split("\t") for line in lines]
    split.sort(key=lambda fields: int(fields[3]))
    return [_expected(fields, header["frozen_on"]) for fields in split[: listing.MOST_PREDICTIONS]]


def unchecked_names(rows: Sequence[Expected]) -> list[str]:
    """Return the identifiers shown with a name that the hash does not cover."""
    found = {
        identifier: None
        for row in rows
        for entity, identifier in ((DISEASE, row.disease), (DRUG, row.drug))
        if not _is_its_own_name(entity, identifier)
    }
    return list(found)


def _expected(fields: list[str], frozen_on: str) -> Expected:
    disease, drug, score, rank, tier, label, phase, _, criterion, _, years = fields
    return Expected(
        disease,
        drug,
        (
            rank,
            None,
            words.cell("disease_identifier", disease),
            None,
            words.cell("drug_identifier", drug),
            tier,
            words.cell("score", float(score)),
            label or NOTHING,
            words.cell("known_max_phase", float(phase)) if phase else NOTHING,
            NOTHING if criterion == "monitor" or not years else _due(frozen_on, int(years)),
        ),
    )


def _due(frozen_on: str, years: int) -> str:
    frozen = date.fromisoformat(frozen_on)
    try:
        return frozen.replace(year=frozen.year + years).isoformat()
    except ValueError:
        # The 29th of February has no anniversary in most years.
        return frozen.replace(year=frozen.year + years, day=28).isoformat()


def _is_its_own_name(entity: Entity, identifier: str) -> bool:
    return (
        re.fullmatch(entity.pattern, identifier) is None
        and printable(identifier) == identifier
        and len(identifier) <= _LONGEST_CHECKED_NAME
    )


def _rows(page: Element, name: str, columns: tuple[str, ...]) -> list[list[str]]:
    """Return the rows of a part's only table, as the texts of their cells."""
    (part,) = with_id(page, name)
    found = {tag: part.of(tag) for tag in ("table", "thead", "tbody")}
    for tag, elements in found.items():
        if len(elements) != 1:
            raise Differs(f"the page has {len(elements)} elements '{tag}' in '{name}', not 1")
    head, body = found["thead"][0], found["tbody"][0]
    if len(head.children) != 1:
        raise Differs(f"the table of {name} has rows outside its body")
    shown = headings(found["table"][0])
    if shown != columns or len(head.children[0].children) != len(columns):
        raise Differs(f"the columns of the table of {name} are {', '.join(shown)}")
    rows = []
    for row in body.children:
        if len(row.children) != len(columns) or row.of("th"):
            raise Differs(f"a row of the table of {name} has {len(row.children)} cells")
        rows.append([cell.text for cell in row.children])
    return rows


def _fact_differences(page: Element, sha256: str, header: dict[str, Any]) -> list[str]:
    n = header["n_predictions"]
    by = f"{words.count(n, 'prediction')} by {printable(header['model_version'])} for "
    facts: dict[str, str | None] = {
        "slate ID": header["slate_id"],
        "frozen on": header["frozen_on"],
        "created at": header["created_at"],
        "predictions": f"{n:,}",
        "SHA-256 of the slate": sha256,
        "SHA-256 of the slate before it": header["previous_sha256"]
        or "none: the first of its chain",
        "SHA-256 of the candidate file": header["candidate_sha256"],
        "SHA-256 of the label file": header["label_sha256"],
        "SHA-256 of the aliases": header["alias_sha256"],
    }
    link = [
        header["frozen_on"],
        header["slate_id"],
        short(printable(header["description"])),
        sha256,
        header["previous_sha256"] or NOTHING,
    ]
    given = _facts(page)
    links = [row for row in _rows(page, "chain", _CHAIN) if row[1] == header["slate_id"]]
    compared = [
        (
            "the title",
            page.of("h1")[0].text,
            short(printable(f"Slate {header['slate_id'][:8]}: {header['description']}")),
        ),
        *[(f"the fact '{name}'", given.get(name), expected) for name, expected in facts.items()],
        ("the chain", ",".join(" ".join(row) for row in links), " ".join(link)),
    ]
    found = [
        f"{what}: the page shows '{text}', not the frozen '{expected}'"
        for what, text, expected in compared
        if text != expected
    ]
    subtitles = [one for one in page.of("header")[0].inside() if "subtitle" in one.classes]
    subtitle = "".join(one.text for one in subtitles)
    if len(subtitles) != 1 or not _is_subtitle(subtitle, by, header["frozen_on"]):
        found.append(
            f"the line under the title: the page shows '{subtitle}', "
            f"not the frozen '{by}…, frozen on {header['frozen_on']}'"
        )
    cited = [one.text for one in page.inside() if "cite" in one.classes]
    if len(cited) != 1 or f", {citation(header['slate_id'], sha256)}. " not in cited[0]:
        found.append("the line to cite: the page does not name the slate and its SHA-256")
    return found


def _facts(page: Element) -> dict[str, str]:
    """Return the values of the page's facts by name; a fact that occurs twice is marked."""
    lists = with_id(page, "checks")[0].of("dl")
    if len(lists) != 1:
        raise Differs(f"the page has {len(lists)} elements '#checks dl', not 1")
    facts: dict[str, str] = {}
    children = lists[0].children
    for term, value in zip(children, [*children[1:], None], strict=True):
        if term.tag == "dt":
            shown = "" if value is None else value.text
            facts[term.text] = _TWICE if term.text in facts else shown
    return facts


def _is_subtitle(subtitle: str, by: str, frozen_on: str) -> bool:
    # A line of endless names is cut off.
    if len(by) > 1900:
        return subtitle.startswith(by[:1900])
    day = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
    mark = "|".join(DATE_MARKS.values())
    tail = rf"[0-9,]+ diseases?, frozen on {frozen_on} \((?:{mark})\)\. As known on {day}\."
    return subtitle.startswith(by) and re.fullmatch(tail, subtitle[len(by) :]) is not None


def _row_differences(rows: list[list[str]], expected: list[Expected]) -> list[str]:
    found = []
    if len(rows) != len(expected):
        found.append(f"the table has {len(rows):,} rows, not {len(expected):,}")
    remaining: defaultdict[str, list[Expected]] = defaultdict(list)
    for one in expected:
        remaining[one.key].append(one)
    for cells in rows:
        key = f"{cells[2]}, {cells[4]}"
        if not remaining.get(key):
            is_known = key in remaining
            why = "is shown twice" if is_known else "is shown, but is not among the frozen ones"
            found.append(f"{key}: {why}")
            continue
        reasons = [_cell_difference(cells, one) for one in remaining[key]]
        at = reasons.index(None) if None in reasons else 0
        if reasons[at]:
            found.append(f"{key}: {reasons[at]}")
        remaining[key].pop(at)
    found += [f"{key}: is missing from the table" for key, left in remaining.items() for _ in left]
    return found


def _cell_difference(cells: list[str], expected: Expected) -> str | None:
    pairs: list[tuple[int, str]] = [
        (at, text)
        for at, text in enumerate(expected.cells)
        if text is not None and cells[at] != text
    ]
    pairs += [
        (at, identifier)
        for at, entity, identifier in (
            (1, DISEASE, expected.disease),
            (3, DRUG, expected.drug),
        )
        if _is_its_own_name(entity, identifier) and fold(cells[at]) != fold(identifier)
    ]
    if not pairs:
        return None
    at, text = pairs[0]
    return f"{COLUMNS[at]} is shown as '{cells[at]}', not the frozen '{text}'"
