"""Ranks models over all their slates by what they find beyond popularity."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import slates
from tracker.reports import enrichment, pairs
from tracker.reports.kinds import LEADERBOARD, Report
from tracker.reports.records import Record, Section
from tracker.reports.words import count, joined, or_dash, ratio, tenths, with_limits
from tracker.rows import Rows, rows_from
from tracker.store import catalog
from tracker.uncertainty.estimates import models
from tracker.uncertainty.estimates.duels import SIGNIFICANT, Duel
from tracker.uncertainty.estimates.models import Standing

VIEW, SLATE_VIEW, PAIRS = "model_standing", "model_slate", "model_pair"

_SLATES = sa.text(
    "select * from model_slate where :include_replays or not is_replay "
    "order by model_version, is_replay, frozen_on, slate_id"
)
# Reads only tables, to see whether there is anything to compute.
_SETS = sa.text("select slate_id, reason from slate_sets").columns(slate_id=sa.Uuid)
_HAS_EVENT = sa.text(
    "select exists (from event where recorded_at <= (select as_of from report_instant))"
)
# The lists without skill.
_BASELINES = {
    "popular": "popularity_hits",
    "degree": "degree_product_hits",
    "chance": "random_hits",
}
_NOTE = (
    "popular, degree and chance: hits that lists as long have in the same slates, by popularity, "
    "degree product and chance; models that cannot be told apart share a rank"
)


def counted(
    connection: Connection, as_of: datetime | None = None, *, include_replays: bool = False
) -> tuple[list[Row[Any]], str | None]:
    """Return the ranked slates, and why there is nothing to rank, None if there is."""
    frozen = [
        slate
        for slate in slates.all_slates(connection)
        if as_of is None or slate.created_at <= as_of
    ]
    found = [slate for slate in frozen if include_replays or not slate.is_replay]
    why = None if found else "the store has no slate" + (" of that day" if as_of else "")
    if frozen and not found:
        replays = "its only slate is a replay" if len(frozen) == 1 else "all its slates are replays"
        why = f"{replays}, made after the fact; --include-replays ranks them"
    elif found and not connection.execute(_HAS_EVENT).scalar_one():
        why = "no evidence of any pair is on record, so that no prediction could come true"
    elif found:
        without = {row.slate_id: row.reason for row in connection.execute(_SETS) if row.reason}
        reasons = sorted({without.get(slate.slate_id, "") for slate in found})
        if "" not in reasons:
            why = "no prediction can be compared: " + " or ".join(reasons)
    return found, why


def build(
    connection: Connection, as_of: datetime | None = None, *, include_replays: bool = False
) -> Report:
    """Rank the models; the connection must have been opened with `as_of`.

    The fact `verdicts` has a sentence for each. If there is anything to rank, it must be inside
    `scope.of_slates` of the slates that `counted` returns.
    """
    _, why = counted(connection, as_of, include_replays=include_replays)
    standings: list[Standing] = []
    duels: list[Duel[str]] = []
    if why is None:
        standings, duels = models.rank(connection, include_replays=include_replays)
    facts = {
        "models": len(standings),
        "slates": sum(one.row.n_slates for one in standings),
        "include_replays": include_replays,
        "as_of": as_of.astimezone(UTC).isoformat() if as_of else None,
        "verdicts": [_verdict(one, duels) for one in standings],
    }
    if why is not None:
        return Report(facts, [f"No slate counts yet: {why}."], [], LEADERBOARD)
    listed = _slates(connection, include_replays=include_replays)
    sections = [
        _standings(standings),
        pairs.section(
            PAIRS, "Pairs of models", "model", "model_version", "enrichment_ratio", duels
        ),
        listed,
    ]
    return Report(facts, list(_limits(standings)), sections, LEADERBOARD)


def _verdict(one: Standing, duels: Sequence[Duel[str]]) -> str:
    """Return one sentence: a model's rank, and its hits against those of equally popular drugs."""
    row = one.row
    own = _own(row)
    if one.found is None or row.enrichment is None:
        return f"{one.name} has no rank: {row.reason}.{own}"
    hits = (
        f"{row.n_hits:,} of {count(row.n_predictions, 'prediction')} came true in "
        f"{count(row.n_pooled, 'slate')}, {ratio(row.enrichment)} times as many as equally "
        "popular drugs"
    )
    interval = one.found.interval
    if interval.low is None or interval.high is None:
        return f"{one.name} has no rank: {hits}; no interval: {interval.reason}.{own}"
    p = one.p_adjusted
    told = "" if p is not None and p < SIGNIFICANT else ", which chance may explain"
    popular = (
        ""
        if row.popularity_hits is None
        else f" Lists as long of the most popular drugs have {row.popularity_hits:,.1f} hits."
    )
    ties = [
        duel.versus if duel.first == one.name else duel.first
        for duel in duels
        if one.name in (duel.first, duel.versus) and not duel.is_told
    ]
    shared = f" It cannot be told apart from {joined(ties)}." if ties else ""
    return (
        f"Rank {one.rank}, {one.name}: {hits} (95% {ratio(interval.low)} to "
        f"{ratio(interval.high)}){told}.{popular}{shared}{own}"
    )


