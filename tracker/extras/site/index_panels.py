"""The panels of the index: the slates' verdicts, their hits over time, and the models compared."""

import math
from collections import Counter
from collections.abc import Sequence

from tracker.extras.site.layout import slate_path
from tracker.extras.site.slate_pages import Summary
from tracker.figures import MATCHED
from tracker.reports import assessment, enrichment
from tracker.reports.kinds import Report
from tracker.reports.leaderboard import VIEW
from tracker.reports.pages import leaderboard_page, states
from tracker.reports.pages.figures import Estimate, Intervals, Mark, Scale
from tracker.reports.pages.page import Dumbbell, Link, Multiple, Panel, Verdict
from tracker.reports.records import records
from tracker.reports.words import count, joined, ratio
from tracker.rows import Rows

# With more charts the index would load slowly; the table has all slates.
_MOST_ROWS = 40
_MOST_MULTIPLES = 12
_MOST_NAMED = 3

SLATES = "#slates"

_OWN_BASELINE = (
    " Where almost all comparable drugs are predicted, the dot shows observed over expected hits, "
    "the slate's own included."
)
_VERBS = {"works": "work", "does not work": "do not work"}


def verdict(summaries: Sequence[Summary]) -> Verdict | None:
    """Return the verdict of a single slate, else how many slates are in each state."""
    if len(summaries) <= 1:
        return summaries[0].verdict if summaries else None
    counted = Counter(one.state for one in summaries)
    parts = [
        f"{counted[one.series]} {_predicate(one.series, counted[one.series])}"
        for one in states.STYLES
        if counted[one.series]
    ]
    prospective = [one for one in summaries if one.state != states.REPLAY]
    limits = [
        (one.endpoint["low"], one.endpoint["high"])
        for one in prospective
        if one.endpoint.get("low") is not None
    ]
    return Verdict(
        f"Of {count(len(summaries), 'slate')}, {joined(parts)}",
        f"{_best(summaries)}Each slate is judged by the plan frozen with it.",
        _certainty(limits, len(prospective) - len(limits)),
    )


def kicker(summaries: Sequence[Summary]) -> str:
    """Describe the slates of a site, claiming no foresight for replays."""
    n_replays = sum(one.state == states.REPLAY for one in summaries)
    if not n_replays:
        return "Predictions frozen before their outcomes were known"
    if n_replays == len(summaries):
        return "Predictions replayed at past dates, with hindsight"
    return (
        f"Predictions frozen before their outcomes were known, and {count(n_replays, 'replay')} "
        "made with hindsight"
    )


def followed(summaries: Sequence[Summary]) -> str:
    """Return the day up to which evidence follows the slates; empty without a release."""
    days = sorted({one.followed_until for one in summaries if one.followed_until})
    if not days:
        return ""
    return f"Evidence up to {days[0] if len(days) == 1 else f'{days[0]} to {days[-1]}'}."


def _best(summaries: Sequence[Summary]) -> str:
    """Name the slates that work, the latest first, each with its enrichment and interval."""
    rows = _rows(summaries)
    working = [
        f"{rows[one.slate_id]}{times and f', with {times}'}"
        for one in reversed(summaries)
        if one.state == assessment.WORKS
        for times in [enrichment.times(one.endpoint, " the hits of equally popular drugs")]
    ]
    if not working:
        return ""
    more = len(working) - _MOST_NAMED
    named = working[:_MOST_NAMED] + ([f"{more} more"] if more > 0 else [])
    return f"Met its plan: {joined(named)}. "


def _certainty(limits: Sequence[tuple[float, float]], n_without: int) -> str:
    """Say on which side of 1 the intervals of slates lie."""
    if not limits and not n_without:
        return "Every slate is a replay: no figure shows that a model foresaw anything."
    if not limits:
        return "No prospective slate has an interval yet, so skill cannot be told from chance."
    above = sum(low > 1 for low, _ in limits)
    below = sum(high < 1 for _, high in limits)
    sides = [
        (above, "above 1"),
        (below, "below 1"),
        (len(limits) - above - below, "on both sides of 1"),
    ]
    told = joined([f"{side} for {count(number, 'slate')}" for number, side in sides if number])
    verb = "has" if n_without == 1 else "have"
    rest = f"; {count(n_without, 'slate')} {verb} no interval" if n_without else ""
    return (
        "At 1 a slate does no better than equally popular drugs. The 95% interval lies "
        f"{told}{rest}."
    )


def _predicate(state: str, number: int) -> str:
    if state in _VERBS:
        return state if number == 1 else _VERBS[state]
    verb = "is" if number == 1 else "are"
    if state == states.REPLAY:
        return f"{verb} made with hindsight"
    return f"{verb} {'too early to judge' if state == 'too early' else state}"


