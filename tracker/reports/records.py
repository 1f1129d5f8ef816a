"""The sections of a report: read from views, selected by view, and as one row per value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema
from tracker.figures import METRICS
from tracker.rows import Rows, rows_from
from tracker.store import catalog

_TIER_ORDER = {name: number for number, name in enumerate((*schema.TIERS, "all"), start=1)}

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Section:
    """The reported rows of one view, with the view's title, formula and units."""

    view: str
    title: str
    formula: str
    units: str
    rows: Rows
    # The standing of the figures in a plan; None for counts and lists.
    standing: str | None = None
    # Replaces rows that are too wide for a text, with lines below.
    text_table: Rows | None = None
    notes: tuple[str, ...] = ()
    # Printed instead of an empty table.
    empty: str = "No rows."

    @classmethod
    def of(cls, view: catalog.View, rows: Rows, standing: str | None = None) -> "Section":
        """Return a view's rows with the text of its header."""
        header = view.header
        return cls(
            view.name,
            header["Title"],
            header["Formula"],
            header["Units"],
            rows.without_empty("reason"),
            standing,
        )


def read(
    connection: Connection,
    view: catalog.View,
    keys: Mapping[str, Any],
    among: Mapping[str, Sequence[str]] | None = None,
    *,
    filled: str | None = None,
    hides_keys: bool = True,
) -> Rows:
    """Return the rows of a view with these keys, entities by name instead of number.

    `among` limits the values of further columns, if the view has them; `filled` is a column that
    must have a value. Tiers run from high to all, diseases by hits from the most, the rest in the
    order of the grain.
    """
    described = connection.exec_driver_sql("from " + view.name + " limit 0")
    columns = list(described.keys())
    # The number of a list joins views, and means nothing to a reader.
    hidden = {"list_number", *(keys if hides_keys else ())}
    names = [name for name in columns if name not in hidden]
    table = sa.table(view.name, *[sa.column(name) for name in columns])
    source: sa.FromClause = table
    shown: list[sa.ColumnElement[Any]] = []
    named: dict[str, tuple[sa.ColumnElement[Any], ...]] = {}
    for name in names:
        if name in ("disease_id", "drug_id"):
            entity = schema.metadata.tables[name.removesuffix("_id")]
            source = source.join(entity, table.c[name] == entity.c[name])
            shown.append(entity.c.name.label(name.removesuffix("_id") + "_name"))
            # Ids follow the order of loading.
            named[name] = (sa.func.lower(entity.c.name),)
        else:
            shown.append(table.c[name])
    query = sa.select(*shown).select_from(source)
    query = query.where(*[table.c[name] == value for name, value in keys.items()])
    for name, values in (among or {}).items():
        if name in names:
            query = query.where(table.c[name].in_(values))
    if filled is not None and filled in names:
        query = query.where(table.c[filled].is_not(None))
    for name in view.grain:
        if name == "tier":
            query = query.order_by(sa.case(_TIER_ORDER, value=table.c.tier))
        elif name == "disease_id" and "n_hits" in names:
            # Renderers cut long tables.
            query = query.order_by(table.c.n_hits.desc(), *named.get(name, ()), table.c.disease_id)
        elif name not in keys:
            query = query.order_by(*named.get(name, ()), table.c[name])
    return rows_from(connection.execute(query))


def tidy(sections: Sequence[Section], keys: Sequence[str]) -> Rows:
    """Return a row per value: its view, the row's keys, its name, and the reason if it is NULL.

    Every non-key column is a value, as are the date and source of an event.
    """
    values: list[tuple[Any, ...]] = []
    for section in sections:
        for record in section.rows.records():
            row_keys = [record.get(key) for key in keys]
            reason = record.get("reason")
            values += [
                (
                    section.view,
                    *row_keys,
                    name,
                    value,
                    reason if value is None else None,
                    section.standing,
                )
                for name, value in record.items()
                if name not in keys and name != "reason"
            ]
    return Rows(["view", *keys, "metric", "value", "reason", "standing"], values)


def headline_figures(sections: Sequence[Section]) -> Rows:
    """Return each headline figure of a slate by window, population and tier, with its interval.

    A figure that does not depend on one of these has 'all' there, as in the view headline_figure.
    Without an interval `low` and `high` are None; `reason` says why there is no value.
    """
    dimensions = ("evidence_window", "population", "tier")

    def place(record: Record) -> tuple[str, ...]:
        return tuple(record.get(name) or "all" for name in dimensions)

    limits = {
        (record["figure"], *place(record)): (record["low"], record["high"])
        for record in records(sections, "estimate")
    }
    values = [
        (
            name,
            *place(record),
            record[name],
            *limits.get((name, *place(record)), (None, None)),
            record.get("reason") if record[name] is None else None,
        )
        for name, metric in METRICS.items()
        for record in records(sections, metric.view)
    ]
    return Rows(["metric", *dimensions, "value", "low", "high", "reason"], values)


def records(sections: Sequence[Section], view: str, **keys: Any) -> list[Record]:
    """Return the rows with these values in a view's section, none without the section."""
    return [
        record
        for section in sections
        if section.view == view
        for record in (
            dict(zip(section.rows.columns, row, strict=True)) for row in section.rows.values
        )
        if all(record.get(name) == value for name, value in keys.items())
    ]


def known(sections: Sequence[Section], view: str, column: str) -> list[Record]:
    """Return the rows of a view's section that have a value in `column`."""
    return [record for record in records(sections, view) if record[column] is not None]


def first(sections: Sequence[Section], view: str, **keys: Any) -> Record:
    """Return the first of the rows that `records` finds, an empty one without any."""
    return next(iter(records(sections, view, **keys)), {})


def rows_of(sections: Sequence[Section], view: str) -> Rows:
    """Return the rows of a view's section; raises KeyError if there is no such section."""
    for section in sections:
        if section.view == view:
            return section.rows
    raise KeyError(view)


def only(rows: Rows, **keys: Any) -> Rows:
    """Return the rows with these values, without the columns that are then constant."""
    chosen = [name for name in keys if name in rows.columns]
    kept = [index for index, name in enumerate(rows.columns) if name not in chosen]
    at = {name: rows.columns.index(name) for name in chosen}
    return Rows(
        [rows.columns[index] for index in kept],
        [
            tuple(row[index] for index in kept)
            for row in rows.values
            if all(row[at[name]] == keys[name] for name in chosen)
        ],
    )
