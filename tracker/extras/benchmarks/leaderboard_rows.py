"""The rows of a leaderboard: those of the view, with a column for each figure and its place."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row

from tracker.extras.benchmarks.board_estimates import MEANS
from tracker.rows import Rows
from tracker.uncertainty.estimates.records import query

# The figures of a kind, and the columns of the places of those that are ranked. The means over
# targets have the same with mean_ before the figure.
_FIGURES: Mapping[str, Mapping[str, str | None]] = {
    "regression": {
        "spearman": "spearman_place",
        "top_decile_recall": "recall_place",
        "top_decile_recall_optimistic": None,
        "top_decile_recall_pessimistic": None,
    },
    "binary": {"auroc": "auroc_place", "average_precision": "average_precision_place"},
    "ordinal": {
        "ordinal_auprc": "auprc_place",
        "ordinal_nap": "nap_place",
        "severity_ordering_ap": "severity_place",
    },
    "multilabel": {
        "precision_at_k": "precision_place",
        "nr_at_k": "nr_place",
        "ndcg_at_k": "ndcg_place",
        "ndcg_at_k_full_ideal": None,
    },
}
_SUBMISSION = ("submission_id", "track", "submitter", "is_partial", "is_frozen_before_truth")
_TARGET = ("submission_id", "target", "track", "submitter", "n_items", "n_values", "is_complete")
_DISTANT = (
    "(select submission_id, count(distant_value.item_id) as n_distant_values "
    "from submission left join distant_value using (submission_id) group by submission_id)"
)


def of_targets(connection: Connection, benchmark: Row[Any], **key: Any) -> Rows:
    """Return a row per submission and target of a benchmark, those with this key."""
    view = "leaderboard inner join target_completeness using (submission_id, target)"
    figures = _FIGURES[benchmark.kind]
    return _read(connection, benchmark, view, (_TARGET, figures, ()), key)


def of_submissions(
    connection: Connection, benchmark: Row[Any], *, k: int | None = None, **key: Any
) -> Rows:
    """Return a row per submission to a benchmark, those with this key; of lists at one `k`."""
    view, figures = "leaderboard", _FIGURES[benchmark.kind]
    before, after = [*_SUBMISSION], list[str]()
    if benchmark.kind in MEANS:
        view += " inner join submission_completeness using (submission_id)"
        before.append("n_targets")
        after += ["n_complete_targets", "n_benchmark_targets"]
        figures = {f"mean_{figure}": place for figure, place in figures.items()}
    if benchmark.kind == "regression":
        view += f" inner join {_DISTANT} using (submission_id)"
        after.insert(0, "n_distant_values")
    if benchmark.kind == "multilabel":
        before.append("k")
        key["k"] = k
    return _read(connection, benchmark, view, (before, figures, after), {**key, "target": None})


def _read(
    connection: Connection,
    benchmark: Row[Any],
    view: str,
    columns: tuple[Sequence[str], Mapping[str, str | None], Sequence[str]],
    key: Mapping[str, Any],
) -> Rows:
    """Return a row for all figures of the same facts, which are the columns around the figures.

    Its reason is that of the first figure without a place.
    """
    before, figures, after = columns
    facts = (*before, *after)
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for *own, figure, value, place, reason in connection.execute(
        query(
            view,
            (*facts, "figure", "value", "place", "leaderboard.reason"),
            ("submission_id", "target"),
            benchmark_id=benchmark.benchmark_id,
            kind=benchmark.kind,
            **key,
        )
    ):
        row = found.setdefault(tuple(own), dict(zip(facts, own, strict=True)))
        row |= {figure: value, f"place {figure}": place, f"reason {figure}": reason}
    for row in found.values():
        row |= {column: row[f"place {figure}"] for figure, column in figures.items() if column}
        reasons = [row[f"reason {figure}"] for figure in figures]
        row["reason"] = next((reason for reason in reasons if reason is not None), None)
    names = [name for pair in figures.items() for name in pair if name is not None]
    names = [*before, *names, *after, "reason"]
    return Rows(names, [tuple(row[name] for name in names) for row in found.values()])