def _own(row: Row[Any]) -> str:
    """Return the observed hits in slates that are their own baseline."""
    if row.observed_vs_expected is None:
        return ""
    are = "that is its" if row.n_own_baseline == 1 else "that are their"
    return (
        f" Left out: {count(row.n_own_baseline, 'slate')} {are} own baseline; observed over "
        f"expected hits is {ratio(row.observed_vs_expected)} there, the predictions' own among "
        "those expected."
    )


def _limits(standings: Sequence[Standing]) -> Iterator[str]:
    replays = [one.name for one in standings if one.row.is_replay]
    if replays:
        yield (
            f"{joined(replays)}: made after the days that the slates stand for, when outcomes "
            "could be known; their ranks are no test of foresight."
        )
    yield (
        "Models are ranked over their own slates, each through the primary endpoint of its plan. "
        "Where two models froze slates for the same diseases, 'tracker compare' is the fairer test."
    )
    if any(one.row.n_pooled > 1 for one in standings):
        yield "A pair that two slates of a model predict counts in each, and so does its hit."
    waiting = [one.name for one in standings if one.row.n_pooled < one.row.n_slates]
    if waiting:
        yield (
            f"{joined(waiting)}: not every slate counts, since of one nothing is expected so far, "
            "its endpoint cannot be computed, or its predictions are their own baseline."
        )


def _standings(standings: Sequence[Standing]) -> Section:
    """Return the section of the view model_standing with ranks and intervals."""
    columns = list(standings[0].row._fields) if standings else []
    more = [
        "rank",
        "enrichment_low",
        "enrichment_high",
        "p_value",
        "p_adjusted",
        "between_slates_sd",
        "inconsistency_share",
    ]
    values = [(*one.row, *_estimates(one)) for one in standings]
    section = Section.of(catalog.find(VIEW), Rows([*columns, *more], values))
    text_table = Rows(
        ["rank", "model", "slates", "hits", "times (95%)", *_BASELINES],
        [
            (
                or_dash(one["rank"], str),
                name(one),
                one["n_pooled"],
                f"{one['n_hits']:,} of {one['n_predictions']:,}",
                limits(one),
                *(tenths(one[column]) for column in _BASELINES.values()),
            )
            for one in section.rows.records()
        ],
    )
    return replace(section, text_table=text_table, notes=(_NOTE,))


def name(one: Record) -> str:
    """Return the model of a row of the views of models, marked where the row is of replays."""
    return f"{one['model_version']} (replay)" if one["is_replay"] else str(one["model_version"])


def limits(one: Record) -> str:
    """Return the enrichment of a board's row with its interval, a dash if unknown."""
    return with_limits(one["enrichment"], one["enrichment_low"], one["enrichment_high"], of=ratio)


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


def _slates(connection: Connection, *, include_replays: bool) -> Section:
    rows = rows_from(connection.execute(_SLATES, {"include_replays": include_replays}))
    text_table = Rows(
        ["slate", "model", "frozen", "tier", "hits", "times"],
        [
            (
                str(one["slate_id"])[:8],
                name(one),
                one["frozen_on"],
                one["tier"],
                f"{one['n_hits']:,} of {one['n_predictions']:,}",
                or_dash(enrichment.of(one), ratio),
            )
            for one in rows.records()
        ],
    )
    return replace(Section.of(catalog.find(SLATE_VIEW), rows), text_table=text_table)
