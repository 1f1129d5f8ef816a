"""The index of a site: each slate with its verdict, and the figures of each update."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from tracker.extras.site import downloads, index_panels, register, study_pages
from tracker.extras.site.files import Files
from tracker.extras.site.layout import Kind, Site, root_of, slate_path
from tracker.extras.site.register import Register
from tracker.extras.site.slate_pages import Summary
from tracker.extras.site.study_pages import Study
from tracker.reports import enrichment
from tracker.reports.kinds import Report
from tracker.reports.pages.page import Check, Link, Listing, Page
from tracker.reports.words import DATE_MARKS, NOTHING
from tracker.rows import Rows
from tracker.store import statements

_MOST_UPDATES = 400


# The headings and notes of further pages on the index, by their subject.
_STUDIES = {
    "rounds": ("Rounds", "One question to many teams, all judged alike."),
    "evaluations": (
        "Retrospective evaluations",
        "How scores perform on what is already known; nothing about the future.",
    ),
    "benchmarks": ("Benchmarks", "Frozen submissions, compared with the benchmark's truth."),
}


def write(
    connection: Connection,
    files: Files,
    site: Site,
    summaries: Sequence[Summary],
    known: Register,
    models: Report,
    studies: Mapping[str, Sequence[Study]],
    n_entities: Mapping[Kind, int],
) -> None:
    """Write the index from the summaries of the other pages and the leaderboard of models."""
    listed = _studies(studies)
    panels = [index_panels.models(models), index_panels.hits_over_time(summaries)]
    listings = [
        # Without slates, these are the site's subject, not further pages.
        *(listed if summaries else []),
        _published(connection, summaries),
        *([register.listing(known)] if known.entries else []),
    ]
    page = Page(
        kicker=index_panels.kicker(summaries),
        title="Track record",
        subtitle=f"Drug-disease predictions: {known.words}. As known on {site.as_of[:10]}. "
        f"{index_panels.followed(summaries)}".strip(),
        question="Do the predictions come true more often than popularity explains?",
        verdict=index_panels.verdict(summaries),
        lead=_slates(summaries),
        shows=[
            "Each slate, in the order of recording, with the verdict of its plan so far and its "
            "uncertainty; failures stay on the list.",
            "Every figure as it was published at each update; past figures are never edited.",
        ],
        limits=[
            "A hit is clinical activity: a first trial, a phase advance or an approval of the "
            "pair. It does not prove that the drug works.",
            "A slate's hash proves that its predictions have not changed since the freeze; the "
            "date of the freeze is proved only by when others first saw that hash.",
        ],
        panels=[index_panels.verdicts(summaries)] if summaries else [],
        listings=[] if summaries else listed,
        parts=[
            *(Page(one.heading, name=one.name, panels=[one]) for one in panels if one),
            *(Page(one.heading, name=one.name, listings=[one]) for one in listings),
            _audit(known, summaries, n_entities),
        ],
    )
    files.write("index.html", site.render("index.html", page))


def _audit(known: Register, summaries: Sequence[Summary], n_entities: Mapping[Kind, int]) -> Page:
    return Page(
        "How to check this page",
        name="audit",
        facts=[
            ("slates shown", f"{len(summaries):,}, each frozen and hashed"),
            (
                "predictions",
                f"{sum(one.n_predictions for one in summaries):,}; a pair of two slates counts "
                "twice",
            ),
            ("diseases with predictions", f"{n_entities['disease']:,}"),
            ("drugs with predictions", f"{n_entities['drug']:,}"),
            *register.facts(known.head),
        ],
        checks=[
            Check(
                "Nothing in this site was altered in transit: the manifest has the SHA-256 of "
                "every file.",
                "jq -r '.files | to_entries[] | \"\\(.value.sha256) *\\(.key)\"' manifest.json "
                "| sha256sum -c --quiet",
            ),
            Check(
                "The manifest is sealed in the log of the store. In place of HASH, the SHA-256 of "
                "manifest.json that you were given elsewhere; it fixes every byte of this site.",
                "tracker verify . --sha256 HASH",
            ),
            Check("Every slate of a store is as it was frozen.", "tracker slate verify"),
            Check("No published figure was edited.", "tracker check"),
            Check(
                "Nothing that was logged by the head of this site was rewritten or removed since.",
                f"tracker verify {register.HEAD}",
            ),
        ],
    )


def write_downloads(files: Files, site: Site) -> None:
    """Write the page that lists every download."""
    path = "downloads/index.html"
    root = root_of(path)
    rows = downloads.listed(files)
    further = [
        ("datapackage.json", "every download with its hash and its columns (Frictionless Data)"),
        ("croissant.json", "the same for tools of machine learning (Croissant)"),
        ("manifest.json", "every file of this site with its SHA-256 and size"),
        ("feed.xml", "new outcomes as an Atom feed"),
    ]
    page = Page(
        kicker="Track record",
        title="Downloads",
        subtitle="Everything on this site as files to compute with.",
        listings=[
            Listing(
                "files",
                "Data",
                "A folder per slate, which tracker slate import reads as it is.",
                Rows(
                    rows.columns,
                    [
                        (Link(row[0].removeprefix("downloads/"), root + row[0]), *row[1:])
                        for row in rows.values
                    ],
                ),
            ),
            Listing(
                "metadata",
                "Metadata",
                "For machines.",
                Rows(
                    ["file", "description"],
                    [(Link(name, root + name), what) for name, what in further],
                ),
            ),
        ],
    )
    files.write(path, site.render(path, page))


def _slates(summaries: Sequence[Summary]) -> Listing:
    return Listing(
        "slates",
        "Slates",
        "In the order of recording. Hits are those of the slate's primary endpoint, out of the "
        "predictions it counts, and those expected of as many equally popular drugs; the "
        "enrichment compares them. In brackets the 95% interval, where there is one."
        if summaries
        else "No slate has been frozen yet.",
        Rows.of(
            {
                "slate": lambda one: Link(one.title, slate_path(one.slate_id)),
                # tables.js then shows only this model's slates.
                "model": lambda one: Link(one.model_version, index_panels.SLATES),
                "verdict": lambda one: one.verdict,
                "enrichment": lambda one: (
                    enrichment.cell(one.endpoint) if one.endpoint else NOTHING
                ),
                "hits": _hits,
                "horizon": lambda one: (
                    f"{one.frozen_on} ({DATE_MARKS[one.date_basis]}) to {one.horizon_ends_on}"
                ),
                "evidence_up_to": lambda one: one.followed_until,
            },
            summaries,
        ),
    )


def _hits(one: Summary) -> str:
    """Return the primary endpoint's hits, and those that popularity predicts, in words."""
    row = one.endpoint
    if not row:
        return NOTHING
    hits = f"{row['n_hits']:,} of {row['n_predictions']:,}"
    expected = row["expected_hits"]
    return hits if expected is None else f"{hits}, {expected:,.1f} expected"


