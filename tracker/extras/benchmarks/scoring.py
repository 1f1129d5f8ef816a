"""Reads the metric views for a submission or a whole benchmark; computes nothing itself."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import schema
from tracker.errors import InputRefused, no_such
from tracker.extras.benchmarks import (
    boards,
    definitions,
    leaderboard_rows,
    lookup,
    models,
    similarity,
    submission_estimates,
)
from tracker.extras.benchmarks.board_estimates import MEANS
from tracker.extras.benchmarks.boards import Board
from tracker.extras.benchmarks.models import Model
from tracker.figures import SEED
from tracker.reports import uncertainty
from tracker.reports.records import Section, read
from tracker.rows import Rows, rows_from
from tracker.store import catalog
from tracker.store.state import scope
from tracker.uncertainty import estimates
from tracker.uncertainty.estimates import Estimate

# The views of a score, in the order of its sections.
SCORE_VIEWS = {
    "regression": ("regression_summary", "spearman", "top_decile_recall"),
    "binary": ("auroc", "average_precision"),
    "ordinal": ("ordinal_auprc", "ordinal_threshold"),
    "multilabel": (
        "precision_at_k",
        "ndcg_at_k_multilabel",
        "precision_at_k_by_decile",
        "ndcg_at_k_by_decile",
        "k_for_recall_by_decile",
        "prediction_proportion_at_k",
        "positive_coverage_at_k",
    ),
}
CURVES = {
    "binary": ("roc_point", "precision_recall_point"),
    "ordinal": ("precision_recall_point",),
}


@dataclass(frozen=True)
class Leaderboard:
    """The leaderboard of a benchmark: the entries that are ranked, and the others.

    `boards` holds a ranking for each track and metric, `target_boards` the same target by target.
    `doubts` says which submissions may rest on the truth, or on one another.
    """

    kind: str
    ranked: Rows
    unranked: Rows
    boards: list[Board]
    target_boards: list[Board]
    doubts: list[str]


def score(connection: Connection, submission_id: int, *, curves: bool = False) -> list[Section]:
    """Return a submission's rows of the metric views of its kind."""
    kind = lookup.benchmark_of(connection, lookup.find(connection, submission_id)).kind
    wanted = SCORE_VIEWS[kind] + (CURVES.get(kind, ()) if curves else ())
    names, key = scope.shared(wanted * 2, "submission_id"), {"submission_id": submission_id}
    with scope.computed_once(connection, names, {"submission_id": [submission_id]}):
        return [
            replace(Section.of(view, read(connection, view, key, hides_keys=False)), units="")
            for view in map(catalog.find, wanted)
        ]


def with_intervals(
    connection: Connection, submission_id: int, sections: Sequence[Section]
) -> list[Section]:
    """Return a score's sections with the limits of their figures, and a section of the estimates.

    Estimates are the stored ones, or computed here. `low` and `high` bound the first figure of a
    view that has an interval; the columns of a second one end in its name.
    """
    submission = lookup.find(connection, submission_id)
    benchmark = lookup.benchmark_of(connection, submission)
    found, origin = estimates.stored_or(
        connection,
        "submission_id",
        submission_id,
        lambda: submission_estimates.estimate_submission(
            connection,
            submission,
            benchmark,
            seed=SEED,
            most_replicates=estimates.REPLICATES_UNSTORED,
        ),
        lambda stored: bool(stored) and all(_is_current(one, sections) for one in stored),
    )
    bounded = []
    for section in sections:
        metrics = dict.fromkeys(one.metric for one in found if one.view_name == section.view)
        rows = section.rows
        for metric in metrics:
            suffix = "" if metric == next(iter(metrics)) else f"_{metric}"
            names = {"low": f"low{suffix}", "high": f"high{suffix}"}
            rows = uncertainty.with_intervals(found, section.view, metric, rows, names)
        bounded.append(replace(section, rows=rows))
    rows = uncertainty.estimate_rows(found, ("fold", "target", "lowest_class", "min_class", "k"))
    title = f"How certain the figures are, {origin}"
    return [*bounded, Section("estimate", title, "as defined in docs/statistics.md", "", rows)]


def _is_current(one: Estimate, sections: Sequence[Section]) -> bool:
    """Return whether an estimate is of the value that its figure has in the sections, if any."""
    return all(
        estimates.is_same(one.value, record[one.metric])
        for section in sections
        if section.view == one.view_name
        for record in section.rows.records()
        if all(record[name] == of for name, of in one.row_key.items())
    )


