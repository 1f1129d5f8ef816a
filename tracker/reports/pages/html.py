"""Renders a page as HTML, everything escaped: one self-contained file, or a page of a site."""

import base64
import functools
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from tracker.reports import words
from tracker.reports.pages import addresses, charts, states
from tracker.reports.pages.page import Dumbbell, Hash, Link, Multiple, Page, Panel, Verdict
from tracker.rows import Rows, is_number

_TEMPLATES = Path(__file__).parent / "templates"

# Columns with texts of any length, which may break anywhere.
_TEXTS = (
    "columns",
    "content_sha256",
    "criterion",
    "description",
    "disease_identifier",
    "disease_name",
    "drug_identifier",
    "drug_name",
    "event",
    "evidence",
    "finding",
    "how_sure",
    "model",
    "page",
    "previous_sha256",
    "reason",
    "sha256",
    "slate",
    "slate_id",
    "source",
    "verdict",
    "version",
)

# Wider tables become cards on a phone.
_WIDEST_ON_A_PHONE = 3

# The most rows in a panel's table; csv has all of them.
_MOST_ROWS = 40

# The most charts in a notebook's cell.
_MOST_CHARTS = 3


@dataclass(frozen=True)
class Frame:
    """The frame of a page: its layout, policy and location.

    `elsewhere` says where to find the rows cut from a long table. The other fields are a site's:
    the relative path to its root, its sections with their addresses, and the scripts of the page.
    `part_address` maps each part that is a page of its own from its name to its address.
    """

    layout: str
    policy: str
    elsewhere: str
    most_rows: int = _MOST_ROWS
    root: str = ""
    navigation: tuple[tuple[str, str], ...] = ()
    scripts: tuple[str, ...] = ()
    part_address: str = ""


def render(page: Page) -> str:
    """Return the page as one file: no script, no request; equal pages yield equal bytes.

    Its policy lets a browser load nothing, and apply only the style sheet inside.
    """
    style = stylesheet()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    frame = Frame(
        "base.html.j2",
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        "--format csv has all of them",
        _MOST_ROWS,
    )
    # The style sheet comes from the package.
    return framed("report.html.j2", page, frame, style=Markup(style))  # noqa: S704


def fragment(page: Page) -> str:
    """Return the top of a page for a notebook: verdict, headline figures, its first charts.

    Its own style, in the light theme, affects nothing outside it.
    """
    drawn = [panel for panel in page.every_panel if panel.figure is not None]
    template = environment().get_template("notebook.html.j2")
    text = template.render(page=page, panels=drawn[:_MOST_CHARTS], colours=light_colours())
    return _without_blank_lines(text)


@functools.cache
def light_colours() -> dict[str, str]:
    """Return the colours of the light theme by CSS variable."""
    root = stylesheet().split("}", 1)[0]
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", root))


def framed(template: str, page: Page, frame: Frame, **names: Any) -> str:
    """Return the page in `template` and a frame; `names` are the template's own."""
    title = words.short(words.printable(page.title))
    text = environment().get_template(template).render(page=page, frame=frame, title=title, **names)
    return _without_blank_lines(text)


def stylesheet() -> str:
    """Return the style of every page, with both themes and print."""
    return _without_blank_lines((_TEMPLATES / "style.css").read_text(encoding="utf-8"))


@functools.cache
def environment() -> Environment:
    """Return the template environment: escaping on, a missing name is an error."""
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        # Otherwise it checks on each page whether a template has changed.
        auto_reload=False,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable,
    )
    made.filters |= {
        "body": _body,
        "classes": _classes,
        "count": "{:,}".format,
        "draw": _draw,
        "kinds": _kinds,
        "glyph": states.GLYPHS.__getitem__,
        "label": words.label,
        "short": words.short,
    }
    return made


def _without_blank_lines(text: str) -> str:
    return "".join(f"{line}\n" for line in text.split("\n") if line.strip())


def _classes(rows: Rows, kinds: Sequence[str]) -> str:
    """Return the classes of a table: one per column of numbers or texts, `cards` if it is wide.

    The style sheet styles columns by position: classes in the cells would be a fifth of a page.
    """
    names = [f"{kind[0]}{number}" for number, kind in enumerate(kinds, 1) if kind != "word"]
    return " ".join([*(["cards"] if _is_wide(rows) else []), *names])


def _is_wide(rows: Rows) -> bool:
    return len(rows.columns) > _WIDEST_ON_A_PHONE


