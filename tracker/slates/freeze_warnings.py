"""Warnings of a freeze: doubts about its sets, and notes on what it left out or could not tell.

Doubts should be settled before the slate is stored, since it stays. Nothing is refused.
"""

from collections.abc import Iterator
from math import sqrt
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row

from tracker.errors import some
from tracker.slates import freezing
from tracker.store import statements

# Below this, what is known ranks so low that the reverse order would be a fair model; and by so
# many standard errors of an order that says nothing, so that a few labels do not suffice.
MOST_REVERSED_AUC, _ERRORS = 0.3, 3
# Of fewer candidates, the numbers 1 to n may well be scores.
_FEWEST_RANKS = 10
# Where a smaller share of the drugs has a label, nearly all of them are of breadth 0, and popular
# drugs cannot be told from others.
_LEAST_LABELED_SHARE = 0.1


class Warnings(NamedTuple):
    """The doubts about a slate and further notes on it, a sentence each."""

    doubts: list[str]
    notes: list[str]


def of_slate(connection: Connection, slate: Row[Any]) -> Warnings:
    """Return the warnings of a slate; none for one that was not frozen here."""
    if slate.origin != "frozen":
        return Warnings([], [])
    left_out = freezing.left_out(connection, slate)
    doubts = [*_of_labels_and_scores(connection, slate)]
    if left_out.n_candidates and not (left_out.n_beyond or left_out.n_low):
        which = " that was not known" if left_out.n_known else ""
        doubts.append(
            f"every candidate{which} is predicted, so that little is left to compare with: give a "
            "smaller --top-k, or load all pairs that the model scored"
        )
    notes = [*_of_ties(connection, slate), *_of_knowledge(connection, slate, left_out)]
    return Warnings(doubts, notes)


def is_reversed(auc: float | None, standard_error: float | None) -> bool:
    """Whether what is known ranks so low that scores are likely better where they are lower."""
    if auc is None or standard_error is None:
        return False
    return auc < MOST_REVERSED_AUC and 0.5 - auc > _ERRORS * standard_error


def reversed_warning(auc: float, what: str) -> str:
    """Return the question for known pairs that rank at the bottom."""
    return (
        f"known pairs are at the bottom of the ranking: one outscores {what} in {auc:.0%} of "
        "comparisons; is lower better? 'tracker load candidates --lower-is-better' loads ranks "
        "and distances"
    )


def null_error(n_positive: int, n_negative: int) -> float:
    """Return the standard error of an AUC where scores say nothing (Mann and Whitney 1947)."""
    return sqrt((n_positive + n_negative + 1) / (12 * n_positive * n_negative))


def _of_labels_and_scores(connection: Connection, slate: Row[Any]) -> Iterator[str]:
    sets = {"candidate_set_id": slate.candidate_set_id, "label_set_id": slate.label_set_id}
    key = {"slate_id": str(slate.slate_id), "candidate_set_id": slate.candidate_set_id}
    fit = None
    if slate.label_set_id is not None:
        fit = statements.run(connection, "label_fit", {**key, **sets}).one()
        if fit.n_fitting == 0:
            found = statements.run(connection, "like_named", sets).all()
            yield (
                "no label is of a candidate, so that nothing counts as known and no drug as "
                f"popular: {_cause(found)}"
            )
        elif fit.n_labeled_drugs < _LEAST_LABELED_SHARE * fit.n_drugs:
            yield (
                f"few labels: {fit.n_labeled_drugs:,} of {fit.n_drugs:,} candidate drugs have "
                "one, so that popular drugs can hardly be told from others"
            )
    if fit is not None and is_reversed(fit.auc, fit.standard_error):
        yield reversed_warning(fit.auc, "another candidate of its disease")
        return
    if fit is not None and is_reversed(fit.auc and 1 - fit.auc, fit.standard_error):
        return
    ranked = statements.run(connection, "rank_like_score", key).one()
    if ranked.is_ranked and ranked.longest >= _FEWEST_RANKS:
        yield (
            "scores are the numbers from 1 in each disease, the highest predicted first; are they "
            "ranks, 1 the best? 'tracker load candidates --lower-is-better' loads them so"
        )


def _cause(found: list[Row[Any]] | Any) -> str:
    """Return in words why labels fit no candidate."""
    if not found:
        return (
            "the two may name their drugs or diseases differently; 'tracker load aliases' can "
            "join the names"
        )
    pairs = [
        f"{one.kind} '{one.labeled_name}' of the labels is '{one.candidate_name}' in the candidates"
        for one in found
    ]
    return f"{' and '.join(pairs)}, for one; write both alike and load them again"


def _of_ties(connection: Connection, slate: Row[Any]) -> Iterator[str]:
    """Yield where the model has fewer distinct scores than predictions."""
    ties = freezing.ties(connection, slate)
    if ties is None:
        return
    if ties.n_coarse_diseases:
        named = ", ".join(f"'{name}'" for name in ties.coarse_diseases)
        more = ties.n_coarse_diseases - len(ties.coarse_diseases)
        yield (
            f"fewer distinct scores than predictions in {ties.n_coarse_diseases:,} of "
            f"{ties.n_diseases:,} diseases: {named}{f' and {more:,} more' if more else ''}; "
            "what the model does not tell apart, the slate cannot either"
        )
    elif ties.n_coarse_scores:
        yield (
            f"the model has fewer distinct scores than predictions, {ties.n_coarse_scores:,}: "
            "lists over all diseases end within ties"
        )


def _of_knowledge(
    connection: Connection, slate: Row[Any], left_out: freezing.LeftOut
) -> Iterator[str]:
    if left_out.n_low:
        n = left_out.n_diseases
        emptied = f", {n:,} {'disease' if n == 1 else 'diseases'} as a whole" if n else ""
        yield (
            f"{left_out.n_low:,} of the best candidates scored below "
            f"{slate.parameters['min_score']:.15g} and were left out{emptied}; see --min-score"
        )
    unlabeled = freezing.unlabeled(connection, slate)
    if unlabeled:
        are = "prediction is" if len(unlabeled) == 1 else "predictions are"
        yield (
            f"{len(unlabeled):,} {are} known by the evidence in the store and not by the labels, "
            f"and so not novel: {some(unlabeled)}"
        )
    if slate.label_set_id is None:
        yield "no --labels: nothing counts as known and enrichment versus popularity stays unknown"
