"""A page per slate: its report's page, its canonical rows to verify in a browser, its downloads."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from operator import attrgetter
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row

from tracker import slates
from tracker.entities import fold
from tracker.entities.kinds import DISEASE, DRUG
from tracker.extras.site import datasets, downloads, register
from tracker.extras.site.files import Files
from tracker.extras.site.layout import Site, citation, part_path, root_of, slate_path
from tracker.extras.site.register import RegisteredSlate
from tracker.figures import MATCHED
from tracker.log.sealing import Head
from tracker.reports import assessment, build, enrichment, listing
from tracker.reports.kinds import Report
from tracker.reports.pages import slate_page
from tracker.reports.pages.page import Check, Link, Listing, Page, Panel, Verdict
from tracker.reports.pages.slate_page import AUDIT
from tracker.reports.records import Record, first
from tracker.reports.render import render_report
from tracker.reports.words import count
from tracker.rows import Rows
from tracker.slates import plans
from tracker.store import statements
from tracker.uncertainty import scoreboard

# Rows per file for the browser: about a megabyte.
_ROWS_PER_FILE = 5_000


@dataclass(frozen=True)
class Summary:
    """A slate's entry on the index, read from its page and report.

    `endpoint` is the row of MATCHED for its primary endpoint's window, population and tier, empty
    without one; `months` its panel of hits by month, None if there is nothing to draw.
    """

    slate_id: str
    title: str
    model_version: str
    frozen_on: str
    date_basis: str
    horizon_ends_on: str
    followed_until: str | None
    n_predictions: int
    verdict: Verdict
    state: str
    endpoint: Record
    months: Panel | None


def listed(summaries: Sequence[Summary]) -> Rows:
    """Return a row per slate: description, verdict, figures of its primary endpoint."""
    return Rows.of(
        {
            "slate_id": attrgetter("slate_id"),
            "title": attrgetter("title"),
            "model_version": attrgetter("model_version"),
            "frozen_on": lambda one: date.fromisoformat(one.frozen_on),
            "date_basis": attrgetter("date_basis"),
            "n_predictions": attrgetter("n_predictions"),
            "verdict": attrgetter("verdict.word"),
            "n_hits": lambda one: one.endpoint.get("n_hits"),
            "n_counted": lambda one: one.endpoint.get("n_predictions"),
            MATCHED: lambda one: enrichment.of(one.endpoint),
            "low": lambda one: one.endpoint.get("low"),
            "high": lambda one: one.endpoint.get("high"),
        },
        summaries,
    )


def write(
    connection: Connection,
    files: Files,
    site: Site,
    entry: RegisteredSlate,
    head: Head,
    as_of: datetime,
) -> Summary:
    """Write a slate's page, rows, proof and downloads, inside `scope.of_slates` of all slates."""
    slate = entry.slate
    with build.read_once(connection, slate):
        report = build.build(connection, slate, as_of=as_of)
        assessed = assessment.assess(connection, slate, as_of, report.found)
        page = slate_page.build(report, listing.read(connection, slate), assessed)
    trend = scoreboard.trend(connection, slate)
    downloads.write_slate(connection, files, slate)
    figures = f"{downloads.folder_of(slate.slate_id)}/figures.csv"
    files.write(figures, render_report(report, "csv"))
    register.write_shown(files, entry, head)
    path = slate_path(slate.slate_id)
    source = citation(slate.slate_id, slate.content_sha256)
    files.write(
        path,
        site.render(
            path,
            site.linked_page(path, page),
            part_address=f"{slate.slate_id}/{{}}.html",
            source=source,
            dataset=_dataset(files, slate, page),
        ),
    )
    verified = {"n_files": _write_rows(connection, files, slate), "sha256": slate.content_sha256}
    for part in page.parts:
        path = part_path(slate.slate_id, part.name)
        is_audit = part.name == AUDIT
        shown = _of_site(part, page, path, slate)
        if is_audit:
            shown = replace(
                shown,
                panels=[*shown.panels, _trend_panel(trend)],
                listings=[*shown.listings, _files(files, slate, path)],
                checks=_checks(entry, part),
            )
        files.write(
            path,
            site.render(
                path,
                site.linked_page(path, shown),
                scripts=("verify.js",) if is_audit else (),
                slate=verified if is_audit else None,
                source=source,
            ),
        )
    return _summary(slate, page, report)


def _write_rows(connection: Connection, files: Files, slate: Row[Any]) -> int:
    """Write the canonical bytes as files that a page can load; return the number with lines.

    File 0 has the header, each other file an array of lines.
    """
    folder = f"slates/{slate.slate_id}"
    header = json.dumps(slates.from_row(slate).header_line, ensure_ascii=False)
    files.write(f"{folder}/rows-0.js", f"slateRows(0, {header});\n")
    result = statements.run(
        connection, "slate_line_block", {"slate_id": str(slate.slate_id), "most": _ROWS_PER_FILE}
    ).scalars()
    number = 0
    for number, lines in enumerate(result, start=1):
        files.write(f"{folder}/rows-{number}.js", f"slateRows({number}, [\n{lines}\n]);\n")
    return number


