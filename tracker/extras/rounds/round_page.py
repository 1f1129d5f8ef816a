"""The page of a round: who predicts best and how sure that is; at first, what is detectable."""

from collections.abc import Sequence

from tracker.extras.rounds.board import PAIRS, POWER, VIEW
from tracker.reports.kinds import Report
from tracker.reports.leaderboard import limits
from tracker.reports.pages import sections, standings
from tracker.reports.pages.figures import Curves, Point, Scale
from tracker.reports.pages.page import Check, Listing, Page, Verdict
from tracker.reports.pages.sections import Drawing, PageSection
from tracker.reports.records import Record, Section, records
from tracker.reports.words import count, joined, percent

_FACTS = {
    "question_sha256": "SHA-256 of question.json",
    "deadline": "deadline",
    "labels_as_of": "labels as of",
    "embargo_until": "embargo until",
    "horizon_ends_on": "horizon ends on",
    "reported_on": "as of",
}
# Only tables have more.
_MOST_PAIRS, _MOST_LINES = 20, 5


def build(report: Report) -> Page:
    """Return the page of a round."""
    facts = report.facts
    panels = sections.panels(SECTIONS, report.sections)
    entries = records(report.sections, VIEW)
    is_open, name = facts["state"] == "open", facts["round_id"]
    return Page(
        kicker="Round, a replay" if facts["is_replay"] else "Round",
        title=str(name),
        subtitle=f"{count(facts['n_diseases'], 'disease')}, {count(facts['n_drugs'], 'drug')}, "
        f"lists of {facts['top_k']:,} for each disease. {_deposits(report)}",
        question="What could be detected?"
        if is_open
        else "Who predicts best, and how sure is that?",
        verdict=_open(report) if is_open else _verdict(report, entries),
        key_figures=[
            standings.key_figure(f"block {one['block']}: {one['entry_name']}", one)
            for one in entries[:3]
            if not is_open and one.get("block") is not None
        ],
        shows=report.facts["verdicts"],
        limits=[
            "A hit is clinical activity. It does not prove that the drug works.",
            *report.warnings,
        ],
        panels=panels,
        tables=sections.tables(report.sections, panels),
        facts=[(words, _fact(facts[key])) for key, words in _FACTS.items() if facts[key]],
        lead=None if is_open else _board(report),
        checks=[
            Check("Every figure again, from the store.", f"tracker round board {name}"),
            Check("A figure's definition.", f"tracker view {VIEW}"),
            Check("The log still has all that an older head covers.", "tracker verify head.json"),
        ],
    )


def _fact(value: object) -> str:
    """Return a fact as readers see it: instants without fractions of a second."""
    text = str(value)
    return f"{text[:16].replace('T', ' ')} UTC" if text[10:11] == "T" else text


def _deposits(report: Report) -> str:
    facts = report.facts
    return (
        f"{count(facts['deposits'], 'deposit')} of {count(facts['teams'], 'team')}"
        f"{', preliminary' if facts['is_preliminary'] and facts['state'] != 'open' else ''}."
    )


def _open(report: Report) -> Verdict:
    """Return what the question says is detectable with its own lists in one and three years."""
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


def _verdict(report: Report, entries: Sequence[Record]) -> Verdict:
    sentences = report.facts["verdicts"]
    first = [one for one in entries if one.get("block") == 1]
    if not first:
        return Verdict("Not known yet", sentences[0], "")
    leader = first[0]
    equal = [one["entry_name"] for one in first if one["enrichment"] == leader["enrichment"]]
    how_sure = f"{limits(leader)} times the hits of equally popular drugs."
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


def _board(report: Report) -> Listing | None:
    """Return the board as texts have it: blocks, hits and expected hits, certainty."""
    if not records(report.sections, VIEW, entry_kind="team"):
        return None
    section = next(one for one in report.sections if one.view == VIEW)
    return Listing("board", "The board", f"{section.notes[0]}.", section.text_table or section.rows)


def _standings(found: Sequence[Section]) -> Drawing | None:
    return standings.drawing(
        "Above 1 an entry found more than equally popular drugs would have.",
        records(found, VIEW),
        lambda one: str(one["entry_name"]),
        lambda one: "team" if one["entry_kind"] == "team" else "baseline",
        lambda one: (
            f"{one['n_hits']:,} hits"
            + (f", block {one['block']}" if one["block"] is not None else "")
        ),
    )


def _pairs(found: Sequence[Section]) -> Drawing | None:
    rows = records(found, PAIRS)
    return None if len(rows) > _MOST_PAIRS else standings.pairs(rows, "entry", "entry_name")


def _months(found: Sequence[Section]) -> Drawing | None:
    # The first teams, the combined list, and the list of the most popular drugs.
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
    ),
    PageSection(
        PAIRS,
        "Pairs of teams",
        "How many times as enriched the first entry of a pair is. What the lists share is taken "
        "into account.",
        _pairs,
    ),
    PageSection(
        "hits_by_month",
        "By month",
        "Hits of the primary endpoint: of the first teams, of all teams together, and of the most "
        "popular drugs.",
        _months,
    ),
    PageSection(
        POWER,
        "What could be detected",
        "As stated when the round was opened, from what became known in the years before; lists "
        "are as those of the baseline random.",
        _power,
    ),
)