def _published(connection: Connection, summaries: Sequence[Summary]) -> Listing:
    titles = {one.slate_id: one.title for one in summaries}
    published = Rows(
        ["recorded_at", "slate", "metric", "tier", "value", "low", "high", "n"],
        [
            (
                row.recorded_at.strftime("%Y-%m-%d %H:%M:%S"),
                Link(titles[str(row.slate_id)], slate_path(row.slate_id)),
                row.metric.removeprefix("n_").replace("_", " "),
                row.tier,
                int(row.value) if row.metric == "n_hits" else row.value,
                row.low,
                row.high,
                row.n,
            )
            for row in statements.run(connection, "published_figure", {"most": _MOST_UPDATES})
            if str(row.slate_id) in titles
        ],
    )
    return Listing(
        "scoreboard",
        "What each update published",
        "The primary endpoint of each slate and its hits, newest first; a dash where there is no "
        "interval. All figures of all updates, each row chained to the one before by its hash, are "
        "among the downloads."
        if published.values
        else "No figure has been published on the scoreboard yet.",
        published,
    )


def _studies(found: Mapping[str, Sequence[Study]]) -> list[Listing]:
    """Return a list of pages for each kind of study in the store."""
    return [
        Listing(name, *_STUDIES[name], study_pages.listed("index.html", list(studies)))
        for name, studies in found.items()
        if studies
    ]
