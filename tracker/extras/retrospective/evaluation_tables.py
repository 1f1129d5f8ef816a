"""Tables of at most 80 columns for the sections of an evaluation's report."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from tracker.reports.records import Record, Section
from tracker.reports.words import NOTHING, with_limits
from tracker.rows import Rows, shown

# Longer names are cut, so that tables fit; csv and json have them whole.
_LONGEST_RANKER = len("degree_product")
_LONGEST_DISEASE = 30


def text_table(section: Section) -> Section:
    """Return a section with the table that its texts show; figures have their interval with them.

    Lines below the table of estimates state which figures have no interval, and why.
    """
    found = section.rows.records()
    if section.view == "evaluation_count":
        counts = [(name, value) for one in found for name, value in one.items()]
        return replace(section, text_table=Rows(["count", "value"], counts))
    table = _TABLES.get(section.view)
    if table is None:
        return section
    rows = Rows.of(table, found)
    notes = _reasons(found) if section.view == "estimate" else tuple(_ties(section.view, found))
    return replace(section, text_table=rows, notes=notes)


def _reasons(found: Sequence[Record]) -> tuple[str, ...]:
    """Return a line for each reason why figures have no interval, with these figures."""
    lines: dict[str, list[str]] = {}
    for one in found:
        if one["low"] is None:
            lines.setdefault(one["reason"], []).append(_figure_name(one))
    return tuple(f"{'; '.join(names)}: {reason}" for reason, names in lines.items())


def _ties(view: str, found: Sequence[Record]) -> Iterator[str]:
    """Yield a line for each ranker whose figures depend on how equal scores are ordered."""
    if view == "ndcg_by_disease":
        yield "worst, best: NDCG with equal scores in the worst and in the best order"
    if view not in ("ndcg_at_k", "hit_at_k"):
        return
    lines: dict[str | None, list[str]] = {}
    for one in found:
        worst, best = one[f"{view}_pessimistic"], one[f"{view}_optimistic"]
        if worst is not None and worst < best:
            part = f"k = {one['k']}: {_digits(worst)} to {_digits(best)}"
            lines.setdefault(one.get("ranker"), []).append(part)
    for ranker, parts in lines.items():
        of = "" if ranker is None else f"{_shortened(ranker, _LONGEST_RANKER)}, "
        yield f"{of}equal scores in the worst and in the best order: {'; '.join(parts)}"


def _figure_name(one: Record) -> str:
    """Name a figure by its view and by the ranker, years and cut-off of its row."""
    parts = [one["figure"]]
    if one["ranker"] is not None:
        parts.append(_shortened(one["ranker"], _LONGEST_RANKER))
    if one["cutoff_year"] is not None:
        parts.append(f"{one['cutoff_year']} to {one['approval_year']}")
    if one["k"] is not None:
        parts.append(f"k = {one['k']}")
    return ", ".join(parts)


def _shortened(name: str, most: int) -> str:
    text = shown(name)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _digits(value: float) -> str:
    return f"{value:.3f}"


def _with_interval(figure: str) -> Callable[[Record], str]:
    return lambda one: with_limits(one[figure], one["low"], one["high"], of=_digits)


def _figure(column: str) -> Callable[[Record], str]:
    return lambda one: NOTHING if one[column] is None else _digits(one[column])


def _ranker(one: Record) -> str:
    return _shortened(one["ranker"], _LONGEST_RANKER)


def _disease(one: Record) -> str:
    return _shortened(one["disease_name"], _LONGEST_DISEASE)


# The columns of each section's table, and the function that makes a row's cell in each.
_TABLES: dict[str, dict[str, Callable[[Record], Any]]] = {
    "auc": {
        "positives": itemgetter("n_positive"),
        "others": itemgetter("n_negative"),
        "AUC (95%)": _with_interval("auc"),
    },
    "ndcg_at_k": {
        "k": itemgetter("k"),
        "diseases": itemgetter("n_diseases"),
        "skipped": itemgetter("n_skipped"),
        "NDCG (95%)": _with_interval("ndcg_at_k"),
    },
    "hit_at_k": {
        "ranker": _ranker,
        "k": itemgetter("k"),
        "trials": itemgetter("n_trials"),
        "hits": lambda one: f"{one['hits']:.1f}",
        "Hit@K (95%)": _with_interval("hit_at_k"),
        "macro": _figure("hit_at_k_macro"),
        "filtered": _figure("hit_at_k_filtered"),
    },
    "temporal_auc": {
        "ranker": _ranker,
        "up to": itemgetter("cutoff_year"),
        "year": itemgetter("approval_year"),
        "positives": itemgetter("n_positive"),
        "others": itemgetter("n_negative"),
        "AUC (95%)": _with_interval("temporal_auc"),
    },
    "ndcg_by_disease": {
        "disease": _disease,
        "k": itemgetter("k"),
        "relevant": itemgetter("n_relevant"),
        "in first k": lambda one: f"{one['relevant_in_first_k']:.1f}",
        "NDCG": _figure("ndcg"),
        "worst": _figure("ndcg_pessimistic"),
        "best": _figure("ndcg_optimistic"),
    },
    "loo_disease": {
        "disease": _disease,
        "labeled": itemgetter("n_labeled"),
        "reason": itemgetter("reason"),
    },
    "estimate": {
        "figure": _figure_name,
        "diseases": itemgetter("n_units"),
        "value (95%)": _with_interval("value"),
    },
}
