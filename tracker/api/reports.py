"""Reports in Python: words, figures as frames, and charts to change."""

import functools
import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from tracker import replacing
from tracker.api import frames
from tracker.api.arguments import require_one_of
from tracker.errors import InputRefused
from tracker.reports import kinds, records
from tracker.reports.pages import formats
from tracker.reports.pages.page import Page
from tracker.reports.render import only, render_report, render_sections
from tracker.rows import FORMATS, REPORT_FORMATS, ReportFormat, Rows

# The format that the ending of a file name chooses.
_ENDINGS: dict[str, ReportFormat] = {
    ".html": "html",
    ".md": "markdown",
    ".csv": "csv",
    ".json": "json",
    ".txt": "table",
}


@dataclass(frozen=True, repr=False)
class Report:
    """A report of a slate, comparison, leaderboard, evaluation or backtest, as it was computed.

    `content` has facts, warnings and sections. `screen` is the text for a terminal if it is not
    `content` as a table; `drawn` is the page if it shows more than `content`; `note` says what was
    computed for the report, if anything. A later event changes the store, not the report.
    """

    content: kinds.Report
    screen: str | None = None
    library: frames.Library = "pandas"
    drawn: Page | None = None
    note: str = ""

    @functools.cached_property
    def page(self) -> Page | None:
        """The page, built at the first use; None for a kind of report without one."""
        name = self.content.kind.page
        if self.drawn is not None or not name:
            return self.drawn
        build: Callable[[kinds.Report], Page]
        build = importlib.import_module(name).build
        return build(self.content)

    @functools.cached_property
    def summary(self) -> str:
        """The text for a terminal."""
        return render_report(self.content, "table") if self.screen is None else self.screen

    @property
    def subject(self) -> str:
        """What is reported: a slate, comparison, leaderboard, evaluation or backtest."""
        return self.content.kind.subject

    @property
    def facts(self) -> dict[str, Any]:
        """What the report is about: identifiers, dates, numbers of predictions."""
        return dict(self.content.facts)

    @property
    def verdict(self) -> str | None:
        """The answer in a few words; None if the report judges nothing."""
        if self.page is None or self.page.verdict is None:
            return self.content.facts.get("overall")
        return self.page.verdict.word

    @property
    def certainty(self) -> str | None:
        """How sure the verdict is, in a sentence or two."""
        if self.page is None or self.page.verdict is None:
            return None
        return self.page.verdict.certainty

    @property
    def warnings(self) -> list[str]:
        """What limits the figures, a sentence or two each."""
        return list(self.content.warnings)

    @property
    def figures(self) -> Any:
        """The figures of a slate as a frame: one row for each metric, window, population and tier.

        Columns: metric, evidence_window, population, tier, value, low, high (its 95 % interval) and
        reason, which says why there is no value. Other reports have only sections, and no rows
        here.
        """
        found = records.headline_figures(self.content.sections)
        return frames.of(found, self.library, ("value", "low", "high"))

    @property
    def headlines(self) -> Any:
        """The figures at the top of the page as a frame: numbers, and the same in words.

        `value`, `low` and `high` are missing where there is no number; a rate is a fraction. A
        figure without an interval, such as a count, has no limits: `how_certain` says what it rests
        on.
        """
        names = ["figure", "value", "low", "high", "in_words", "how_certain"]
        figures = [] if self.page is None else self.page.key_figures
        values = [
            (one.label, *map(_number, (one.number, one.low, one.high)), one.value, one.detail)
            for one in figures
        ]
        return frames.of(Rows(names, [*values]), self.library, ("value", "low", "high"))

    @property
    def sections(self) -> list[str]:
        """The names of the sections, which are those of their views."""
        return [section.view for section in self.content.sections]

    def __getitem__(self, section: str) -> Any:
        """Return a section as a frame, with full precision and NULLs as missing values.

        `report["warnings"]` has one column. Raises InputRefused if there is none with that name.
        """
        chosen = only(self.content, [section])
        if not chosen.sections:
            return frames.of(Rows(["warning"], [(one,) for one in chosen.warnings]), self.library)
        return frames.of(chosen.sections[0].rows, self.library)

    @property
    def charts(self) -> dict[str, Any]:
        """The charts by section, as altair charts to change, show and save."""
        from tracker.reports.pages import charts, html

        return {
            panel.name: charts.chart(panel.figure, html.light_colours())
            for panel in ([] if self.page is None else self.page.every_panel)
            if panel.figure is not None
        }

    def text(
        self,
        form: ReportFormat = "table",
        *,
        full: bool = False,
        sections: Sequence[str] | str = (),
    ) -> str:
        """Return the report in a format: table, json, csv, markdown or html.

        A table is the summary unless `full`; `sections` picks some of them by name. Raises
        InputRefused for an unknown format or section, and for sections of a page.
        """
        has_page = self.drawn is not None or bool(self.content.kind.page)
        require_one_of("form", str(form), REPORT_FORMATS if has_page else FORMATS)
        if isinstance(sections, str):
            sections = (sections,)
        if sections:
            if form == "html":
                raise InputRefused("sections: html is the whole page; choose another form")
            return render_sections(only(self.content, sections), form)
        if form in ("html", "markdown") and self.page is not None:
            return formats.render(self.page, form)
        if form == "table" and not full:
            return self.summary
        return render_report(self.content, form)

    def save(self, path: str | Path, form: ReportFormat | None = None) -> Path:
        """Write the report to a file in one step and return its path.

        Without `form`, the ending of the name chooses the format. Raises InputRefused for an
        unknown ending, or if nothing can be written there.
        """
        path = Path(path)
        form = form or _ENDINGS.get(path.suffix.lower())
        if form is None:
            raise InputRefused(f"{path.name}: name a file with {', '.join(_ENDINGS)}")
        text = self.text(form)
        if not path.parent.is_dir():
            raise InputRefused(f"{path.parent}: no such folder")
        try:
            with replacing.file(path) as part:
                part.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputRefused(f"{path}: cannot be written: {error.strerror}") from error
        return path

    def __str__(self) -> str:
        return self.summary

    def __repr__(self) -> str:
        name = self.content.facts.get(f"{self.subject}_id", "")
        verdict = "" if self.verdict is None else f": {self.verdict}"
        return f"<Report of {self.subject} {name}{verdict}>"

    def _repr_html_(self) -> str:
        """Return verdict, headline figures and first charts; without a page, the summary."""
        from tracker.reports.pages import html

        if self.page is None:
            return f"<pre>{escape(self.summary)}</pre>"
        return html.fragment(self.page)


def _number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(value)
