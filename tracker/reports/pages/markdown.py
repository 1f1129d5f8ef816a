"""A page as Markdown, to paste into an issue or a supplement: sentences, then short tables."""

from collections.abc import Sequence

from tracker.reports.pages.page import Page, Panel
from tracker.reports.words import cell, label, prose, short
from tracker.rows import Rows, is_number, markdown_cell

# Longer tables are cut for readers; csv has all rows.
_MOST_ROWS = 40


def render(page: Page) -> str:
    """Return the page as Markdown for GitHub, and for Pandoc with pipe tables."""
    parts = [f"# {_text(short(page.title))}\n", f"{_text(page.subtitle)}\n"]
    if page.verdict is not None:
        verdict = page.verdict
        parts.append(
            f"**{_text(verdict.word)}.** {_text(verdict.sentence)} {_text(verdict.certainty)}\n"
        )
    if page.key_figures:
        lines = [(one.label, one.value, one.detail) for one in page.key_figures]
        parts.append(_table(Rows(["figure", "value", "confidence"], [*lines])))
    for heading, claims in (
        ("What this report shows", page.shows),
        ("What it does not show", page.limits),
    ):
        if claims:
            parts.append(f"## {heading}\n")
            parts.append("".join(f"- {_text(claim)}\n" for claim in claims))
    for one in (page, *page.parts):
        parts += _evidence(one)
    return "\n".join(parts)


def _evidence(page: Page) -> list[str]:
    """Return the charts' tables, the lists and the checks of a page or of one of its parts."""
    parts = []
    for panel in page.panels:
        parts += _panel(panel, "##")
    if page.tables:
        parts.append("## Further figures\n")
    for panel in page.tables:
        parts += _panel(panel, "###")
    for listing in page.listings:
        parts += [f"## {_text(listing.heading)}\n", f"{_text(listing.note)}\n"]
        if listing.table.values:
            parts.append(_table(listing.table, "--format html or an export has more"))
        if listing.omitted:
            parts.append(f"{_text(listing.omitted)}\n")
    if page.checks or page.facts:
        parts.append("## How to check this report\n")
        parts.append("".join(f"- {_text(one.purpose)} `{one.command}`\n" for one in page.checks))
        parts.append(_table(Rows(["fact", "value"], [*page.facts])))
    return parts


def _panel(panel: Panel, marks: str) -> list[str]:
    parts = [f"{marks} {_text(panel.heading)} ({panel.name})\n"]
    if panel.finding:
        parts.append(f"**{_text(panel.finding)}**\n")
    standing = f" Status: {panel.standing}." if panel.standing else ""
    parts.append(f"{_text(panel.note)}{standing}\n")
    parts.append(_table(panel.table) if panel.table.values else "No rows.\n")
    return parts


def _table(rows: Rows, elsewhere: str = "--format csv or json has all") -> str:
    right = [is_number(rows, index) for index in range(len(rows.columns))]
    lines = [
        _line([_text(label(name)) for name in rows.columns]),
        "|" + "|".join(" ---: " if one else " --- " for one in right) + "|",
    ]
    for row in rows.values[:_MOST_ROWS]:
        cells = zip(rows.columns, row, strict=True)
        lines.append(_line([markdown_cell(cell(name, value)) for name, value in cells]))
    hidden = len(rows.values) - _MOST_ROWS
    if hidden > 0:
        lines.append(f"\n({hidden:,} more rows; {elsewhere})")
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _text(text: str) -> str:
    return markdown_cell(prose(text))
