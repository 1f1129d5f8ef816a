"""A report as text: table and markdown to read, json and csv to compute with."""

import difflib
import textwrap
from collections.abc import Sequence
from dataclasses import replace

from tracker import tables
from tracker.errors import InputRefused
from tracker.figures import KEY_COLUMNS
from tracker.report import benchmark_text, evaluation_tables
from tracker.report.build import Report
from tracker.report.records import Section, tidy
from tracker.report.words import sentence
from tracker.rows import Rows, markdown_cell, plain, render, shown, to_csv, to_json

TERMINAL_WIDTH = 80

# What a user may ask for among the sections.
WARNINGS = "warnings"

# Sections with a row per disease or pair are truncated in formats for people.
_READABLE_ROWS = 40

# The CSV columns that identify a value's row in its view, of each kind of report.
_EVALUATION_KEYS = (
    *("ranker", "cutoff_year", "approval_year", "k", "disease_name"),
    *("figure", "method"),
)
_COMPARISON_KEYS = (
    *("slate_id", "versus_slate_id", "population", "tier", "disease_name", "drug_name"),
)
_BACKTEST_KEYS = ("ranker", "is_shuffled", "horizon_months", "origin_on")
_COVERAGE_KEYS = ("entity_kind", "source", "match_kind", "name", "nearest_text")
_KEYS = {
    "slate": KEY_COLUMNS,
    "evaluation": _EVALUATION_KEYS,
    "candidate_set": _COVERAGE_KEYS,
    "comparison": _COMPARISON_KEYS,
    "backtest": _BACKTEST_KEYS,
    "submission": benchmark_text.KEYS,
    "leaderboard": ("model_version", "versus_model_version", "slate_id"),
}


def render_report(report: Report, form: str, subject: str = "slate") -> str:
    """Return a report in one of the formats of tracker.rows.

    `subject` is a slate, an evaluation, a candidate_set, a comparison, a backtest, or the
    leaderboard, of which there is only one: its rows need no number.
    """
    if form == "json":
        return to_json(
            {
                subject: plain(report.facts),
                "warnings": report.warnings,
                "sections": {section.view: section.rows.records() for section in report.sections},
                "standing": {
                    section.view: section.standing
                    for section in report.sections
                    if section.standing
                },
            }
        )
    if form == "csv":
        rows = tidy(report.sections, _KEYS[subject])
        name = f"{subject}_id"
        if name not in report.facts:
            return to_csv(rows.columns, rows.values)
        number = plain(report.facts[name])
        return to_csv([name, *rows.columns], [(number, *row) for row in rows.values])
    title = f"{subject.capitalize().replace('_', ' ')} {report.facts[f'{subject}_id']}"
    facts = Rows(["fact", "value"], [(k, v) for k, v in report.facts.items() if v is not None])
    return "\n".join([heading(title, form), render(facts, form), _read(report, form, subject)])


def render_sections(report: Report, form: str, subject: str = "slate") -> str:
    """Return the sections and warnings of a report without its facts, except in csv and json."""
    return (
        render_report(report, form, subject)
        if form in ("csv", "json")
        else _read(report, form, subject)
    )


def only(report: Report, names: Sequence[str]) -> Report:
    """Return a report with these sections alone, and its warnings if `names` has 'warnings'.

    Raises InputRefused if there is no such section.
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


def _read(report: Report, form: str, subject: str) -> str:
    """Return the warnings and sections for people."""
    sections = report.sections
    if subject == "evaluation":
        # Made here, since json and csv do without: a row for each disease takes its time.
        sections = [evaluation_tables.readable(section) for section in sections]
    mark, text = ("-", markdown_cell) if form == "markdown" else ("!", shown)
    warnings = "".join(_wrapped(f"{mark} {text(warning)}", form) for warning in report.warnings)
    texts = [render_section(section, form) for section in sections]
    return "\n".join([*([warnings] if warnings else []), *texts])


def render_section(section: Section, form: str) -> str:
    """Return a section for people: its title, what its figures are, its rows and notes."""
    text = markdown_cell if form == "markdown" else shown
    standing = f", {section.standing}" if section.standing else ""
    rows = section.rows if section.readable is None else section.readable
    parts = [
        heading(f"{section.title} ({section.view}){standing}", form, level=2),
        _wrapped(text(f"{sentence(section.formula)} {sentence(section.units)}"), form),
        render(rows, form, limit=_READABLE_ROWS) if rows.values else "No rows.\n",
    ]
    if section.notes:
        parts.append("".join(_wrapped(text(f"- {note}"), form) for note in section.notes))
    return "\n".join(parts)


def _wrapped(line: str, form: str) -> str:
    """Return a line without control codes as it is in Markdown, else within a terminal."""
    if form == "markdown":
        return f"{line}\n"
    return textwrap.fill(line, TERMINAL_WIDTH, subsequent_indent="  ") + "\n"


def heading(title: str, form: str, *, level: int = 1) -> str:
    """Return a heading, underlined in a text."""
    if form == "markdown":
        return f"{'#' * level} {title}\n"
    lines = tables.wrap(title, TERMINAL_WIDTH)
    return "\n".join([*lines, "=" * max(map(len, lines)), ""])