def _body(rows: Rows, most: int, is_labelled: bool) -> Markup:
    """Return the first rows as table rows; if `is_labelled`, each cell names its column.

    A template takes three times as long, and most of a site is table rows.
    """
    opened = ["<td>"] * len(rows.columns)
    if is_labelled and _is_wide(rows):
        opened = [f'<td data-th="{escape(words.label(name))}">' for name in rows.columns]
    shown = rows.values[:most]
    if not shown:
        return Markup("")
    columns = zip(opened, rows.columns, zip(*shown, strict=True), strict=True)
    cells = [_cells(start, name, values) for start, name, values in columns]
    lines = [f"<tr>{''.join(row)}</tr>\n" for row in zip(*cells, strict=True)]
    # Each cell is escaped; the tags around it are ours.
    return Markup("".join(lines))  # noqa: S704


def _cells(start: str, column: str, values: Sequence[Any]) -> list[str]:
    """Return the cells of a column, escaped; the style sheet isolates their writing direction."""
    types = {*map(type, values)}
    if types == {Link}:
        return [_link_cell(start, column, value.text, value.href) for value in values]
    # Equal values are shown alike only within one type: 1 equals True.
    if types <= _REPEATED and len(types - {type(None)}) <= 1:
        shown = {value: _repeated_cell(start, column, value) for value in {*values}}
        return [shown[value] for value in values]
    if types <= {float, type(None)}:
        # A printed number contains nothing to escape.
        return [f"{start}{words.cell(column, value)}</td>" for value in values]
    return [_cell(start, column, value) for value in values]


def _cell(start: str, column: str, value: Any) -> str:
    if isinstance(value, Link):
        return _link_cell(start, column, value.text, value.href)
    if isinstance(value, Dumbbell):
        return f"{start}{_dumbbell(value)}</td>"
    if isinstance(value, Hash):
        return f'{start}<code title="{escape(value.digits)}">{escape(value.shown)}</code></td>'
    if isinstance(value, Verdict) and value.state:
        name, glyph = value.state.replace(" ", "-"), states.GLYPHS[value.state]
        shape = f'<span class="glyph {name}" aria-hidden="true">{glyph}</span>'
        return f"{start}<span>{shape} {escape(words.cell(column, value.word))}</span></td>"
    if type(value) in _REPEATED:
        return _repeated_cell(start, column, value)
    return f"{start}{escape(words.cell(column, value))}</td>"


def _dumbbell(value: Dumbbell) -> str:
    """Return an open dot for the expected hits, joined to a full one for those found."""
    radius, width, height = 4.5, 120, 14
    margin, middle = radius + 1, height / 2
    found, expected = (
        round(margin + one / value.most * (width - 2 * margin), 1)
        for one in (value.found, value.expected)
    )
    return (
        f'<svg class="dumbbell" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(str(value))}">'
        f'<path d="M{margin} {middle}H{width - margin}"/>'
        f'<line x1="{expected}" x2="{found}" y1="{middle}" y2="{middle}"/>'
        f'<circle class="expected" cx="{expected}" cy="{middle}" r="{radius - 1}"/>'
        f'<circle cx="{found}" cy="{middle}" r="{radius}"/></svg>'
    )


# Equal values of these types are shown alike. A site repeats names on many pages.
_REPEATED = frozenset({str, int, bool, date, type(None)})


@functools.lru_cache(maxsize=100_000, typed=True)
def _repeated_cell(start: str, column: str, value: Any) -> str:
    return f"{start}{addresses.linked(words.cell(column, value))}</td>"


@functools.lru_cache(maxsize=100_000, typed=True)
def _link_cell(start: str, column: str, text: str, href: str) -> str:
    return f'{start}<a href="{escape(href)}">{escape(words.cell(column, text))}</a></td>'


def _kinds(rows: Rows) -> list[str]:
    """Classify each column as numbers, text of any length, or words and dates."""
    return [
        "number" if is_number(rows, index) else "text" if name in _TEXTS else "word"
        for index, name in enumerate(rows.columns)
    ]


def _draw(panel: Panel | Multiple) -> Markup:
    if panel.figure is None:
        return Markup("")
    # The drawing escapes its own text; its alternative is quoted as an attribute.
    return Markup(charts.svg(panel.figure, panel.alternative))  # noqa: S704


def _printable(value: Any) -> Any:
    """Remove control codes from, and shorten, any text that a template prints."""
    return words.prose(value) if isinstance(value, str) and not isinstance(value, Markup) else value
