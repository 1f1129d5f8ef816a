"""The page of a round: who predicts best and how sure that is; before, what could be seen."""

from collections.abc import Sequence

from tracker.extras.rounds.board import PAIRS, POWER, VIEW
from tracker.reports.kinds import Report
from tracker.reports.pages import sections
from tracker.reports.pages.figures import Curves, Estimate, Mark, Point, Scale
from tracker.reports.pages.page import Check, KeyFigure, Listing, Page, Verdict
from tracker.reports.pages.sections import Drawing, PageSection, dots, of_pairs
from tracker.reports.records import Record, Section, records
from tracker.reports.words import NOTHING, between, count, joined, percent, ratio, with_limits
from tracker.rows import Rows

_ENRICHMENT = Scale("enrichment (times equally popular drugs)", ",.2~f", is_ratio=True)
_FACTS = {
    "question_sha256": "SHA-256 of question.json",
    "deadline": "deadline",
    "labels_as_of": "labels as of",
    "embargo_until": "embargo until",
    "horizon_ends_on": "horizon ends on",
    "reported_on": "as of",
}
# More are in tables alone.
_MOST_PAIRS, _MOST_LINES = 20, 5


def build(report: Report) -> Page:
    """Return the page of a round."""
    facts = report.facts
    panels = sections.panels(SECTIONS, report.sections)
    standings = records(report.sections, VIEW)
    is_open, name = facts["state"] == "open", facts["round_id"]
    return Page(
        kicker="Round, a replay" if facts["is_replay"] else "Round",
        title=str(name),
        subtitle=f"{count(facts['n_diseases'], 'disease')}, {count(facts['n_drugs'], 'drug')}, "
        f"lists of {facts['top_k']:,} for each disease. {_deposits(report)}",
        question="What could be detected?"
        if is_open
        else "Who predicts best, and how sure is that?",
        verdict=_open(report) if is_open else _verdict(report, standings),
        key_figures=[] if is_open else _key_figures(standings),
        shows=report.facts["verdicts"],
        limits=[
            "A hit is clinical activity. It does not prove that the drug works.",
            *report.warnings,
        ],
        panels=panels,
        tables=sections.tables(report.sections, panels),
        facts=[(words, _fact(facts[key])) for key, words in _FACTS.items() if facts[key]],
        lead=None if is_open else _board(standings),
        checks=[
            Check("Every figure again, from the store.", f"tracker round board {name}"),
            Check("A figure's definition.", f"tracker view {VIEW}"),
            Check("The log still has all that an older head covers.", "tracker verify head.json"),
        ],
    )


def _fact(value: object) -> str:
    """Return a fact as a reader takes it: instants without fractions of a second."""
    text = str(value)
    return f"{text[:16].replace('T', ' ')} UTC" if text[10:11] == "T" else text


def _deposits(report: Report) -> str:
    facts = report.facts
    return (
        f"{count(facts['deposits'], 'deposit')} of {count(facts['teams'], 'team')}"
        f"{', preliminary' if facts['is_preliminary'] and facts['state'] != 'open' else ''}."
    )


def _open(report: Report) -> Verdict:
    """Return what the question says could be detected, in its own lists within a year and three."""
    facts, rows = report.facts, records(report.sections, POWER)
    known = [one for one in rows if one.get("power") is not None]
    if not known:
        reason = rows[0].get("reason") if rows else "nothing is known of the past"
        return Verdict("Not known", f"What could be detected is not known: {reason}.", "")
    length = min({one["list_length"] for one in known}, key=lambda n: abs(n - facts["top_k"]))
    chosen = [one for one in known if one["list_length"] == length]
    own = {(one["n_teams"], one["years"]): one["power"] for one in chosen}
    teams = sorted({n for n, _ in own})[1]
    return Verdict(
        f"A lift of two: {percent(own[teams, 1])} within a year",
        f"Of {teams} teams with {length} novel predictions for each disease, one whose true hits "
        f"are twice those of equally popular drugs is told from chance with probability "
        f"{percent(own[teams, 1])} within a year and {percent(own[teams, 3])} within three.",
        f"Open until {facts['deadline'][:16].replace('T', ' ')} UTC.",
    )


def _verdict(report: Report, standings: Sequence[Record]) -> Verdict:
    sentences = report.facts["verdicts"]
    first = [one for one in standings if one.get("block") == 1]
    if not first:
        return Verdict("Not known yet", sentences[0], "")
    leader = first[0]
    equal = [one["entry_name"] for one in first if one["enrichment"] == leader["enrichment"]]
    limits = with_limits(
        leader["enrichment"], leader["enrichment_low"], leader["enrichment_high"], of=ratio
    )
    how_sure = f"{limits} times the hits of equally popular drugs."
    if len(first) == 1:
        return Verdict(f"{leader['entry_name']} predicts best", sentences[0], how_sure)
    if len(equal) > 1:
        return Verdict(f"{joined(equal)} lead together", sentences[0], how_sure)
    return Verdict(
        f"{leader['entry_name']} leads, but cannot be told apart from "
        f"{count(len(first) - 1, 'other entry', 'other entries')}",
        sentences[0],
        how_sure,
    )


