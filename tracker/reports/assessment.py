"""Assesses a slate by its plan: a state per criterion and one word for the slate."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, text

from tracker.figures import COUNTS, ENRICHMENTS, MATCHED, estimate_keys
from tracker.reports import dates, horizon, slate_warnings
from tracker.reports.dates import require_frozen
from tracker.reports.horizon import Moment
from tracker.reports.kinds import Report
from tracker.reports.records import Section
from tracker.reports.uncertainty import Uncertainty
from tracker.reports.words import beside, limit
from tracker.rows import Rows
from tracker.slates import plans
from tracker.slates.criteria import Criterion
from tracker.slates.plans import Plan
from tracker.uncertainty import estimates
from tracker.uncertainty.estimates import MOST_OWN_SHARE, Estimate

MET, NOT_MET = "met", "not met"
WORKS, DOES_NOT_WORK, EXPLAINED = "works", "does not work", "explained by popularity"
INCONCLUSIVE, TOO_EARLY = "inconclusive", "too early"
# Precedes the verdict on a slate made with hindsight.
REPLAY = "replay"
_OPEN = {TOO_EARLY: "Too early to say", INCONCLUSIVE: "Undecided"}

# The primary endpoint with other hits, by the evidence that these need. The weakest kind of match
# and the plan's own setting include all hits, which are judged in any case.
_SENSITIVITY = {
    "match_kind_enrichment": text(
        "select match_kind_enrichment.*, 'the kinds of match' as basis, "
        "concat('of the kind ''', match_kind_enrichment.match_kind, ''' and stronger alone') "
        "as hits "
        "from match_kind_enrichment inner join shown_match_kind using (slate_id, strength) "
        "where slate_id = :slate_id and not is_weakest order by strength"
    ),
    "study_setting_enrichment": text(
        "select *, 'which studies count' as basis, "
        "if(study_setting = 'every study', 'of every study', 'of treatment alone') as hits "
        "from study_setting_enrichment "
        "where slate_id = :slate_id and study_setting <> 'plan' order by study_setting"
    ),
    "enrichment_by_dating": text(
        "select *, 'what dates the evidence' as basis, "
        "'that are dated by more than the release of ChEMBL' as hits "
        "from enrichment_by_dating where slate_id = :slate_id and dating = 'dated'"
    ),
    "information_enrichment": text(
        "select *, 'how much each hit counts' as basis, 'by their information' as hits "
        "from information_enrichment where slate_id = :slate_id and weighting = 'information'"
    ),
}

# Replaces the ratio where the predictions are their own baseline.
_OBSERVED = text(
    f"from {MATCHED} select evidence_window, population, tier, observed_vs_expected "
    "where slate_id = :slate_id and own_share > :most"
)

# Hits of the primary endpoint that rest on a change of ChEMBL alone.
_UNDATED = text(
    "select max(n_hits) - min(n_hits) from enrichment_by_dating where slate_id = :slate_id"
)
_BY_DATING = "enrichment_by_dating"

_COLUMNS = [
    "role",
    "criterion",
    "state",
    "tier",
    "evidence_window",
    "population",
    "value",
    "low",
    "high",
    "p_adjusted",
    "reason",
]


FigureKey = tuple[str, str, str, str]


class _Figure(NamedTuple):
    """A value of a view, or the reason for its absence.

    `observed` is observed over expected where the predictions are their own baseline.
    """

    value: float | None
    reason: str | None
    observed: float | None = None


@dataclass(frozen=True)
class Judged:
    """A criterion with its figure, interval, state and, if any, the reason."""

    role: str
    criterion: Criterion
    value: float | None
    estimate: Estimate | None
    state: str
    reason: str | None


def assess(
    connection: Connection,
    slate: Row[Any],
    as_of: datetime | None = None,
    found: Uncertainty | None = None,
) -> Report:
    """Return the assessment of a slate as a report of one section, a row per criterion.

    The fact `overall` is 'works' if every success criterion is met and no failure criterion is,
    'does not work' if a failure criterion is met, 'explained by popularity' if the predictions are
    their own baseline, 'too early' while evidence that the verdict waits for can come, else
    'inconclusive'; 'replay: ' precedes it if the slate was made with hindsight. Warnings give the
    reasons. `by_dated_evidence` is the verdict without the `n_undated_hits` that only a release of
    ChEMBL dates, if it differs. `found` are the slate's estimates, if just read over the same
    connection, which must have been opened with `as_of`; InputRefused if the slate did not exist
    then. Inside `scope.of_slates`.
    """
    require_frozen(slate, as_of)
    slate_plan = plans.of_slate(slate)
    moment = Moment.of_slate(connection, slate)
    found = found or Uncertainty.of(connection, slate)
    observed = {
        (MATCHED, *key): value
        for *key, value in connection.execute(
            _OBSERVED, {"slate_id": str(slate.slate_id), "most": MOST_OWN_SHARE}
        )
    }
    figures = {
        key: _Figure(row.value, row.reason, observed.get(key)) for key, row in found.figures.items()
    }
    # Pairs share diseases, so the interval by disease decides.
    intervals = {
        estimates.figure_key(estimate): estimate
        for estimate in found.estimates
        if not estimate.row_key
    }
    reasons_to_wait = moment.reasons_to_wait(slate_plan.plan)
    judged = _judge(slate_plan.plan, figures, intervals, reasons_to_wait)
    overall, reasons = _overall(judged, reasons_to_wait)
    differing = []
    by_dated = None
    for row, key, figure, estimate in _with_other_hits(connection, slate, found):
        otherwise = _judge(
            slate_plan.plan,
            {**figures, key: figure},
            {**intervals, key: estimate},
            reasons_to_wait,
        )
        verdict, _ = _overall(otherwise, reasons_to_wait)
        if verdict != overall:
            named = _named(slate, verdict)
            if estimate.view_name == _BY_DATING:
                by_dated = named
            differing.append(
                f"The verdict depends on {row.basis}: it is '{named}' by hits {row.hits} "
                f"({estimate.view_name})."
            )
    facts = {
        "slate_id": str(slate.slate_id),
        "description": slate.description,
        "frozen_on": slate.frozen_on.isoformat(),
        **dates.of_slate(connection, slate).facts,
        "overall": _named(slate, overall),
        "by_dated_evidence": by_dated,
        "n_undated_hits": connection.execute(_UNDATED, {"slate_id": str(slate.slate_id)}).scalar(),
        **slate_warnings.given_hits(connection, slate),
        "plan": slate_plan.origin,
        "primary_endpoint": slate_plan.plan.primary.words,
        "horizon_ends_on": moment.horizon_ends_on.isoformat(),
        "n_refreshes": moment.n_refreshes,
        "min_refreshes": slate_plan.plan.min_refreshes,
        "intervals": found.origin,
        "as_of": as_of.isoformat() if as_of else None,
    }
    if overall == INCONCLUSIVE:
        reasons += estimates.detectable(connection, slate, slate_plan.plan.primary.tier)
    if slate.is_replay:
        reasons.insert(0, "Replay: made with hindsight, so not a prospective test")
    warnings = [f"{reason}." for reason in reasons]
    # Whether outcomes can be trusted comes before their dates.
    warnings += slate_warnings.of_outcomes(connection, slate)
    warnings += horizon.warnings(connection, slate, slate_plan.plan, moment)
    warnings += differing
    return Report(facts, warnings, [_section(judged)])


def word(facts: Mapping[str, Any]) -> str:
    """Return the verdict of an assessment with these facts, without the mark of a replay."""
    return str(facts["overall"]).removeprefix(f"{REPLAY}: ")


def caveats(facts: Mapping[str, Any]) -> str:
    """Return what a reader must know before the numbers, trust before dates; empty if nothing."""
    told = []
    if facts["n_recorded_hits"] and facts["n_given_hits"] == facts["n_recorded_hits"]:
        told.append("Every hit rests on files alone")
    if facts["by_dated_evidence"]:
        told.append(f"By dated evidence alone: {facts['by_dated_evidence']}")
    return "".join(f"{one}. " for one in told)


def _named(slate: Row[Any], verdict: str) -> str:
    return f"{REPLAY}: {verdict}" if slate.is_replay else verdict


def _with_other_hits(
    connection: Connection, slate: Row[Any], found: Uncertainty
) -> Iterator[tuple[Row[Any], FigureKey, _Figure, Estimate]]:
    """Yield the primary endpoint with other hits than the plan's, each with its enrichment."""
    for view, rows in _SENSITIVITY.items():
        keys = estimate_keys(view)
        intervals = {
            tuple(one.row_key[name] for name in keys): one
            for one in found.estimates
            if one.view_name == view
        }
        for row in connection.execute(rows, {"slate_id": str(slate.slate_id)}):
            estimate = intervals.get(tuple(getattr(row, name) for name in keys))
            if estimate is None:
                continue
            key = (MATCHED, row.evidence_window, row.population, row.tier)
            is_own = row.own_share is not None and row.own_share > MOST_OWN_SHARE
            observed = row.observed_vs_expected if is_own else None
            yield row, key, _Figure(row._mapping[MATCHED], row.reason, observed), estimate


