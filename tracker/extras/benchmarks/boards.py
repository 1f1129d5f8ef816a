"""Boards: the submissions of one track by one metric, with intervals and ranks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row

from tracker.extras.benchmarks import board_estimates, board_samples, lookup, submission_estimates
from tracker.extras.benchmarks.board_samples import Sample
from tracker.figures import SEED
from tracker.reports.words import joined
from tracker.rows import Rows
from tracker.uncertainty import estimates
from tracker.uncertainty.estimates import Estimate
from tracker.uncertainty.estimates.duels import Duel
from tracker.uncertainty.estimates.records import query

# Ranks are computed wherever they are shown; intervals are stored ones where there are some.
_REPLICATES = 1_000

# View, column and row key of a figure.
Key = tuple[str, str, Mapping[str, Any]]


@dataclass(frozen=True)
class Line:
    """A submission on a board: its figure with the interval, its rank, and whether it is best."""

    submission_id: int
    submitter: str
    value: float
    low: float | None
    high: float | None
    rank: int
    is_best: bool


@dataclass(frozen=True)
class Baseline:
    """The figure of a prediction without knowledge on a board; it has no rank."""

    name: str
    value: float


@dataclass(frozen=True)
class Board:
    """One ranking; `metric` is a column of the leaderboard, `target` is None for all targets.

    `reason` says why no two submissions can be told apart, None if they can.
    """

    metric: str
    track: str
    target: str | None
    lines: Sequence[Line]
    pairs: Sequence[Duel[int]]
    reason: str | None
    baselines: Sequence[Baseline]


def name(line: Line) -> str:
    """Return a line's submission as `#3 Lab`, which no one takes for a rank."""
    return f"#{line.submission_id} {line.submitter}"


def metrics_of(rows: Rows) -> list[str]:
    """Return the ranked metrics of a leaderboard's rows; the place directly follows its metric."""
    return [
        rows.columns[index - 1]
        for index, column in enumerate(rows.columns)
        if column.endswith("_place")
    ]


def ranked(
    connection: Connection,
    benchmark: Row[Any],
    rows: Rows,
    targets: Sequence[str],
    *,
    k: int | None = None,
) -> tuple[Rows, list[Board]]:
    """Add to the rows of a leaderboard the interval and rank of each metric; return the boards too.

    Rows that have the column target are ranked target by target, others over all `targets`.
    """
    if not rows.values:
        return _widened(rows, []), []
    sample = board_samples.read(connection, benchmark, k=k)
    kind, has_target = benchmark.kind, "target" in rows.columns

    def group(one: Mapping[str, Any]) -> tuple[str, str]:
        return one["track"], one["target"] if has_target else ""

    records = [dict(zip(rows.columns, row, strict=True)) for row in rows.values]
    plans = []
    for (track, target), entries in groupby(sorted(records, key=group), group):
        fold = board_estimates.fold_of(connection, benchmark, track)
        among = [target] if has_target else list(targets) or [""]
        at_track = list(entries)
        for metric in metrics_of(rows):
            figure = board_estimates.figure_key(kind, metric.removeprefix("mean_"), among, fold, k)
            own = [one for one in at_track if one[_place(metric, one)] is not None]
            if own:
                plans.append(_Plan(metric, track, target or None, among, fold, figure, own))
    wanted: dict[int, list[tuple[Key, float]]] = {}
    for plan in plans:
        for one in plan.entries:
            wanted.setdefault(one["submission_id"], []).append((plan.key, one[plan.metric]))
    found = {
        number: _estimates(connection, benchmark, number, keys) for number, keys in wanted.items()
    }
    key = {"benchmark_id": benchmark.benchmark_id, "kind": benchmark.kind}
    columns = ("baseline", "figure", "target", "fold", "k", "value")
    known = connection.execute(query("baseline", columns, **key)).all()
    made = [_board(sample, plan, found, _baselines(known, plan, k)) for plan in plans]
    return _widened(rows, made), made


@dataclass(frozen=True)
class _Plan:
    """The parts of a board: its entries, and view, column and row key of its figure."""

    metric: str
    track: str
    target: str | None
    targets: Sequence[str]
    fold: str
    key: Key
    entries: Sequence[Mapping[str, Any]]


