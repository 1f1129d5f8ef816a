"""Collects the report of one evaluation: facts, warnings, and one section per view."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any

from sqlalchemy import Connection, Row, text

from tracker import schema
from tracker.extras.retrospective import evaluation_estimates, evaluation_tables
from tracker.reports import uncertainty
from tracker.reports.build import set_names
from tracker.reports.kinds import Kind, Report
from tracker.reports.records import Record, Section, read, records
from tracker.slates import freeze_warnings, shared_ids
from tracker.store import catalog
from tracker.uncertainty.estimates import Estimate

EVALUATION = Kind(
    "evaluation",
    "Evaluation {evaluation_id}",
    ("ranker", "cutoff_year", "approval_year", "k", "disease_name", "figure", "method"),
    "tracker.extras.retrospective.evaluation_page",
    evaluation_tables.text_table,
)

# The sections, each the view of that name, in reading order.
SECTIONS = (
    "evaluation_count",
    "auc",
    "ndcg_at_k",
    "hit_at_k",
    "temporal_auc",
    "ndcg_by_disease",
    "loo_disease",
)

# Sections limited to rows that have a value in a column.
_FILLED = {"loo_disease": "reason"}


def build(connection: Connection, evaluation: Row[Any]) -> Report:
    """Collect the report of `evaluation`, a row of that table; fast in `scope.of_evaluation`."""
    key = {"evaluation_id": evaluation.evaluation_id}
    sections = [
        Section.of(view, read(connection, view, key, filled=_FILLED.get(view.name)))
        for view in map(catalog.find, SECTIONS)
    ]
    found, origin = evaluation_estimates.reported_evaluation(connection, evaluation)
    sections = [_with_interval(section, found) for section in sections]
    sections.append(
        Section(
            "estimate",
            "How certain the figures are",
            "95 % intervals as defined in docs/statistics.md, clustered by disease; no figure has "
            "a p value",
            "value, low and high as in the figure's view; n counts pairs, or diseases for NDCG; "
            "n_units diseases",
            uncertainty.estimate_rows(found, ("ranker", "cutoff_year", "approval_year", "k")),
        )
    )
    facts = {
        **key,
        **set_names(connection, evaluation),
        "positive_min_label": evaluation.positive_min_label,
        "created_at": evaluation.created_at.astimezone(UTC).isoformat(),
        "intervals": origin,
    }
    return Report(facts, _warnings(connection, evaluation, sections), sections, EVALUATION)


def _with_interval(section: Section, found: Sequence[Estimate]) -> Section:
    if section.view not in evaluation_estimates.EVALUATION_KEYS:
        return section
    names = {name: name for name in ("low", "high", "method")}
    rows = uncertainty.with_intervals(found, section.view, section.view, section.rows, names)
    return replace(section, rows=rows)


def _reversal(auc: Record) -> list[str]:
    """Return the question whether lower is better, where known pairs are at the bottom."""
    if auc["auc"] is None:
        return []
    error = freeze_warnings.null_error(auc["n_positive"], auc["n_negative"])
    if not freeze_warnings.is_reversed(auc["auc"], error):
        return []
    said = freeze_warnings.reversed_warning(auc["auc"], "another candidate")
    return [f"{said[:1].upper()}{said[1:]}."]


def _warnings(
    connection: Connection, evaluation: Row[Any], sections: Sequence[Section]
) -> list[str]:
    (counts,), (auc,) = records(sections, "evaluation_count"), records(sections, "auc")
    warnings = [f"AUC is not known: {auc['reason']}."] if auc.get("reason") else []
    warnings += _reversal(auc)
    warnings += _merge_warnings(connection, evaluation)
    if counts["n_candidates"] is None:
        warnings.append(
            "There is no candidate set: every labeled drug was a candidate for every labeled "
            "disease, and only leave-one-out and temporal runs can be reported."
        )
        return warnings
    n_outside = counts["n_relevant"] - counts["n_relevant_candidates"]
    if n_outside:
        warnings.append(
            f"{n_outside:,} of {counts['n_relevant']:,} pairs with a label above 0 are not "
            "candidates and are not counted."
        )
    if n_single := counts["n_single_candidate_diseases"]:
        warnings.append(
            f"Diseases with a single candidate: {n_single:,}. Any ranking of these is perfect."
        )
    spread = connection.execute(
        text(
            "select min(score) = max(score) from candidate "
            "where candidate_set_id = :candidate_set_id"
        ),
        {"candidate_set_id": evaluation.candidate_set_id},
    ).scalar()
    if spread:
        warnings.append(
            "Every candidate has the same score: AUC, where there are both classes, is 0.5, and "
            "NDCG is the mean over all orders of the candidates."
        )
    return warnings


def _merge_warnings(connection: Connection, evaluation: Row[Any]) -> list[str]:
    warnings = []
    for sets, what, value in (
        (schema.candidate_set, "candidates", "score"),
        (schema.label_set, "labels", "label"),
    ):
        set_id = getattr(evaluation, f"{sets.name}_id")
        merged = shared_ids.stored(connection, sets, set_id)
        if merged is not None:
            n_names = merged.n_drug_names + merged.n_disease_names
            n_entities = merged.n_drugs + merged.n_diseases
            warnings.append(
                f"{merged.n_merged_rows:,} {'row' if merged.n_merged_rows == 1 else 'rows'} of "
                f"the {what} gave way to others, because {n_names:,} names share {n_entities:,} "
                f"{'identifier' if n_entities == 1 else 'identifiers'}; the highest {value} of a "
                "pair was kept."
            )
    return warnings