def verdicts(summaries: Sequence[Summary]) -> Panel:
    """Return one chart of the slates' intervals and states."""
    shown = summaries[-_MOST_ROWS:]
    n_hidden = len(summaries) - len(shown)
    rows = _rows(shown)
    estimates = tuple(
        Estimate(
            rows[one.slate_id],
            one.state,
            _drawn(one),
            one.endpoint.get("low"),
            one.endpoint.get("high"),
            _note(one),
        )
        for one in shown
    )
    return Panel(
        "verdicts",
        "Slate by slate",
        "",
        "A dot is how many times as often the predictions of a slate's primary endpoint came true "
        "as equally popular drugs, a line its 95% interval. On the dashed line the slate does no "
        "better than popularity."
        + (_OWN_BASELINE if any(map(_is_own, shown)) else "")
        + (f" The {len(shown)} slates recorded last; the table above has all." if n_hidden else ""),
        Rows(
            ["slate", "state", "enrichment", "low", "high", "hits", "expected_hits", "tier"],
            [
                (
                    Link(one.title, slate_path(one.slate_id)),
                    one.state,
                    *[
                        one.endpoint.get(name)
                        for name in (MATCHED, "low", "high", "n_hits", "expected_hits", "tier")
                    ],
                )
                for one in shown
            ],
        ),
        Intervals(
            estimates,
            Scale("enrichment (times equally popular drugs)", ",.2~f", is_ratio=True),
            Mark(1, "no better"),
            states.STYLES,
        ),
        "Dots around a line at 1, one row per slate. "
        + "; ".join(f"{one.row}, {one.series}: {one.note}" for one in estimates)
        + ".",
    )


def _rows(summaries: Sequence[Summary]) -> dict[str, str]:
    """Name each slate by model and date of its freeze, and by its id if these are not unique."""
    names = {one.slate_id: f"{one.model_version}, {one.frozen_on}" for one in summaries}
    counted = Counter(names.values())
    return {
        slate_id: name if counted[name] == 1 else f"{slate_id[:8]} {name}"
        for slate_id, name in names.items()
    }


def _value(one: Summary) -> float:
    value = enrichment.of(one.endpoint)
    return math.nan if value is None else value


def _drawn(one: Summary) -> float:
    """Return the enrichment; observed over expected where predictions are their own baseline."""
    observed = one.endpoint.get("observed_vs_expected")
    return float(observed) if _is_own(one) and observed is not None else _value(one)


def _is_own(one: Summary) -> bool:
    return one.state == assessment.EXPLAINED and math.isnan(_value(one))


def _note(one: Summary) -> str:
    value = _drawn(one)
    if math.isnan(value):
        return "not known"
    return f"{ratio(value)}{' of expected' if _is_own(one) else ''}"


def hits_over_time(summaries: Sequence[Summary]) -> Panel | None:
    """Return a small chart for each slate of its monthly hits and expected hits."""
    drawn = [one for one in summaries if one.months is not None and one.months.figure is not None]
    if not drawn:
        return None
    shown = drawn[-_MOST_MULTIPLES:]
    n_waiting = len(summaries) - len(drawn)
    left_out = [
        *([f"Of {count(n_waiting, 'slate')} nothing is expected yet."] if n_waiting else []),
        *([f"The {len(shown)} slates recorded last."] if len(shown) < len(drawn) else []),
    ]
    return Panel(
        "hits_over_time",
        "Hits over time",
        "",
        " ".join(
            [
                "Predictions of the primary endpoint that had come true by the end of each month "
                "since the freeze, and the hits that as many equally popular drugs had by then. "
                "Where in the last month the band, a 95% interval, lies above the expected hits, "
                "the predictions did better. Each chart has its own scale.",
                *left_out,
            ]
        ),
        Rows(
            ["slate", "finding"],
            [
                (Link(one.title, slate_path(one.slate_id)), one.months.finding)
                for one in shown
                if one.months
            ],
        ),
        multiples=tuple(
            Multiple(
                Link(one.title, slate_path(one.slate_id)),
                one.months.figure,
                one.months.alternative,
            )
            for one in shown
            if one.months and one.months.figure
        ),
    )


def models(report: Report) -> Panel | None:
    """Return the models over all their slates, ranked, beside the lists that need no model."""
    table = next((one.text_table for one in report.sections if one.view == VIEW), None)
    if table is None:
        return None
    standings = records(report.sections, VIEW)
    compared = leaderboard_page.build(report).verdict
    hits = dumbbells([(one["n_hits"], one["expected_hits"]) for one in standings])
    return Panel(
        "models",
        "Models compared",
        f"{compared.word}. {compared.certainty}".strip() if compared else "",
        "A full dot is the hits of a model over its slates, an open one those of as many equally "
        "popular drugs. The last columns are the hits of lists as long that need no model: of the "
        "most popular drugs, by the degree product and by chance, from the same candidates. "
        + " ".join(report.warnings),
        Rows(
            [*table.columns[:4], "against_expected", *table.columns[4:]],
            [
                (rank, Link(model, SLATES), *row[:2], drawn, *row[2:])
                for (rank, model, *row), drawn in zip(table.values, hits, strict=True)
            ],
        ),
    )


def dumbbells(counts: Sequence[tuple[int | None, float | None]]) -> list[Dumbbell | None]:
    """Return hits found and expected as drawings on one scale, None for a pair with an unknown."""
    most = max((value for pair in counts for value in pair if value is not None), default=0) or 1
    return [
        None if found is None or expected is None else Dumbbell(found, expected, most)
        for found, expected in counts
    ]
