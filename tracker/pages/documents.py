"""Pages of slates, models, comparisons, backtests, evaluations and benchmarks, in page formats.

The page modules are imported on demand: their drawing and estimation libraries take longer to
import than most commands take to run.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from tracker.pages.page import Page
from tracker.report import listing
from tracker.report.build import Report
from tracker.report.records import Section
from tracker.report.scoring import Leaderboard
from tracker.submissions.models import Model

FORMATS = ("html", "markdown")


def render(page: Page, form: str) -> str:
    """Return a page in one of FORMATS."""
    if form == "markdown":
        from tracker.pages import markdown

        return markdown.render(page)
    from tracker.pages import html

    return html.render(page)


def page_of_slate(
    connection: Connection, slate: Row[Any], report: Report, as_of: datetime | None = None
) -> Page:
    """Return the page of a slate, assessed by its plan.

    `report` was just built over the same connection, which must have been opened with `as_of`.
    """
    from tracker.pages import slate_page
    from tracker.report import assessment

    assessed = assessment.assess(connection, slate, as_of, report.found)
    return slate_page.build(report, listing.read(connection, slate), assessed)


def of_slate(
    connection: Connection,
    slate: Row[Any],
    report: Report,
    form: str,
    as_of: datetime | None = None,
) -> str:
    """Return the page of a slate in a format; the other arguments as of `page_of_slate`."""
    return render(page_of_slate(connection, slate, report, as_of), form)


def page_of_comparison(report: Report) -> Page:
    """Return the page of a comparison of slates."""
    from tracker.pages import comparison_page

    return comparison_page.build(report)


def page_of_backtest(report: Report) -> Page:
    """Return the page of a backtest."""
    from tracker.pages import backtest_page

    return backtest_page.build(report)


def page_of_models(report: Report) -> Page:
    """Return the page of the models over all their slates."""
    from tracker.pages import leaderboard_page

    return leaderboard_page.build(report)


def page_of_evaluation(report: Report) -> Page:
    """Return the page of a retrospective evaluation."""
    from tracker.pages import evaluation_page

    return evaluation_page.build(report)


def page_of_submission(
    submission: Row[Any],
    benchmark: Row[Any],
    sections: Sequence[Section],
    notes: Sequence[str],
    model: Model | None,
) -> Page:
    """Return the page of a submission's score, from sections that include its curves."""
    from tracker.pages import benchmark_page

    return benchmark_page.score(submission, benchmark, sections, notes, model)


def of_leaderboard(name: str, kind: str, leaderboard: Leaderboard, form: str) -> str:
    """Return the page of a benchmark's leaderboard."""
    from tracker.pages import benchmark_page

    return render(benchmark_page.leaderboard(name, kind, leaderboard), form)
