"""Lists the predictions whose falsification criteria fall due."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import schema
from tracker.rows import Rows, rows_from
from tracker.store.state import scope

# Months by the calendar: a criterion of three years is due within three years.
_LAST_DAY = sa.text(
    "(select cast(reported_on + to_months(:months) + to_days(:days) as date) from report_day)"
)


def due(connection: Connection, slate: Row[Any] | None, *, days: int, months: int) -> Rows:
    """Return the open predictions of one or all slates due within the time, soonest first.

    One row per prediction, from the view falsification_due with names instead of keys. Due dates
    are counted from the connection's as-of day, else from today (UTC).
    """
    names = ("tier", "due_date", "days_to_due", "criterion_text")
    view = sa.table(
        "falsification_due",
        sa.column("slate_id", sa.Uuid),
        sa.column("disease_id"),
        sa.column("drug_id"),
        *[sa.column(name) for name in names],
    )
    disease, drug = schema.disease, schema.drug
    query = (
        sa.select(
            view.c.due_date,
            view.c.days_to_due,
            view.c.slate_id,
            disease.c.name.label("disease_name"),
            drug.c.name.label("drug_name"),
            view.c.tier,
            view.c.criterion_text,
        )
        .join(disease, disease.c.disease_id == view.c.disease_id)
        .join(drug, drug.c.drug_id == view.c.drug_id)
        .where(view.c.due_date <= _LAST_DAY)
        .order_by(
            view.c.due_date,
            view.c.slate_id,
            disease.c.name,
            drug.c.name,
            view.c.disease_id,
            view.c.drug_id,
        )
    )
    if slate is not None:
        query = query.where(view.c.slate_id == slate.slate_id)
    with scope.of_views(connection, "falsification_due"):
        return rows_from(connection.execute(query, {"days": days, "months": months}))