def _dataset(files: Files, slate: Row[Any], page: Page) -> str:
    root = root_of(slate_path(slate.slate_id))
    folder = f"{downloads.folder_of(slate.slate_id)}/"
    return datasets.of_slate(
        page.title,
        page.subtitle,
        slate.content_sha256,
        slate.frozen_on.isoformat(),
        [
            (f"{root}{path}", downloads.FORMATS[Path(path).suffix][1], sha256)
            for path, _, sha256 in downloads.listed(files).values
            if path.startswith(folder) and Path(path).suffix in downloads.FORMATS
        ],
    )


def _trend_panel(trend: Rows) -> Panel:
    """Return the quarters with an update; the note counts those without."""
    updates, quarters = (trend.columns.index(name) for name in ("n_updates", "quarter_start"))
    updated = [row for row in trend.values if row[updates]]
    n_updated, n_quarters = (len({row[quarters] for row in of}) for of in (updated, trend.values))
    return Panel(
        "scoreboard_quarter",
        "What was published before",
        "Published figures are never edited: each row is chained to the one before by its hash."
        if trend.values
        else "No figure has been published on the scoreboard yet.",
        "The figures of the plan's criteria as published by the last update of each quarter; of "
        f"{count(n_quarters, 'quarter')} since the freeze, {n_updated} had an update. The download "
        "has every row of every update.",
        Rows(trend.columns, updated),
    )


def _of_site(part: Page, page: Page, path: str, slate: Row[Any]) -> Page:
    """Return a part as a page of its own, under the page's title, with addresses of the site."""
    return replace(
        part,
        kicker=Link(page.title, root_of(path) + slate_path(slate.slate_id)),
        title=f"{part.title}: slate {str(slate.slate_id)[:8]}",
        listings=[_listed(one, path, slate) for one in part.listings],
    )


def _listed(listed: Listing, path: str, slate: Row[Any]) -> Listing:
    """Say where the site has what a list leaves out, and link the chain's other slates."""
    if listed.name == "predictions":
        where = "the page of each disease and the downloads have all of them"
        omitted = f"{listed.omitted.partition(';')[0]}; {where}." if listed.omitted else ""
        return replace(listed, omitted=omitted, table=_with_checkable_names(listed.table))
    if listed.name == "chain":
        at = listed.table.columns.index("slate_id")
        root = root_of(path)
        values = [
            (*row[:at], Link(str(row[at]), root + slate_path(row[at])), *row[at + 1 :])
            if row[at] != slate.slate_id
            else row
            for row in listed.table.values
        ]
        return replace(listed, table=Rows(listed.table.columns, values))
    return listed


def _with_checkable_names(rows: Rows) -> Rows:
    """Show the frozen name of a pair where the store now has another.

    The hash covers identifiers. One that is no official id is the name folded at the freeze, which
    a reader can compare with the name beside it; an omitted identifier is the name folded.
    """
    values = [list(row) for row in rows.values]
    for entity in (DISEASE, DRUG):
        if f"{entity.name}_identifier" not in rows.columns:
            continue
        name = rows.columns.index(entity.name_column)
        identifier = rows.columns.index(f"{entity.name}_identifier")
        for row in values:
            is_official = re.fullmatch(entity.pattern, row[identifier] or "") is not None
            if row[identifier] and not is_official and fold(row[name]) != fold(row[identifier]):
                row[name] = row[identifier]
    return Rows(rows.columns, [tuple(row) for row in values])


def _files(files: Files, slate: Row[Any], path: str) -> Listing:
    folder = f"{downloads.folder_of(slate.slate_id)}/"
    rows = downloads.listed(files)
    root = root_of(path)
    return Listing(
        "downloads",
        "Downloads",
        "The Parquet files and the manifest are an export that tracker imports; the CSV files have "
        "the same rows, with text that a spreadsheet would run as a formula marked by an "
        "apostrophe; figures.csv has every value of the slate's pages.",
        Rows(
            rows.columns,
            [
                (Link(row[0].removeprefix(folder), root + row[0]), *row[1:])
                for row in rows.values
                if row[0].startswith(folder)
            ],
        ),
    )


def _checks(entry: RegisteredSlate, page: Page) -> list[Check]:
    """Return the page's checks, for the whole site instead of a single file."""
    slate = entry.slate
    return [
        Check(
            "The rows and the downloads of this slate, without the script of this page: they have "
            "the SHA-256 that you were given elsewhere. In place of SITE, this site's address or a "
            "folder with a copy. With the SHA-256 of manifest.json, every file of the site.",
            f"tracker verify SITE --sha256 {slate.content_sha256}",
        ),
        Check(
            "The slate from this site's download, in a store of your own: the same SHA-256.",
            f"tracker slate import {downloads.folder_of(slate.slate_id)}/",
        ),
        *register.checks(entry),
        *[one for one in page.checks if not one.command.startswith("tracker report ")],
        Check(
            "The site: the same store yields the same files, byte for byte.",
            "tracker publish -o again/",
        ),
    ]


def _summary(slate: Row[Any], page: Page, report: Report) -> Summary:
    verdict = page.verdict
    if verdict is None:
        raise ValueError("the page of a slate has a verdict")
    return Summary(
        str(slate.slate_id),
        page.title,
        slate.model_version,
        slate.frozen_on.isoformat(),
        report.facts["date_basis"],
        report.facts["horizon_ends_on"],
        report.facts["followed_until"],
        slate.n_predictions,
        verdict,
        verdict.state,
        first(report.sections, MATCHED, **plans.of_slate(slate).plan.primary.keys),
        next((one for one in page.panels if one.name == "hits_by_month"), None),
    )
