"""Ranks models over all their slates: which find more than popularity, and which are told apart."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker.reports.kinds import LEADERBOARD, Report
from tracker.reports.records import Section
from tracker.reports.words import NOTHING, count, joined, ratio
from tracker.rows import Rows, rows_from
from tracker.store import catalog
from tracker.uncertainty.estimates import models
from tracker.uncertainty.estimates.duels import SIGNIFICANT, Duel
from tracker.uncertainty.estimates.models import Standing

VIEW, SLATE_VIEW, PAIRS = "model_standing", "model_slate", "model_pair"

_SLATES = sa.text("select * from model_slate order by model_version, frozen_on, slate_id")
# In a table the lists without skill have the width of their numbers.
_BASELINES = {"pop.": "popularity_hits", "deg.": "degree_product_hits", "rnd.": "random_hits"}
_NOTE = (
    "pop., deg. and rnd.: hits that lists as long have in the same slates, by popularity, degree "
    "product and chance; models that cannot be told apart share a rank"
)


def build(connection: Connection, as_of: datetime | None = None) -> Report:
    """Rank the models; the connection must have been opened with `as_of`.

    The fact `verdicts` has a sentence for each. Inside `scope.of_slates` of all slates.
    """
    standings, duels = models.rank(connection)
    facts = {
        "models": len(standings),
        "slates": sum(one.row.n_slates for one in standings),
        "as_of": as_of.astimezone(UTC).isoformat() if as_of else None,
        "verdicts": [_verdict(one, duels) for one in standings],
    }
    sections = [_standings(standings), _pairs(duels), _slates(connection)]
    return Report(facts, list(_limits(standings)), sections, LEADERBOARD)


def _verdict(one: Standing, duels: Sequence[Duel[str]]) -> str:
    """Return one sentence: a model's rank, and its hits against those of equally popular drugs."""
    row = one.row
    if one.found is None or row.enrichment is None:
        return f"{row.model_version} has no rank: {row.reason}."
    hits = (
        f"{row.n_hits:,} of {count(row.n_predictions, 'prediction')} came true in "
        f"{count(row.n_pooled, 'slate')}, {ratio(row.enrichment)} times as many as equally "
        "popular drugs"
    )
    interval = one.found.interval
    if interval.low is None or interval.high is None:
        return f"{row.model_version} has no rank: {hits}; no interval: {interval.reason}."
    p = one.p_adjusted
    told = "" if p is not None and p < SIGNIFICANT else ", which chance may explain"
    popular = (
        ""
        if row.popularity_hits is None
        else f" Lists as long of the most popular drugs have {row.popularity_hits:,.1f} hits."
    )
    ties = [
        duel.versus if duel.first == row.model_version else duel.first
        for duel in duels
        if row.model_version in (duel.first, duel.versus) and not duel.is_told
    ]
    shared = f" It cannot be told apart from {joined(ties)}." if ties else ""
    return (
        f"Rank {one.rank}, {row.model_version}: {hits} (95% {ratio(interval.low)} to "
        f"{ratio(interval.high)}){told}.{popular}{shared}"
    )


def _limits(standings: Sequence[Standing]) -> Iterator[str]:
    """Yield what the ranks cannot know."""
    if not standings:
        yield "No slate counts yet: replays are left out, and the store has no other."
        return
    yield (
        "Models are ranked over their own slates, each through the primary endpoint of its plan. "
        "Where two models froze slates for the same diseases, 'tracker compare' is the fairer test."
    )
    if any(one.row.n_pooled > 1 for one in standings):
        yield "A pair that two slates of a model predict counts in each, and so does its hit."
    waiting = [one.row.model_version for one in standings if one.row.n_pooled < one.row.n_slates]
    if waiting:
        yield (
            f"{joined(waiting)}: not every slate counts yet, since of one nothing is expected so "
            "far, or its endpoint cannot be computed."
        )


def _standings(standings: Sequence[Standing]) -> Section:
    """Return the section of the view model_standing with ranks and intervals."""
    columns = list(standings[0].row._fields) if standings else []
    more = [
        *("rank", "enrichment_low", "enrichment_high", "p_value", "p_adjusted"),
        *("between_slates_sd", "inconsistency_share"),
    ]
    values = [(*one.row, *_estimates(one)) for one in standings]
    section = Section.of(catalog.find(VIEW), Rows([*columns, *more], values))
    readable = Rows(
        ["rank", "model", "slates", "hits", "times", "95%", *_BASELINES],
        [_line(one) for one in standings],
    )
    return replace(section, readable=readable, notes=(_NOTE,))


def _estimates(one: Standing) -> tuple[float | None, ...]:
    if one.found is None:
        return (one.rank, *(None,) * 6)
    compared = one.found.interval
    return (
        one.rank,
        compared.low,
        compared.high,
        compared.p_value,
        one.p_adjusted,
        one.found.between,
        one.found.inconsistency,
    )


def _line(one: Standing) -> tuple[Any, ...]:
    row = one.row
    low, high = _estimates(one)[1:3]
    return (
        NOTHING if one.rank is None else one.rank,
        row.model_version,
        row.n_pooled,
        f"{row.n_hits:,}",
        NOTHING if row.enrichment is None else ratio(row.enrichment),
        _range(low, high),
        *(_hits(getattr(row, column)) for column in _BASELINES.values()),
    )


def _hits(number: float | None) -> str:
    return NOTHING if number is None else f"{number:,.1f}"


def _range(low: float | None, high: float | None) -> str:
    return NOTHING if low is None or high is None else f"{ratio(low)} to {ratio(high)}"


def _pairs(duels: Sequence[Duel[str]]) -> Section:
    """Return how many times as enriched the better of each pair of ranked models is."""
    rows = Rows(
        [
            *("model_version", "versus_model_version", "enrichment_ratio"),
            *("enrichment_ratio_low", "enrichment_ratio_high", "p_value", "p_adjusted", "is_told"),
        ],
        [
            (
                *(duel.first, duel.versus, duel.compared.estimate),
                *(duel.compared.low, duel.compared.high),
                *(duel.compared.p_value, duel.p_adjusted, duel.is_told),
            )
            for duel in duels
        ],
    )
    readable = Rows(
        ["model", "versus", "times", "95%", "p"],
        [
            (
                duel.first,
                duel.versus,
                _ratio(duel.compared.estimate),
                _range(duel.compared.low, duel.compared.high),
                NOTHING if duel.p_adjusted is None else f"{duel.p_adjusted:.2g}",
            )
            for duel in duels
        ],
    )
    return Section(
        PAIRS,
        "Pairs of models",
        "Enrichment of the one / enrichment of the other; p adjusted over the pairs by Holm's "
        "method",
        "ratio, 1 = equally good; what the slates share is taken into account",
        rows,
        readable=readable,
    )


def _ratio(value: float | None) -> str:
    return NOTHING if value is None else ratio(value)


def _slates(connection: Connection) -> Section:
    rows = rows_from(connection.execute(_SLATES))
    readable = Rows(
        ["slate", "model", "frozen", "tier", "hits", "times"],
        [
            (
                str(one["slate_id"])[:8],
                one["model_version"],
                one["frozen_on"],
                one["tier"],
                f"{one['n_hits']:,} of {one['n_predictions']:,}",
                _ratio(one["enrichment_vs_matched"]),
            )
            for one in rows.records()
        ],
    )
    return replace(Section.of(catalog.find(SLATE_VIEW), rows), readable=readable)
