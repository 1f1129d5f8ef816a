"""The page of one slate: its results, their uncertainty, and how to check them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from tracker.figures import MATCHED
from tracker.reports import assessment, listing
from tracker.reports.assessment import INCONCLUSIVE, MET, TOO_EARLY
from tracker.reports.kinds import Report
from tracker.reports.listing import Listings
from tracker.reports.pages import sections, slate_listings, slate_verdict
from tracker.reports.pages.comparison_sections import SECTIONS as COMPARISON_SECTIONS
from tracker.reports.pages.lead import Lead, lead_of
from tracker.reports.pages.page import Check, KeyFigure, Page, Panel
from tracker.reports.pages.slate_sections import SECTIONS
from tracker.reports.records import first, only, records
from tracker.reports.words import (
    DATE_MARKS,
    SOURCES,
    UNKNOWN,
    between,
    count,
    joined,
    label,
    percent,
    ratio,
    sentence,
)

_HIT = (
    "A hit is clinical activity: a first trial, a phase advance or an approval of the pair. "
    "It does not prove that the drug works."
)

# The part of the page on how to check it.
AUDIT = "audit"
# The most reasons printed for a pending assessment; its table has all.
_MOST_REASONS = 2

# Sections whose rows are points or lines of another panel.
_DRAWN_WITHIN_OTHERS = ("popularity_baseline", "time_to_event")
# Facts stated in the page's head or provenance.
_FACTS_ELSEWHERE = (
    "description",
    "model_version",
    "is_replay",
    "content_sha256",
    "previous_sha256",
)


def summary(report: Report, assessed: Report | None = None) -> Page:
    """Return the top of a slate's page: verdict, headline figures, and their limits.

    `assessed` is the slate's assessment by its plan from tracker.reports.assessment, whose word is
    then the verdict. If the report has them, sentences are about prospective outcomes and all
    pairs.
    """
    lead = lead_of(report.sections)
    facts = report.facts
    chosen_from = "of novel pairs alone " if facts["left_out"] else ""
    return Page(
        kicker="Track record of a frozen slate",
        question="Is it working?",
        title=": ".join(filter(None, (f"Slate {facts['slate_id'][:8]}", facts["description"]))),
        subtitle=(
            f"{count(facts['n_predictions'], 'prediction')} {chosen_from}by "
            f"{facts['model_version']} for "
            f"{count(facts['n_diseases'], 'disease')}, frozen on {facts['frozen_on']} "
            f"({DATE_MARKS[facts['date_basis']]}). {_covered(facts)}"
        ),
        verdict=slate_verdict.verdict(report, lead, assessed),
        key_figures=_key_figures(report, lead),
        shows=_shows(report, lead),
        limits=_limits(report),
        checks=_checks(facts),
    )


def of_slate(
    connection: Connection, slate: Row[Any], report: Report, as_of: datetime | None = None
) -> Page:
    """Return the page of a slate, assessed by its plan.

    `report` was just built over the same connection, which must have been opened with `as_of`.
    """
    assessed = assessment.assess(connection, slate, as_of, report.found)
    return build(report, listing.read(connection, slate), assessed)


def build(report: Report, listings: Listings, assessed: Report | None = None) -> Page:
    """Return the page of a slate's report and the data behind it, from `summary` down."""
    lead = lead_of(report.sections)
    is_awaiting = _is_awaiting(report)
    entries = [one for one in SECTIONS if one.is_awaiting or not is_awaiting]
    panels = sections.panels(entries, report.sections, lead)
    # Before the first outcome, the little there is fits on the first page.
    is_first = {one.view: one.is_first or is_awaiting for one in entries}
    first_page = [one for one in panels if is_first[one.name]]
    further = [one for one in panels if one not in first_page]
    # Only where the report compares the slate with another.
    first_page = sections.panels(COMPARISON_SECTIONS, report.sections) + first_page
    if assessed is not None:
        (first_page if is_awaiting else further).insert(0, _plan_panel(assessed))
    others = [one for one in report.sections if one.view not in _DRAWN_WITHIN_OTHERS]
    tables = sections.tables(others, first_page + further)
    page = summary(report, assessed)
    predictions = Page(
        "Every prediction",
        "By rank within its disease, with what was known of the pair at the freeze, the date by "
        "which its criterion must be met, and the evidence on record.",
        name="predictions",
        listings=[slate_listings.predictions(report.facts, listings.predictions)],
    )
    figures = Page(
        "Further figures",
        "Every other figure of the report, by tier, rank, popularity, area and source.",
        name="figures",
        panels=further,
        tables=[_of_lead(one, lead) for one in tables],
    )
    audit = Page(
        "Evidence and checks",
        "Where the predictions and outcomes come from, and commands that show that none was "
        "changed.",
        name=AUDIT,
        listings=slate_listings.provenance(listings),
        facts=[*_fact_list(report.facts), *listings.provenance],
        checks=page.checks,
    )
    return replace(
        page,
        panels=first_page,
        listings=slate_listings.hits(report, lead, listings.hits),
        checks=[],
        parts=[predictions, *([figures] if further or tables else []), audit],
    )