def _judge(
    plan: Plan,
    figures: Mapping[FigureKey, _Figure],
    intervals: Mapping[FigureKey, Estimate],
    reasons_to_wait: list[str],
) -> list[Judged]:
    judged = []
    for role, criteria in (("success", plan.success), ("failure", plan.failure)):
        for criterion in criteria:
            figure = figures.get(
                criterion.figure, _Figure(None, "the slate has no predictions in the tier")
            )
            estimate = intervals.get(criterion.figure)
            state, reason = _state(criterion, figure, estimate, reasons_to_wait, plan.success_bar)
            if state in (MET, NOT_MET):
                reason = _near_bound(criterion, figure.value, estimate)
            judged.append(Judged(role, criterion, figure.value, estimate, state, reason))
    return judged


def _state(
    criterion: Criterion,
    figure: _Figure,
    estimate: Estimate | None,
    reasons_to_wait: list[str],
    bar: float,
) -> tuple[str, str | None]:
    """Return the state of a criterion, and the reason if it is undecided."""
    value, why_not, observed = figure
    undecided = TOO_EARLY if reasons_to_wait else INCONCLUSIVE
    if observed is not None and not reasons_to_wait and 0 < observed < bar:
        # Further hits cannot tell such predictions from their popularity.
        return EXPLAINED, why_not
    if value is None:
        return undecided, why_not
    is_met = criterion.is_met_by(value)
    is_lower_bound = criterion.comparison in ("at_least", "above")
    # Once a count reaches a lower bound, no later evidence undoes it.
    if criterion.metric in COUNTS and is_met == is_lower_bound:
        return (MET if is_met else NOT_MET), None
    if reasons_to_wait:
        return TOO_EARLY, "; ".join(reasons_to_wait)
    if criterion.by == "interval":
        return _state_by_interval(criterion, estimate)
    if criterion.metric in ENRICHMENTS and estimate is not None:
        if estimate.low is None or estimate.high is None:
            return INCONCLUSIVE, f"no interval: {estimate.reason}"
        if estimate.low <= 1 and estimate.high >= bar:
            span = _span(estimate.low, estimate.high)
            return INCONCLUSIVE, f"{span} contains both 1 and {bar:.15g}"
    return (MET if is_met else NOT_MET), None


