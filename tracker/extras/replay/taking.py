"""Takes from a store what no file is there for: the rows of a release, claims, aliases.

What is taken is not checked; it lets the rest be rebuilt as it was.
"""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema, temp_tables
from tracker.extras.replay import stored

_ALIASES = (schema.drug_alias, schema.disease_alias)
_ENTITIES = (schema.drug, schema.disease)

# Tables of a release whose rows have numbers of their own, and the tables that name these.
_NUMBERED = {
    schema.indication.c.indication_id: (schema.indication_reference,),
    schema.trial.c.trial_id: (schema.trial_condition, schema.trial_intervention),
    schema.approval.c.approval_id: (),
    schema.approval_product.c.product_id: (schema.product_ingredient,),
    schema.medicine.c.medicine_id: (schema.medicine_substance, schema.medicine_area),
}
_PLAIN = (
    schema.release_coverage,
    schema.record_presence,
    schema.study_number,
    schema.molecule,
    schema.molecule_key,
    schema.molecule_name,
    schema.drug_warning,
    schema.vocabulary_release,
    schema.vocabulary_term,
    schema.vocabulary_name,
    schema.vocabulary_parent,
    schema.vocabulary_mapping,
)


def entities(connection: Connection) -> None:
    """Take all drugs and diseases, with their numbers: no detection reads more than aliases."""
    for table in _ENTITIES:
        _insert(connection, table, sa.select(stored.of(table)))


def aliases(connection: Connection, until: datetime | None) -> None:
    """Take the aliases added until an instant, or all, that are not there yet."""
    for table in _ALIASES:
        held = stored.of(table)
        own = [column == held.c[column.name] for column in table.primary_key]
        wanted = sa.select(held).where(~sa.exists().where(*own))
        if until is not None:
            wanted = wanted.where(held.c.added_at <= until)
        _insert(connection, table, wanted)


def date_aliases(connection: Connection, since: datetime, until: datetime) -> None:
    """Give each alias that an ingestion at `since` added the store's own instant for it.

    That is one before the next step, at `until`; an alias that the store lacks, or has from another
    time, is of the ingestion itself.
    """
    for table in _ALIASES:
        held = stored.of(table)
        own = [column == held.c[column.name] for column in table.primary_key]
        known = (
            sa.select(held.c.added_at)
            .where(*own, held.c.added_at >= since, held.c.added_at <= until)
            .scalar_subquery()
        )
        settled = sa.exists().where(*own, table.c.added_at == held.c.added_at)
        connection.execute(
            table.update()
            .where(~settled, table.c.added_at > since)
            .values(added_at=sa.func.coalesce(known, since))
        )


def release(connection: Connection, row: sa.Row[Any]) -> None:
    """Take a release with all that the store has from it, under numbers of this store."""
    values = dict(row._mapping)
    values["release_id"] = release_id = temp_tables.next_key(
        connection, schema.release.c.release_id
    )
    connection.execute(schema.release.insert(), values)
    for table in _PLAIN:
        held = stored.of(table)
        wanted = sa.select(held).where(held.c.release_id == row.release_id)
        _insert(connection, table, wanted, release_id=sa.literal(release_id))
    for key, children in _NUMBERED.items():
        held = stored.of(key.table)
        own = held.c[key.name]
        offset = temp_tables.next_key(connection, key) - 1
        number = (sa.func.row_number().over(order_by=own) + offset).label("number")
        numbered = (
            sa.select(own.label("held_number"), number)
            .where(held.c.release_id == row.release_id)
            .subquery()
        )
        joined = own == numbered.c.held_number
        wanted = sa.select(held).join(numbered, joined)
        renumbered = {"release_id": sa.literal(release_id), key.name: numbered.c.number}
        _insert(connection, key.table, wanted, **renumbered)
        for child in children:
            of_child = stored.of(child)
            joined = of_child.c[key.name] == numbered.c.held_number
            wanted = sa.select(of_child).join(numbered, joined)
            _insert(connection, child, wanted, **{key.name: numbered.c.number})


def claims(connection: Connection, at: datetime) -> None:
    """Take the claims about the world that the store recorded at an instant."""
    held = stored.of(schema.event)
    offset = temp_tables.next_key(connection, schema.event.c.event_id) - 1
    number = sa.func.row_number().over(order_by=held.c.event_id) + offset
    wanted = sa.select(held).where(
        held.c.recorded_at == at, held.c.event_origin != "detected", held.c.slate_id.is_(None)
    )
    _insert(connection, schema.event, wanted, event_id=number, release_id=sa.null())


def _insert(
    connection: Connection, table: sa.FromClause, rows: sa.Select[Any], **changed: Any
) -> None:
    """Insert rows of the attached store's table of the same name, some columns replaced."""
    names = [column.name for column in rows.selected_columns]
    columns = [
        changed.get(column.name, column).label(column.name) for column in rows.selected_columns
    ]
    connection.execute(
        sa.insert(table).from_select(names, rows.with_only_columns(*columns))  # type: ignore[arg-type]
    )
