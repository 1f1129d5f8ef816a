"""Collects the report of one evaluation: facts, warnings, and one section per view."""

from datetime import UTC
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

from tracker.report import uncertainty
from tracker.report.build import Report, Section
from tracker.rows import Rows
from tracker.store import catalog, schema
from tracker.uncertainty import estimates

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


def build(connection: Connection, evaluation: Row[Any]) -> Report:
    """Collect the report of `evaluation`, a row of that table; fast in `scope.of_evaluation`."""
    views = {view.name: view for view in catalog.read_views()}
    sections = [
        Section(
            name,
            views[name].header["Title"],
            views[name].header["Formula"],
            views[name].header["Units"],
            _section_rows(connection, views[name], evaluation.evaluation_id),
        )
        for name in SECTIONS
    ]
    found, origin = estimates.stored_or(
        connection,
        "evaluation_id",
        evaluation.evaluation_id,
        lambda: estimates.estimate_evaluation(
            connection,
            evaluation,
            seed=estimates.SEED,
            most_replicates=estimates.REPLICATES_UNSTORED,
        ),
    )
    sections.append(
        Section(
            "estimate",
            "How sure the figures are",
            "intervals as defined in docs/statistics.md",
            "value, low and high as in the figure's view; n counts pairs, n_units what is drawn",
            uncertainty.listed(found, ("ranker", "cutoff_year", "approval_year", "k")),
        )
    )
    facts = {**_facts(connection, evaluation), "intervals": origin}
    return Report(facts, _warnings(connection, evaluation), sections)


def _section_rows(connection: Connection, view: catalog.View, evaluation_id: int) -> Rows:
    described = connection.exec_driver_sql("from " + view.name + " limit 0")
    names = [name for name in described.keys() if name != "evaluation_id"]  # noqa: SIM118 - a method
    table = sa.table(view.name, sa.column("evaluation_id"), *[sa.column(name) for name in names])
    source: sa.FromClause = table
    shown: list[sa.ColumnElement[Any]] = []
    for name in names:
        if name == "disease_id":
            source = source.join(schema.disease, table.c[name] == schema.disease.c[name])
            shown.append(schema.disease.c.name.label("disease_name"))
        else:
            shown.append(table.c[name])
    query = sa.select(*shown).select_from(source).where(table.c.evaluation_id == evaluation_id)
    if view.name == "loo_disease":
        query = query.where(table.c.reason.is_not(None))
    query = query.order_by(*[table.c[name] for name in view.grain if name != "evaluation_id"])
    result = connection.execute(query)
    return Rows(list(result.keys()), [tuple(row) for row in result]).without_empty("reason")


def _facts(connection: Connection, evaluation: Row[Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {"evaluation_id": evaluation.evaluation_id}
    for table in (schema.candidate_set, schema.label_set):
        key = f"{table.name}_id"
        row = connection.execute(
            sa.select(table.c.name, table.c.n_pairs).where(table.c[key] == getattr(evaluation, key))
        ).first()
        facts[table.name] = None if row is None else f"{row.name} ({row.n_pairs:,} pairs)"
    return {
        **facts,
        "positive_min_label": evaluation.positive_min_label,
        "created_at": evaluation.created_at.astimezone(UTC).isoformat(),
    }


def _warnings(connection: Connection, evaluation: Row[Any]) -> list[str]:
    key = {"evaluation_id": evaluation.evaluation_id}
    counts = connection.execute(
        text("select * from evaluation_count where evaluation_id = :evaluation_id"), key
    ).one()
    reasons = connection.execute(
        text("select reason from auc where evaluation_id = :evaluation_id"), key
    ).scalars()
    warnings = [f"AUC is not known: {reason}." for reason in reasons if reason]
    if counts.n_candidates is None:
        warnings.append(
            "There is no candidate set: every labeled drug was a candidate for every labeled "
            "disease, and only leave-one-out and temporal runs can be reported."
        )
        return warnings
    n_outside = counts.n_relevant - counts.n_relevant_candidates
    if n_outside:
        warnings.append(
            f"{n_outside:,} of {counts.n_relevant:,} pairs with a label above 0 are no candidates "
            "and count nowhere."
        )
    if counts.n_single_candidate_diseases:
        warnings.append(
            f"{counts.n_single_candidate_diseases:,} diseases have a single candidate: any "
            "ranking of them is perfect."
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
            "Every candidate has the same score: AUC is 0.5 and NDCG is that of the order of "
            "drug_id, which breaks ties."
        )
    return warnings
