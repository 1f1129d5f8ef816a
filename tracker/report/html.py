"""A page as one self-contained HTML file: no script, no request, everything escaped."""

import base64
import functools
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tracker.report import charts, words
from tracker.report.page import Page, Panel
from tracker.report.rows import Rows, is_number

_TEMPLATES = Path(__file__).parent / "templates"

# Columns whose text may be of any length, and may break anywhere.
_TEXTS = (
    "content_sha256",
    "description",
    "disease_name",
    "drug_name",
    "evidence",
    "previous_sha256",
    "reason",
    "sha256",
    "slate_id",
    "source",
    "version",
)

# A table of a panel shows so many rows; csv has all of them.
_MOST_ROWS = 200


def render(page: Page) -> str:
    """Return the page as HTML; the same page gives the same bytes.

    Its policy lets a browser load nothing at all and apply only the one style sheet inside.
    """
    style = stylesheet()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    text = (
        environment()
        .get_template("report.html.j2")
        .render(
            page=page,
            title=words.short(words.printable(page.title)),
            style=Markup(style),  # noqa: S704 - the package's own file
            policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; "
            "form-action 'none'",
            most_rows=_MOST_ROWS,
        )
    )
    return _without_blank_lines(text)


def stylesheet() -> str:
    """Return the style of every page, with both themes and print."""
    return _without_blank_lines((_TEMPLATES / "style.css").read_text(encoding="utf-8"))


@functools.cache
def environment() -> Environment:
    """Return the templates' environment: escaping on, a missing name is an error."""
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable,
    )
    made.filters |= {
        "cell": words.cell,
        "count": "{:,}".format,
        "draw": _draw,
        "kinds": _kinds,
        "label": words.label,
        "short": words.short,
    }
    return made


def _without_blank_lines(text: str) -> str:
    """Leave out the lines that only carried a template's logic."""
    return "".join(f"{line}\n" for line in text.split("\n") if line.strip())


def _kinds(rows: Rows) -> list[str]:
    """Say of each column whether it holds numbers, text of any length, or a word or a date."""
    return [
        "number" if is_number(rows, index) else "text" if name in _TEXTS else "word"
        for index, name in enumerate(rows.columns)
    ]


def _draw(panel: Panel) -> Markup:
    if panel.figure is None:
        return Markup("")
    # The drawing escapes its texts itself; its alternative is quoted as an attribute.
    return Markup(charts.svg(panel.figure, panel.alternative))  # noqa: S704


def _printable(value: Any) -> Any:
    """Take control codes and endless names out of whatever text a template prints."""
    return words.prose(value) if isinstance(value, str) and not isinstance(value, Markup) else value