def leaderboard(
    connection: Connection,
    benchmark: Row[Any],
    *,
    track: str | None = None,
    k: int = 10,
    target: str | None = None,
) -> Leaderboard:
    """Return a benchmark's leaderboard by rank; a multi-label one at one k, or of one target.

    Each metric has its own rank; rows are ordered by the first. Raises InputRefused if `k` is not
    in the table cutoff, or the benchmark is not ranked by target.
    """
    if benchmark.kind == "multilabel":
        cutoffs = connection.execute(sa.select(schema.cutoff.c.k).order_by(schema.cutoff.c.k))
        known = list(cutoffs.scalars())
        if k not in known:
            raise InputRefused(
                f"k = {k} is not in the table cutoff, which has {', '.join(map(str, known))}"
            )
    targets = definitions.target_names(connection, benchmark)
    has_targets = benchmark.kind in MEANS and len(targets) > 1
    target_boards: list[Board] = []
    if has_targets or target is not None:
        by_target, target_boards = target_leaderboard(
            connection, benchmark, track=track, target=target
        )
        if target is not None:
            doubts = _doubts(connection, by_target)
            return Leaderboard(benchmark.kind, *_split(by_target), target_boards, [], doubts)
    key = {} if track is None else {"track": track}
    rows = leaderboard_rows.of_submissions(connection, benchmark, k=k, **key)
    rows, overall = boards.ranked(connection, benchmark, rows, targets, k=k)
    rows = _with_models(connection, rows)
    split = _split(_ordered(rows, "track"))
    doubts = _doubts(connection, rows)
    return Leaderboard(benchmark.kind, *split, overall, target_boards, doubts)


def _doubts(connection: Connection, rows: Rows) -> list[str]:
    """Say which submissions of a leaderboard may rest on the truth, or on one another."""
    at = rows.columns.index("submission_id")
    numbers = sorted({row[at] for row in rows.values})
    note = schema.submission_note
    leaks = connection.execute(
        sa.select(note.c.submission_id, note.c.detail)
        .where(note.c.submission_id.in_(numbers), note.c.kind == "leakage")
        .order_by(note.c.submission_id, note.c.note_number)
    )
    return [
        *(f"#{one.submission_id}: {one.detail}" for one in leaks),
        *similarity.among(connection, numbers),
    ]


def target_leaderboard(
    connection: Connection,
    benchmark: Row[Any],
    *,
    track: str | None = None,
    target: str | None = None,
) -> tuple[Rows, list[Board]]:
    """Return the ranks of each target, or of one, among the submissions that complete it.

    Raises InputRefused for a kind whose submissions have one target or none, and for an unknown
    target.
    """
    if benchmark.kind not in MEANS:
        raise InputRefused(
            f"'{benchmark.name}' is not ranked by target: {benchmark.kind} benchmarks have one "
            "ranking"
        )
    key = {} if track is None else {"track": track}
    if target is not None:
        known = definitions.target_names(connection, benchmark)
        if target not in known:
            raise no_such("target", target, known, f"known: {', '.join(known)}")
        key["target"] = target
    rows = leaderboard_rows.of_targets(connection, benchmark, **key)
    rows, found = boards.ranked(connection, benchmark, rows, [])
    rows = _with_models(connection, rows)
    return _ordered(rows, "track", "target"), found


def _with_models(connection: Connection, rows: Rows) -> Rows:
    """Add to each row of a leaderboard what its submitter states of the model, or NULLs."""
    names = [one.name for one in fields(Model)]
    at = rows.columns.index("submission_id")
    known = models.of_submissions(connection, [row[at] for row in rows.values])
    values = [
        (*row, *(getattr(known.get(row[at]), name, None) for name in names)) for row in rows.values
    ]
    return Rows([*rows.columns, *names], values)


def _split(rows: Rows) -> tuple[Rows, Rows]:
    """Return the rows that have a rank, and the others."""
    ranks = [index for index, name in enumerate(rows.columns) if name.endswith("_rank")]
    ranked = [row for row in rows.values if any(row[rank] is not None for rank in ranks)]
    others = [row for row in rows.values if all(row[rank] is None for rank in ranks)]
    return Rows(rows.columns, ranked), Rows(rows.columns, others)


def _ordered(rows: Rows, *first: str) -> Rows:
    """Order rows by the columns `first`, then by rank and place, those without one last."""
    at = {name: index for index, name in enumerate(rows.columns)}
    ranks = [at[name] for suffix in ("_rank", "_place") for name in at if name.endswith(suffix)]

    def order(row: tuple[Any, ...]) -> tuple[Any, ...]:
        own = [math.inf if row[rank] is None else row[rank] for rank in ranks]
        return (*[row[at[name]] for name in first], *own, row[at["submission_id"]])

    return Rows(rows.columns, sorted(rows.values, key=order))


def listing(connection: Connection) -> Rows:
    """Return all benchmarks with targets, items, submissions and whether they have truth."""
    benchmark, submission = schema.benchmark, schema.submission
    target, truth = schema.benchmark_target, schema.truth_set
    n_targets = sa.select(sa.func.count()).where(target.c.benchmark_id == benchmark.c.benchmark_id)
    n_submissions = sa.select(sa.func.count()).where(
        submission.c.benchmark_id == benchmark.c.benchmark_id
    )
    loaded_at = sa.select(truth.c.loaded_at).where(truth.c.benchmark_id == benchmark.c.benchmark_id)
    result = connection.execute(
        sa.select(
            benchmark.c.name,
            benchmark.c.kind,
            benchmark.c.preset,
            benchmark.c.n_items,
            n_targets.scalar_subquery().label("n_targets"),
            n_submissions.scalar_subquery().label("n_submissions"),
            benchmark.c.created_at,
            loaded_at.scalar_subquery().label("truth_loaded_at"),
        ).order_by(benchmark.c.benchmark_id)
    )
    return rows_from(result)
