"""Reports a backtest: what each ranker's lists would have achieved, and whether that can be so."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.extras.retrospective import backtest_estimates as estimates
from tracker.extras.retrospective.backtest_estimates import Pooled
from tracker.rankers import BASELINES
from tracker.reports.kinds import Kind, Report
from tracker.reports.records import Record, Section
from tracker.reports.words import NOTHING, SOURCES, count, joined, limit, percent, ratio, span
from tracker.rows import Rows, rows_from
from tracker.store import catalog, statements

BACKTEST = Kind(
    "backtest",
    "Backtest {backtest_id}",
    ("ranker", "is_shuffled", "horizon_months", "origin_on"),
    "tracker.extras.retrospective.backtest_page",
)

_BY_ORIGIN = sa.text(
    "select * from backtest_origin where backtest_id = :backtest_id "
    "order by is_shuffled, horizon_months, ranker, origin_on"
)
# A figure with a smaller p value is told from 1.
_SIGNIFICANT = 0.05
# With fewer origins, how far they differ is hardly known.
_FEW_ORIGINS = 5
# The columns that are added to the rows of backtest_pooled, as _estimates returns them.
_ESTIMATES = (
    "enrichment_low",
    "enrichment_high",
    "p_value",
    "p_adjusted",
    "between_origins_sd",
    "inconsistency_share",
    "foreseen_low",
    "foreseen_high",
)


def build(connection: Connection, backtest: Row[Any]) -> Report:
    """Report a row of the table backtest; the fact `verdicts` has a sentence for each ranker."""
    key = {"backtest_id": backtest.backtest_id}
    pooled = estimates.pool(connection, backtest.backtest_id, BASELINES)
    recipe = backtest.recipe
    facts = {
        "backtest_id": backtest.backtest_id,
        "origins": f"{recipe['first']} to {recipe['last']}, every {recipe['every_months']} months",
        "candidates": recipe["candidates"]
        or ("those of the scores" if recipe["scores"] else "known drugs for known diseases"),
        "list": f"the best {recipe['top_k']} of each disease that were not known",
        "seed": recipe["seed"],
        "followed_until": backtest.followed_until,
        "created_at": backtest.created_at.astimezone(UTC).isoformat(),
        "verdicts": [*map(_verdict, _asked(pooled)), *_leaks(pooled)],
    }
    by_origin = rows_from(connection.execute(_BY_ORIGIN, key))
    evidence = statements.run(connection, "backtest_evidence", key).all()
    history = statements.run(connection, "study_history", key).one()
    warnings = [*_limits(evidence, history, by_origin, recipe), *_heterogeneity(pooled)]
    lead = f"Origins {facts['origins']}; a list is {facts['list']}, among {facts['candidates']}."
    return Report(facts, warnings, [_pooled(pooled), _by_origin(by_origin)], BACKTEST, lead)


def _asked(pooled: Sequence[Pooled]) -> list[Pooled]:
    return [one for one in pooled if one.row.ranker not in BASELINES and not one.row.is_shuffled]


def _name(one: Pooled) -> str:
    shuffled = " with shuffled labels" if one.row.is_shuffled else ""
    return f"{one.row.ranker}{shuffled} ({one.row.horizon_months} months)"


def _verdict(one: Pooled) -> str:
    """Return one sentence: how many hits, against what equally popular drugs would have had."""
    row = one.row
    hits = (
        f"{row.n_hits:,} of {count(row.n_predictions, 'novel prediction')} came true over "
        f"{count(row.n_origins, 'origin')}"
    )
    if one.found is None or row.enrichment is None:
        return f"{_name(one)}: {hits}; enrichment is not known: {row.reason}.{_own(row)}"
    if row.n_pooled < row.n_origins:
        hits += f"; at the {row.n_pooled:,} of them with an enrichment"
    interval = one.found.interval
    if interval.low is None or interval.high is None:
        return (
            f"{_name(one)}: {hits}, {ratio(row.enrichment)} times as many as equally popular "
            f"drugs; no interval: {interval.reason}.{_own(row)}"
        )
    p = one.p_adjusted
    if p is not None and p < _SIGNIFICANT:
        told = "more than" if row.enrichment > 1 else "fewer than"
        told = f"{told} equally popular drugs would have had"
    else:
        told = "not told from what equally popular drugs would have had"
    return (
        f"{_name(one)}: {hits}, {told}: {ratio(row.enrichment)} times as many (95% "
        f"{limit(interval.low)} to {limit(interval.high)}{_p(p)}).{_own(row)}"
    )


def _own(row: Row[Any]) -> str:
    """Return what was observed where a list has nothing but itself to be compared with."""
    if row.observed_vs_expected is None:
        return ""
    left_out = count(row.n_origins - row.n_pooled, "origin")
    return (
        f" No enrichment at {left_out}: observed over expected hits is "
        f"{ratio(row.observed_vs_expected)} there, the list's own among those expected."
    )


def _p(value: float | None) -> str:
    if value is None:
        return ""
    return f", p = {value:.3f}" if value >= 0.001 else f", p = {value:.0e}"


def _leaks(pooled: Sequence[Pooled]) -> Iterator[str]:
    """Yield the result of the leak test: with shuffled labels a ranker has nothing to learn."""
    for one in pooled:
        if not one.row.is_shuffled:
            continue
        leak_test = f"Leak test of {one.row.ranker} ({one.row.horizon_months} months)"
        if one.found is None or one.row.enrichment is None:
            yield f"{leak_test} is not possible: {one.row.reason}.{_own(one.row)}"
            continue
        interval, is_leaking = one.found.interval, False
        figure = f"its enrichment{_where(one.row)} is {ratio(one.row.enrichment)}"
        if interval.low is None or interval.high is None:
            figure += f", without an interval: {interval.reason}"
        else:
            figure += f" (95% {limit(interval.low)} to {limit(interval.high)})"
            p_value = interval.p_value
            is_leaking = p_value is not None and p_value < _SIGNIFICANT and one.row.enrichment > 1
        if is_leaking:
            yield (
                f"{leak_test} failed: with shuffled labels, from which nothing but popularity can "
                f"be learned, {figure}. It knows more than its labels; the figures above are not "
                "an honest test of it."
            )
        else:
            yield f"{leak_test}: with shuffled labels {figure}."


def _where(row: Row[Any]) -> str:
    """Return at how many origins lists can be compared, if not at all of them."""
    if row.n_pooled == row.n_origins:
        return ""
    return f" at {row.n_pooled:,} of {count(row.n_origins, 'origin')}"


def _snapshot_limit(snapshot: Row[Any], history: Row[Any]) -> str:
    """Return what one snapshot of the registry cannot know, with the history of its studies."""
    one = f"One snapshot of {SOURCES[snapshot.source]} ({snapshot.first_on}): "
    if not history.n_with_history:
        return (
            f"{one}studies are known by the day of their first posting, but their phases, "
            "statuses, drugs and diseases are as they stand now, and studies removed since are "
            "missing."
        )
    if history.n_with_history == history.n_studies:
        return (
            f"{one}labels have the phases, drugs and diseases that the studies stated at the "
            "origin, by their history; studies removed since are missing."
        )
    return (
        f"{one}labels have the phases, drugs and diseases that studies stated at the origin of "
        f"{history.n_with_history:,} of {count(history.n_studies, 'study', 'studies')}, by their "
        "history; of the others they are as they stand now, and studies removed since are missing."
    )


def _limits(
    evidence: Sequence[Row[Any]], history: Row[Any], by_origin: Rows, recipe: dict[str, Any]
) -> Iterator[str]:
    """Yield what the evidence cannot know of the past."""
    origins = {row["origin_on"] for row in by_origin.records()}
    for one in evidence:
        source = SOURCES[one.source]
        if one.source == "ctgov" and one.n_releases == 1:
            yield _snapshot_limit(one, history)
        n_before = sum(origin < one.first_on.isoformat() for origin in origins)
        if one.source == "chembl" and n_before:
            yield (
                f"{source}: the first release in the store is of {one.first_on}. What it showed "
                f"earlier is not known at {count(n_before, 'origin')} before, where drugs long in "
                "use may count as new."
            )
    longest = max(recipe["horizons"])
    if longest > recipe["every_months"] and len(origins) > 1:
        yield (
            f"Horizons of {longest} months overlap, since origins are {recipe['every_months']} "
            "months apart: an event may count at several, which the intervals allow for."
        )
    if recipe["scores"]:
        yield (
            "The scores came from files: nothing shows that they were made with what was known at "
            "the origins, and no leak test is possible."
        )
    yield (
        "Names and vocabularies are today's: a drug is recognised in a study by names that it may "
        "have got later."
    )


def _heterogeneity(pooled: Sequence[Pooled]) -> Iterator[str]:
    numbers = [one.row.n_pooled for one in _asked(pooled)]
    few = [n for n in numbers if 0 < n < _FEW_ORIGINS]
    if few:
        yield (
            f"With {count(min(few), 'origin')}, how far origins differ is hardly known: "
            "the pooled interval holds for these years rather than for others."
        )
    without: dict[str, set[str]] = {}
    for one in pooled:
        interval = None if one.found is None or one.row.is_shuffled else one.found.interval
        if interval and interval.estimate is not None and interval.reason is not None:
            without.setdefault(interval.reason, set()).add(one.row.ranker)
    for reason, rankers in without.items():
        yield f"{joined(sorted(rankers))}: no interval: {reason}."


def _pooled(pooled: Sequence[Pooled]) -> Section:
    """Return the section of the view backtest_pooled with intervals and heterogeneity."""
    columns = [name for name in pooled[0].row._fields if name != "backtest_id"] if pooled else []
    values = [(*[getattr(one.row, name) for name in columns], *_estimates(one)) for one in pooled]
    section = Section.of(catalog.find("backtest_pooled"), Rows([*columns, *_ESTIMATES], values))
    notes = (
        "SD: the standard deviation of true enrichments between origins; I2: the share of their "
        "variation that chance does not explain",
        *_waits(pooled),
    )
    return replace(section, text_table=Rows.of(_POOLED, pooled), notes=notes)


def _estimates(one: Pooled) -> tuple[float | None, ...]:
    if one.found is None:
        return (None,) * len(_ESTIMATES)
    compared, found = one.found.interval, one.found
    limits = (compared.low, compared.high, compared.p_value, one.p_adjusted)
    return (*limits, found.between, found.inconsistency, found.foreseen_low, found.foreseen_high)


def _waits(pooled: Sequence[Pooled]) -> Iterator[str]:
    """Yield how long a list like those of the last origin would have to be followed."""
    for one in _asked(pooled):
        if one.row.months_needed is not None:
            yield (
                f"{_name(one)}: a list like that of the last origin would show an enrichment of "
                f"the default plan's bar after about {one.row.months_needed:.0f} months"
            )


def _by_origin(rows: Rows) -> Section:
    section = Section.of(catalog.find("backtest_origin"), rows.without("backtest_id"))
    return replace(section, text_table=Rows.of(_ORIGINS, rows.records()))


def _ranker(name: str, is_shuffled: bool) -> str:
    return f"{name}, shuffled" if is_shuffled else name


def _known(value: float | None, word: Callable[[float], str]) -> str:
    return NOTHING if value is None else word(value)


# The columns of the tables in texts, and the function that makes a row's cell in each.
_POOLED: dict[str, Callable[[Pooled], Any]] = {
    "ranker": lambda one: _ranker(one.row.ranker, one.row.is_shuffled),
    "months": lambda one: one.row.horizon_months,
    "hits": lambda one: f"{one.row.n_hits:,}",
    "rate": lambda one: _known(one.row.hit_rate, percent),
    "enriched": lambda one: _known(one.row.enrichment, ratio),
    "95%": lambda one: span(*_estimates(one)[:2]),
    "SD": lambda one: _known(_estimates(one)[4], "{:.2f}".format),
    "I2": lambda one: _known(_estimates(one)[5], "{:.0%}".format),
}
_ORIGINS: dict[str, Callable[[Record], Any]] = {
    "ranker": lambda one: _ranker(one["ranker"], one["is_shuffled"]),
    "origin": itemgetter("origin_on"),
    "mo.": itemgetter("horizon_months"),
    "hits": lambda one: f"{one['n_hits']:,} of {one['n_predictions']:,}",
    "enriched": lambda one: _known(one["enrichment"], ratio),
    "95%": lambda one: span(one["enrichment_low"], one["enrichment_high"]),
}