def _near_bound(criterion: Criterion, value: float | None, estimate: Estimate | None) -> str | None:
    """Return what decided a criterion in full where a table may show it as the bound."""
    deciding = {"the value": value}
    if criterion.by == "interval":
        deciding = {"low": getattr(estimate, "low", None), "high": getattr(estimate, "high", None)}
    bound = criterion.bound
    near = [
        f"{name} is {beside(number, bound, limit)}, not {bound:g}"
        for name, number in deciding.items()
        if number not in (None, bound) and f"{number:.2g}" == f"{bound:.2g}"
    ]
    return ", ".join(near) or None


def _state_by_interval(criterion: Criterion, estimate: Estimate | None) -> tuple[str, str | None]:
    """Return the state that both ends of the interval imply, inconclusive if they differ."""
    if estimate is None or estimate.low is None or estimate.high is None:
        reason = estimate.reason if estimate is not None else "none was computed"
        return INCONCLUSIVE, f"no interval: {reason}"
    ends = {criterion.is_met_by(estimate.low), criterion.is_met_by(estimate.high)}
    if len(ends) == 1:
        return (MET if ends.pop() else NOT_MET), None
    return INCONCLUSIVE, f"{_span(estimate.low, estimate.high)} contains {criterion.bound:.15g}"


def _span(low: float, high: float) -> str:
    return f"the interval, {limit(low)} to {limit(high)},"


def _overall(judged: list[Judged], reasons_to_wait: list[str]) -> tuple[str, list[str]]:
    success = [entry for entry in judged if entry.role == "success"]
    failure = [entry for entry in judged if entry.role == "failure"]
    failed = [entry.criterion.words for entry in failure if entry.state == MET]
    if not reasons_to_wait and failed:
        return DOES_NOT_WORK, [f"It does not work: {words}" for words in failed]
    if not reasons_to_wait and all(entry.state == MET for entry in success):
        # No evidence of failure is no failure, and after the horizon no more evidence comes.
        return WORKS, [
            f"It works, though this is not known: {entry.criterion.words}; {entry.reason}"
            for entry in failure
            if entry.state != NOT_MET
        ]
    explained = dict.fromkeys(entry.reason for entry in judged if entry.state == EXPLAINED)
    if explained:
        return EXPLAINED, [f"Explained by popularity: {reason}" for reason in explained]
    overall = TOO_EARLY if reasons_to_wait else INCONCLUSIVE
    reasons = [f"Too early: {reason}" for reason in reasons_to_wait]
    reasons += [
        f"{_OPEN[entry.state]}: {entry.criterion.words}; {entry.reason}"
        for entry in judged
        if entry.state in _OPEN and entry.reason != "; ".join(reasons_to_wait)
    ]
    missed = [entry.criterion.words for entry in success if entry.state == NOT_MET]
    reasons += [f"Not met, and no failure criterion is met either: {words}" for words in missed]
    return overall, reasons


def _section(judged: list[Judged]) -> Section:
    values: list[tuple[Any, ...]] = [
        (
            one.role,
            one.criterion.words,
            one.state,
            one.criterion.tier,
            one.criterion.evidence_window,
            one.criterion.population,
            one.value,
            *[getattr(one.estimate, name, None) for name in ("low", "high", "p_adjusted")],
            one.reason,
        )
        for one in judged
    ]
    return Section(
        "assessment",
        "Criteria of the plan",
        "works if every success criterion is met and no failure criterion is, does not work if a "
        "failure criterion is met, explained by popularity if the predictions are their own "
        "baseline, too early while awaited evidence can come, else inconclusive",
        "value, low and high as in the view of the figure; state is met, not met, explained by "
        "popularity, inconclusive or too early",
        Rows(_COLUMNS, values),
    )
