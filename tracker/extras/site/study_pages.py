"""The pages of rounds, of retrospective evaluations, and of benchmarks with their submissions."""

from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import schema
from tracker.extras.benchmarks import benchmark_page, distance, lookup, models, scoring, similarity
from tracker.extras.retrospective import evaluation_page, evaluation_report, evaluations
from tracker.extras.rounds import board, questions, round_page
from tracker.extras.site.files import Files
from tracker.extras.site.layout import Site, root_of
from tracker.reports.pages.page import Link, Listing, Page
from tracker.reports.pages.sections import USUAL_K
from tracker.reports.words import NOTHING
from tracker.rows import Rows
from tracker.store.state import scope


@dataclass(frozen=True)
class Study:
    """The index's entry for the page of a round, evaluation or benchmark: address and finding."""

    path: str
    title: str
    kind: str
    finding: str


def write_rounds(connection: Connection, files: Files, site: Site) -> list[Study]:
    """Write a page per round, with its question beside it."""
    table = schema.round_
    studies = []
    for row in connection.execute(sa.select(table).order_by(table.c.round_id)).all():
        report = board.build(connection, questions.find(connection, row.name))
        page = round_page.build(report)
        path = f"rounds/{row.round_id}.html"
        files.write(path, site.render(path, page))
        files.write(f"rounds/{row.round_id}.json", questions.canonical(row.question).decode())
        studies.append(Study(path, row.name, "round", _finding(page)))
    return studies


def write_evaluations(connection: Connection, files: Files, site: Site) -> list[Study]:
    """Write a page per evaluation."""
    studies = []
    for row in evaluations.every(connection):
        with scope.of_evaluation(connection, row, evaluation_report.SECTIONS):
            report = evaluation_report.build(connection, row)
        page = evaluation_page.build(report)
        path = f"evaluations/{row.evaluation_id}.html"
        files.write(path, site.render(path, site.linked_page(path, page)))
        studies.append(Study(path, page.title, "retrospective evaluation", _finding(page)))
    return studies


def write_benchmarks(connection: Connection, files: Files, site: Site) -> list[Study]:
    """Write a leaderboard per benchmark that has truth, and a page per submission to it."""
    table = schema.benchmark
    studies = []
    for row in connection.execute(sa.select(table).order_by(table.c.benchmark_id)).all():
        path = f"benchmarks/{row.benchmark_id}.html"
        submissions = _write_submissions(connection, files, site, row)
        entries = scoring.leaderboard(connection, row, k=_usual_k(connection))
        page = benchmark_page.leaderboard(row.name, entries)
        page = replace(page, listings=[_submission_list(path, submissions)])
        files.write(path, site.render(path, page))
        finding = page.subtitle.removesuffix(".")
        studies.append(Study(path, row.name, f"{row.kind} benchmark", finding))
    return studies


def _usual_k(connection: Connection) -> int:
    """Return the cut-off of multi-label leaderboards: the usual one, else the largest available."""
    known = list(connection.execute(sa.select(schema.cutoff.c.k)).scalars())
    return USUAL_K if USUAL_K in known else max(known, default=USUAL_K)


def _write_submissions(
    connection: Connection, files: Files, site: Site, benchmark: Row[Any]
) -> list[Study]:
    studies = []
    for submission in lookup.every(connection):
        if submission.benchmark_id != benchmark.benchmark_id:
            continue
        submission_id = submission.submission_id
        sections = scoring.score(connection, submission_id, curves=True)
        sections = scoring.with_intervals(connection, submission_id, sections)
        notes = lookup.notes_of(connection, submission_id)
        notes += distance.of_submission(connection, submission)
        notes += similarity.of_submission(connection, submission_id)
        model = models.find(connection, submission_id)
        page = benchmark_page.score(submission, benchmark, sections, notes, model)
        path = f"submissions/{submission_id}.html"
        files.write(path, site.render(path, page))
        studies.append(Study(path, page.title, "submission", _finding(page)))
    return studies


def _submission_list(path: str, studies: list[Study]) -> Listing:
    return Listing(
        "submissions",
        "Submissions",
        "Each with its curves, its notes and its hash."
        if studies
        else "Nothing has been submitted yet.",
        listed(path, studies),
    )


def listed(path: str, studies: list[Study]) -> Rows:
    """Return studies as rows, each with a link to its page from the page at `path`."""
    root = root_of(path)
    return Rows(
        ["page", "kind", "finding"],
        [(Link(one.title, root + one.path), one.kind, one.finding) for one in studies],
    )


def _finding(page: Page) -> str:
    return page.verdict.word if page.verdict else NOTHING