def _of_lead(panel: Panel, lead: Lead) -> Panel:
    """Limit the long table of estimates to the page's window and population."""
    if panel.name != "estimate":
        return panel
    return replace(
        panel,
        note=f"{panel.note} Of {lead.adjective} outcomes and {lead.population} pairs; the csv has "
        "all of them.",
        table=only(panel.table, **lead.keys),
    )


def _covered(facts: dict[str, Any]) -> str:
    as_known = f"As known on {facts['as_of'][:10]}. " if facts["as_of"] else ""
    latest, until = facts["latest_outcome_recorded_at"], facts["followed_until"]
    evidence = "" if until is None else f"Evidence up to {until} ({SOURCES[facts['followed_in']]})"
    if latest is None:
        none_yet = "no outcome has been recorded yet."
        return as_known + (f"{evidence}; {none_yet}" if evidence else sentence(none_yet[:-1]))
    if not evidence:
        return f"{as_known}Outcomes from files, recorded up to {latest[:10]}."
    return f"{as_known}{evidence}, recorded {latest[:10]}."


def _plan_panel(assessed: Report) -> Panel:
    section = assessed.sections[0]
    criteria = records(assessed.sections, section.view)
    counted = [
        _counted(role, [one["state"] for one in criteria if one["role"] == role])
        for role in dict.fromkeys(one["role"] for one in criteria)
    ]
    return Panel(
        section.view,
        "Compared with its plan",
        f"{sentence('; '.join(counted))} Verdict: {assessed.facts['overall']}.",
        f"{sentence(section.formula)} The plan: {assessed.facts['plan']}. "
        + " ".join(assessed.warnings[:_MOST_REASONS]),
        section.rows,
    )


def _counted(role: str, states: Sequence[str]) -> str:
    open_ones = "".join(
        f", {states.count(state)} {words}"
        for state, words in ((TOO_EARLY, "too early to judge"), (INCONCLUSIVE, INCONCLUSIVE))
        if state in states
    )
    return f"{states.count(MET)} of {len(states)} {role} criteria met{open_ones}"


def _is_awaiting(report: Report) -> bool:
    """Whether the slate has no outcome on record, so that charts of hits would be empty."""
    return not report.facts["n_outcomes"]


def _awaiting(report: Report, lead: Lead) -> list[KeyFigure]:
    """Return what is known before the first outcome: what is awaited, from whom, and when."""
    facts, rows = report.facts, report.sections
    novel = first(rows, "tier_hit_rate", tier="all", **lead.keys).get("n_predictions")
    status = first(rows, "falsification_summary", tier="all")
    due = status.get("next_due_date")
    sources = dict.fromkeys(one["source"] for one in records(rows, "coverage"))
    return [
        KeyFigure(
            "predictions that wait for an outcome",
            UNKNOWN if novel is None else f"{novel:,}",
            f"of {count(facts['n_predictions'], 'prediction')}"
            + ("; the other pairs were known at the freeze" if lead.kind else ""),
            novel,
        ),
        KeyFigure("verdict due", facts["horizon_ends_on"], "the end of the horizon"),
        KeyFigure(
            "first single prediction due",
            "none" if due is None else str(due),
            f"{count(status['n_open'], 'criterion', 'criteria')} open" if status else "",
        ),
        KeyFigure(
            "evidence in the store",
            joined([SOURCES.get(one, one) for one in sources]) if sources else "none yet",
            "" if sources else "tracker refresh brings it",
        ),
    ]


