"""Renders a report as text: table and markdown to read, json and csv to compute with."""

import difflib
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import replace

from tracker import text_tables
from tracker.errors import InputRefused
from tracker.figures import KEY_COLUMNS, OF_VIEW
from tracker.reports.kinds import Report
from tracker.reports.records import Section, tidy
from tracker.reports.words import sentence, to_three_digits, with_limits
from tracker.rows import Rows, WithInterval, markdown_cell, plain, render, shown, to_csv, to_json
from tracker.store import dictionary

TERMINAL_WIDTH = 80

# Users may ask for the warnings as a section.
WARNINGS = "warnings"

# Formats for people cut sections with a row per disease or pair.
_READABLE_ROWS = 40


def render_report(report: Report, form: str) -> str:
    """Return a report in a format of tracker.rows; texts begin with its verdicts, else facts."""
    kind, facts = report.kind, report.facts
    if form in ("csv", "json"):
        return render_sections(report, form)
    title = heading(kind.title.format_map(facts), form)
    if "verdicts" in facts:
        lines = [*facts["verdicts"], *([report.lead] if report.lead else [])]
        top = "".join(_wrapped(shown(line), form) for line in lines)
        return "\n".join([title, top + _warnings(report, form), *_sections(report, form)])
    rows = [(name, value) for name, value in facts.items() if value is not None]
    return "\n".join([title, render(Rows(["fact", "value"], rows), form), _read(report, form)])


def render_sections(report: Report, form: str) -> str:
    """Return the sections and warnings of a report without its facts, except in csv and json."""
    subject = report.kind.subject
    if form == "json":
        return to_json(
            {
                subject: plain(report.facts),
                "warnings": report.warnings,
                "sections": {section.view: section.rows.records() for section in report.sections},
                "columns": _meanings(report.sections),
                "standing": {
                    section.view: section.standing
                    for section in report.sections
                    if section.standing
                },
            }
        )
    if form == "csv":
        rows = tidy(report.sections, report.kind.keys)
        name = f"{subject}_id"
        if name not in report.facts:
            return to_csv(rows.columns, rows.values)
        number = plain(report.facts[name])
        return to_csv([name, *rows.columns], [(number, *row) for row in rows.values])
    return _read(report, form)


def _meanings(sections: Sequence[Section]) -> dict[str, str]:
    """Return the meaning of each column of the sections, with its unit; some are of no view."""
    names = sorted({column for section in sections for column in section.rows.columns})
    known = dictionary.columns()
    return {name: str(known[name]) for name in names if name in known}


def only(report: Report, names: Sequence[str]) -> Report:
    """Return a report with only these sections, and its warnings if `names` has 'warnings'.

    Raises InputRefused for an unknown section.
    """
    known = [WARNINGS, *(section.view for section in report.sections)]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}"
            raise InputRefused(f"the report has no section '{name}'; {hint}")
    return replace(
        report,
        warnings=report.warnings if WARNINGS in names else [],
        sections=[section for section in report.sections if section.view in names],
    )


def _read(report: Report, form: str) -> str:
    warnings = _warnings(report, form)
    return "\n".join([*([warnings] if warnings else []), *_sections(report, form)])


def _warnings(report: Report, form: str) -> str:
    mark, text = ("-", markdown_cell) if form == "markdown" else ("!", shown)
    return "".join(_wrapped(f"{mark} {text(warning)}", form) for warning in report.warnings)


def _sections(report: Report, form: str) -> list[str]:
    sections = report.sections
    if report.kind.tables is not None:
        # json and csv do without these tables, which take time: a row per disease.
        sections = [report.kind.tables(section) for section in sections]
    return [render_section(section, form) for section in sections]


def render_section(section: Section, form: str) -> str:
    """Return a section for people: title, meaning of the figures, rows and notes."""
    text = markdown_cell if form == "markdown" else shown
    standing = f", {section.standing}" if section.standing else ""
    rows = section.rows if section.text_table is None else section.text_table
    if {"low", "high"} <= {*rows.columns}:
        rows = with_intervals(rows, _figure_with_limits(rows, section.view))
    parts = [
        heading(f"{section.title} ({section.view}){standing}", form, level=2),
        _wrapped(text(f"{sentence(section.formula)} {sentence(section.units)}"), form),
        render(rows, form, limit=_READABLE_ROWS) if rows.values else f"{section.empty}\n",
    ]
    if section.notes:
        parts.append("".join(_wrapped(text(f"- {note}"), form) for note in section.notes))
    return "\n".join(parts)


def with_intervals(rows: Rows, figure: str, keys: Collection[str] = KEY_COLUMNS) -> Rows:
    """Return rows with a figure and its interval in one column, the first after the keys."""
    of = rows.columns.index
    figures = [
        None
        if row[of(figure)] is None
        else WithInterval(
            with_limits(row[of(figure)], row[of("low")], row[of("high")], of=to_three_digits)
        )
        for row in rows.values
    ]
    rest = rows.without(figure).without("low").without("high")
    others = (n for n, name in enumerate(rest.columns) if name not in keys)
    n_keys = next(others, len(rest.columns))
    return Rows(
        [*rest.columns[:n_keys], figure, *rest.columns[n_keys:]],
        [
            (*row[:n_keys], in_words, *row[n_keys:])
            for row, in_words in zip(rest.values, figures, strict=True)
        ],
    )


def _figure_with_limits(rows: Rows, view: str) -> str:
    """Return the column that the limits in the rows belong to."""
    entry = OF_VIEW.get(view)
    if "value" in rows.columns:
        return "value"
    if entry is not None and entry.interval_of is not None:
        return entry.interval_of.name
    before = rows.columns[: rows.columns.index("low")]
    # The reason for another row's missing figure may stand between.
    return [name for name in before if name != "reason"][-1]


def _wrapped(line: str, form: str) -> str:
    """Return a line without control codes, wrapped to a terminal unless it is Markdown."""
    if form == "markdown":
        return f"{line}\n"
    return textwrap.fill(line, TERMINAL_WIDTH, subsequent_indent="  ") + "\n"


def heading(title: str, form: str, *, level: int = 1) -> str:
    """Return a heading, underlined in a text."""
    if form == "markdown":
        return f"{'#' * level} {title}\n"
    lines = text_tables.wrap(title, TERMINAL_WIDTH)
    return "\n".join([*lines, "=" * max(map(len, lines)), ""])