def _estimates(
    connection: Connection,
    benchmark: Row[Any],
    submission_id: int,
    figures: Sequence[tuple[Key, float]],
) -> dict[tuple[Any, ...], Estimate]:
    """Return the estimates of figures, given with their values, by key.

    Stored estimates of these values are used, and others computed.
    """
    stored, _ = estimates.newest(connection, "submission_id", submission_id)
    values = {_full(key): value for key, value in figures}
    found = {
        one.key: one
        for one in stored
        if one.key not in values or estimates.is_same(one.value, values[one.key])
    }
    missing = [
        (view, dict(row_key))
        for (view, column, row_key), _ in figures
        if _full((view, column, row_key)) not in found
    ]
    if missing:
        computed = submission_estimates.estimate_submission(
            connection,
            lookup.find(connection, submission_id),
            benchmark,
            seed=SEED,
            most_replicates=estimates.REPLICATES_UNSTORED,
            wanted=lambda view, row_key: (view, dict(row_key)) in missing,
        )
        found |= {one.key: one for one in computed if one.key not in found}
    return found


def _full(key: Key) -> tuple[Any, ...]:
    """Return the key of an estimate: those of submissions have no window, population or tier."""
    view, column, row_key = key
    return (view, column, None, None, None, *sorted(row_key.items()))


def _board(
    sample: Sample,
    plan: _Plan,
    found: Mapping[int, Mapping[tuple[Any, ...], Estimate]],
    baselines: Sequence[Baseline],
) -> Board:
    metric = plan.metric
    place = _place(metric, plan.entries[0])
    own = sorted(plan.entries, key=lambda one: (one[place], one["submission_id"]))
    result = board_estimates.rank(
        sample,
        metric.removeprefix("mean_"),
        {one["submission_id"]: one[metric] for one in own},
        plan.targets,
        by_fold=plan.fold == board_estimates.AVERAGE,
        n_replicates=_REPLICATES,
    )
    lines = []
    for one in own:
        number = one["submission_id"]
        estimate = found[number][_full(plan.key)]
        lines.append(
            Line(
                number,
                one["submitter"],
                one[metric],
                estimate.low,
                estimate.high,
                result.ranks[number],
                one[place] == 1,
            )
        )
    lines.sort(key=lambda line: (line.rank, -line.value, line.submission_id))
    return Board(metric, plan.track, plan.target, lines, result.pairs, result.reason, baselines)


def _baselines(rows: Sequence[Row[Any]], plan: _Plan, k: int | None) -> list[Baseline]:
    """Return the baselines of a board that have a value."""
    return [
        Baseline(row.baseline, row.value)
        for row in rows
        if (row.figure, row.target, row.fold) == (plan.metric, plan.target, plan.fold)
        and row.k in (None, k)
        and row.value is not None
    ]


def _place(metric: str, entry: Mapping[str, Any]) -> str:
    """Return the column that has the place of a metric: the one after it."""
    names = list(entry)
    return names[names.index(metric) + 1]


def _widened(rows: Rows, made: Sequence[Board]) -> Rows:
    """Add to each row low, high and rank of every metric, and its baselines, behind its place."""
    boards_of = {(board.track, board.target, board.metric): board for board in made}
    lines = {
        (one.submission_id, board.target, board.metric): one
        for board in made
        for one in board.lines
    }
    names = sorted({one.name for board in made for one in board.baselines})
    columns: list[str] = []
    for metric, column in zip([None, *rows.columns], rows.columns, strict=False):
        columns.append(column)
        if column.endswith("_place"):
            columns += [f"{metric}_low", f"{metric}_high", column.replace("_place", "_rank")]
            columns += [_column(metric, name) for name in names]
    values = []
    for row in rows.values:
        own = dict(zip(rows.columns, row, strict=True))
        for metric in metrics_of(rows):
            line = lines.get((own["submission_id"], own.get("target"), metric))
            board = boards_of.get((own["track"], own.get("target"), metric))
            of_board = {one.name: one.value for one in board.baselines} if board else {}
            rank = _place(metric, own).replace("_place", "_rank")
            own |= {
                f"{metric}_low": line.low if line else None,
                f"{metric}_high": line.high if line else None,
                rank: line.rank if line else None,
                **{_column(metric, name): of_board.get(name) for name in names},
            }
        values.append(tuple(own[column] for column in columns))
    return Rows(columns, values)


def _column(metric: str | None, baseline: str) -> str:
    return f"{metric}_{baseline.replace(' ', '_')}"


def ties(board: Board) -> Iterator[str]:
    """Yield a sentence on the best of a board, and one on who cannot be told from it."""
    best = max(board.lines, key=lambda line: line.value)
    alike = [name(one) for one in board.lines if one.value == best.value]
    has = "has" if len(alike) == 1 else "have"
    yield f"{joined(alike)} {has} the best value, {best.value:.3f}."
    if board.reason is not None:
        yield f"No two submissions can be told apart: {board.reason}."
        return
    names = {one.submission_id: name(one) for one in board.lines}
    others = [
        names[pair.versus]
        for pair in board.pairs
        if pair.first == best.submission_id and not pair.is_told and names[pair.versus] not in alike
    ]
    if others:
        yield f"{joined(others)} cannot be told from {name(best)}."