def _key_figures(report: Report, lead: Lead) -> list[KeyFigure]:
    if _is_awaiting(report):
        return _awaiting(report, lead)
    sections = report.sections
    total = first(sections, "tier_hit_rate", tier="all", **lead.keys)
    high = first(sections, "tier_hit_rate", tier="high", **lead.keys)
    status = first(sections, "falsification_summary", tier="all")
    n_failed = first(sections, "tier_failure", tier="all", **lead.keys).get("n_failed_hits")
    figures = [
        KeyFigure(
            f"{lead.adjective} hits{', novel pairs' if lead.kind else ''}",
            f"{total['n_hits']:,} of {total['n_predictions']:,}" if total else UNKNOWN,
            # The rate's interval, since a count has none.
            "; ".join(
                filter(
                    None,
                    [
                        between(total.get("low"), total.get("high"), of=percent),
                        f"{n_failed:,} failed since" if n_failed else "",
                    ],
                )
            ),
            total.get("n_hits"),
        ),
        KeyFigure(
            "hit rate, high tier",
            percent(high.get("hit_rate")),
            between(high.get("low"), high.get("high"), of=percent),
            high.get("hit_rate"),
            high.get("low"),
            high.get("high"),
        ),
        *[
            _enrichment(report, lead, f"high tier against {name}", metric)
            for name, metric in (
                ("the whole slate", "enrichment_vs_random"),
                ("equally popular drugs", MATCHED),
            )
        ],
    ]
    if status:
        figures.append(
            KeyFigure(
                "each prediction's own criterion",
                f"{status['n_met']:,} met",
                f"{status['n_falsified']:,} falsified, {status['n_open']:,} still open",
                status["n_met"],
            )
        )
    return figures


def _enrichment(report: Report, lead: Lead, name: str, metric: str) -> KeyFigure:
    record = first(report.sections, metric, tier="high", **lead.keys)
    why_not = slate_verdict.why_no_interval(report, lead, metric)
    value = record.get(metric)
    interval = between(record.get("low"), record.get("high"), of=ratio)
    return KeyFigure(
        name,
        "not known" if value is None else f"{ratio(value)} times",
        str(record.get("reason") or "")
        if value is None
        else interval or (f"no interval: {why_not}" if why_not else "1 means no better"),
        value,
        record.get("low"),
        record.get("high"),
    )


def _shows(report: Report, lead: Lead) -> list[str]:
    facts = report.facts
    total = first(report.sections, "tier_hit_rate", tier="all", **lead.keys)
    n_hits = total.get("n_hits", 0)
    n_predictions = total.get("n_predictions", facts["n_predictions"])
    when = (
        "in events dated after the freeze and first public after it"
        if lead.window == "prospective"
        else "in events of any date, past ones included"
    )
    power = facts["power_at_freeze"]
    return [
        f"{n_hits:,} of {count(n_predictions, f'{lead.kind}prediction')} came true {when}.",
        *([f"Stated at the freeze: {power}."] if power and _is_awaiting(report) else []),
        f"The predictions were {_frozen(facts)} and hashed; anyone with the hash can verify that "
        "none has been changed, added or removed since.",
        "Hits are counted for every candidate pair by the same rules, predicted or not, so the "
        "slate is compared with drugs of equal popularity.",
    ]


def _frozen(facts: dict[str, Any]) -> str:
    if facts["date_basis"] != "proved":
        return f"frozen on {facts['frozen_on']} ({DATE_MARKS[facts['date_basis']]})"
    proved_at = facts["proved_at"][:16].replace("T", " ")
    return f"frozen no later than {proved_at} UTC, as {facts['proved_by']} attests,"


def _limits(report: Report) -> list[str]:
    known = records(report.sections, "known_at_freeze", tier="all")
    counts = {record["knowledge"]: record["n_predictions"] for record in known}
    stages = [(one, counts[one]) for one in ("approved", "in trials") if counts.get(one)]
    if not stages:
        return [_HIT, *report.warnings]
    (first, n_first), *others = stages
    words = [f"{count(n_first, 'predicted pair')} {first}", *(f"{n:,} {one}" for one, n in others)]
    left_out = f"Known at the freeze: {', '.join(words)}; the population 'novel' leaves them out."
    return [_HIT, left_out, *report.warnings]


def _fact_list(facts: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (label(name), f"{value:,}" if name.startswith("n_") else str(value))
        for name, value in facts.items()
        if value is not None and name not in _FACTS_ELSEWHERE
    ]


def _checks(facts: dict[str, Any]) -> list[Check]:
    prefix = facts["slate_id"][:8]
    day = (facts["as_of"] or facts["latest_outcome_recorded_at"] or facts["created_at"])[:10]
    return [
        Check(
            "The predictions are those that were frozen: recompute every hash.",
            f"tracker slate verify {prefix}",
        ),
        Check(
            "The same without tracker: export the slate, then the ten lines of "
            "docs/guides/publishing.md.",
            f"tracker slate export {prefix} exported/",
        ),
        Check(
            "A figure: each is a view, shown with its definition.",
            f"tracker view {MATCHED}",
        ),
        Check(
            "The page: the same store and day give the same file, byte for byte.",
            f"tracker report {prefix} --as-of {day} --format html -o again.html",
        ),
    ]