def _key_figures(standings: Sequence[Record]) -> list[KeyFigure]:
    return [
        KeyFigure(
            f"block {one['block']}: {one['entry_name']}",
            f"{ratio(one['enrichment'])} times",
            between(one["enrichment_low"], one["enrichment_high"], of=ratio),
            one["enrichment"],
            one["enrichment_low"],
            one["enrichment_high"],
        )
        for one in standings[:3]
        if one.get("block") is not None
    ]


def _board(standings: Sequence[Record]) -> Listing | None:
    """Return the board as a table: blocks, hits beside those expected, and how sure that is."""
    if not any(one["entry_kind"] == "team" for one in standings):
        return None
    rows = [
        (
            NOTHING if one["block"] is None else one["block"],
            one["entry_name"],
            f"{one['n_hits']:,} of {one['n_predictions']:,}",
            NOTHING if one["expected_hits"] is None else f"{one['expected_hits']:,.1f}",
            with_limits(one["enrichment"], one["enrichment_low"], one["enrichment_high"], of=ratio),
            f"{one['n_listed_diseases']:,} of {one['n_diseases']:,}",
            f"{one['n_pending']:,}",
        )
        for one in standings
    ]
    columns = ["block", "entry", "hits", "expected", "times (95%)", "diseases", "pending"]
    return Listing(
        "board",
        "The board",
        "Entries without a block are no team's, or cannot be compared. Times is hits against those "
        "of equally popular drugs, diseases left out as misses.",
        Rows(columns, [*rows]),
    )


def _standings(found: Sequence[Section]) -> Drawing | None:
    rows = [one for one in records(found, VIEW) if one["enrichment"] is not None]
    if not rows:
        return None
    return dots(
        "Above 1 an entry found more than equally popular drugs would have.",
        [
            Estimate(
                one["entry_name"],
                "team" if one["entry_kind"] == "team" else "baseline",
                one["enrichment"],
                one["enrichment_low"],
                one["enrichment_high"],
                f"{one['n_hits']:,} hits"
                + (f", block {one['block']}" if one["block"] is not None else ""),
            )
            for one in rows
        ],
        _ENRICHMENT,
        Mark(1.0, "equal"),
    )


def _pairs(found: Sequence[Section]) -> Drawing | None:
    rows = [one for one in records(found, PAIRS) if one["enrichment_ratio"] is not None]
    if not rows or len(rows) > _MOST_PAIRS:
        return None
    return of_pairs("entry", "entry_name", rows)


def _months(found: Sequence[Section]) -> Drawing | None:
    # The first teams, what all say together, and what the most popular drugs would have had.
    teams = [one["entry_name"] for one in records(found, VIEW, entry_kind="team")]
    names = {*teams[:_MOST_LINES], "all teams", "popularity"}
    rows = [one for one in records(found, "hits_by_month") if one["entry_name"] in names]
    if not rows or not teams:
        return None
    return Drawing(
        "Hits by the end of each month since the deadline.",
        Curves(
            tuple(Point(one["entry_name"], one["month"], one["n_hits"]) for one in rows),
            Scale("months since the deadline", ",d", low=0),
            Scale("hits", ",d", low=0),
            has_dots=False,
        ),
        [f"{one['entry_name']}, month {one['month']}: {one['n_hits']}" for one in rows],
    )


def _power(found: Sequence[Section]) -> Drawing | None:
    rows = [one for one in records(found, POWER) if one.get("power") is not None]
    if not rows:
        return None
    teams = sorted({one["n_teams"] for one in rows})[1]
    shown = [one for one in rows if one["n_teams"] == teams]
    return Drawing(
        f"The chance that one of {teams} teams is seen to find twice as much as equally popular "
        "drugs.",
        Curves(
            tuple(
                Point(f"lists of {one['list_length']}", one["years"], one["power"]) for one in shown
            ),
            Scale("years since the deadline", ",d", ticks=(1, 2, 3)),
            Scale("probability", ".0%", 0, 1),
        ),
        [
            f"lists of {one['list_length']}, {count(one['years'], 'year')}: {percent(one['power'])}"
            for one in shown
        ],
    )


SECTIONS = (
    PageSection(
        VIEW,
        "The board",
        "Hits against those of equally popular drugs, diseases left out as misses. Lines are 95% "
        "intervals by drug and disease. Teams of one block cannot be told apart, or are linked by "
        "others that cannot.",
        _standings,
        "Dots around a line at 1, one row per entry.",
    ),
    PageSection(
        PAIRS,
        "Pairs of teams",
        "How many times as enriched the first entry of a pair is. What the lists share is taken "
        "into account.",
        _pairs,
        "Dots around a line at 1, one row per pair.",
    ),
    PageSection(
        "hits_by_month",
        "By month",
        "Hits of the primary endpoint: of the first teams, of all teams together, and of the most "
        "popular drugs.",
        _months,
        "A line for each entry.",
    ),
    PageSection(
        POWER,
        "What could be detected",
        "As stated when the round was opened, from what became known in the years before; lists "
        "are as those of the baseline random.",
        _power,
        "A line for each list length.",
    ),
)
