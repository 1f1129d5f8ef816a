"""Identifiers, names and aliases of the store's drugs and diseases, also at a past instant."""

from collections import defaultdict
from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import temp_tables
from tracker.entities.folding import earlier_fold, fold
from tracker.entities.kinds import Entity

if TYPE_CHECKING:
    import pandas as pd


class KnownAliases:
    """The aliases of one kind of entity that the store had at an instant, or has now.

    Names are compared as they fold now, whichever version stored them.
    """

    def __init__(self, connection: Connection, entity: Entity, until: datetime | None) -> None:
        alias = entity.alias
        statement = sa.select(alias.c.kind, alias.c.value, alias.c[entity.key])
        if until is not None:
            statement = statement.where(alias.c.added_at <= until)
        self.by_name: dict[str, set[int]] = defaultdict(set)
        self.by_value: dict[str, set[int]] = defaultdict(set)
        self.by_identifier: dict[str, int] = {}
        self.identifiers: dict[int, set[str]] = defaultdict(set)
        for kind, value, key in connection.execute(statement):
            if kind in ("name", "synonym"):
                self.add_name(value, key)
            elif kind != "parent_chembl_id":
                self.by_identifier[value] = key
                self.identifiers[key].add(value)

    def add_name(self, value: str, key: int) -> None:
        """Add a name of an entity, in the form in which it is stored."""
        self.by_name[fold(value)].add(key)
        self.by_value[value].add(key)

    def named(self, name: str, folded: str) -> set[int]:
        """Return the keys of the entities with a name; `folded` is its folded form.

        Where only an earlier version told several apart, that version's form decides if it can.
        """
        found = self.by_name.get(folded, set())
        if len(found) > 1:
            as_it_was = self.by_value.get(earlier_fold(name), set())
            return as_it_was if len(as_it_was) == 1 else found
        return found


def identifiers(connection: Connection, entity: Entity) -> "pd.DataFrame":
    """Return each entity's identifier outside the store, with columns for key and identifier.

    That is its official identifier, else the first of its aliases that are identifiers, else the
    name with which it first came.
    """
    known = KnownAliases(connection, entity, None)
    first_names = _first_names(connection, entity)
    rows = connection.execute(
        sa.select(entity.key_column, entity.table.c[entity.identifier_column], entity.table.c.name)
    )
    return temp_tables.frame_of(
        [
            (
                key,
                identifier
                or min(
                    known.identifiers[key],
                    default=next(
                        (one for one in first_names[key] if fold(one) == fold(name)), fold(name)
                    ),
                ),
            )
            for key, identifier, name in rows
        ],
        columns=[entity.key, "identifier"],
    )


def _first_names(connection: Connection, entity: Entity) -> dict[int, list[str]]:
    """Return the names of each entity in the form stored, the oldest first."""
    alias = entity.alias
    statement = (
        sa.select(alias.c[entity.key], alias.c.value)
        .where(alias.c.kind == "name")
        .order_by(alias.c.added_at, alias.c.value)
    )
    found: dict[int, list[str]] = defaultdict(list)
    for key, value in connection.execute(statement):
        found[key].append(value)
    return found


def tie_names(connection: Connection, entity: Entity) -> dict[int, str]:
    """Return the name that breaks ties now for each entity, by entity_tie_name; '' without one."""
    names = ("entity_kind", "entity_id", "folded_name", "named_until")
    view = sa.table("entity_tie_name", *[sa.column(name) for name in names])
    is_current = sa.and_(
        view.c.entity_kind == entity.name,
        view.c.entity_id == entity.key_column,
        view.c.named_until.is_(None),
    )
    found = sa.select(entity.key_column, sa.func.coalesce(view.c.folded_name, "")).select_from(
        entity.table.outerjoin(view, is_current)
    )
    return {int(key): name for key, name in connection.execute(found)}


def register_identifiers(connection: Connection, entity: Entity) -> None:
    """Put `identifiers` into the temporary table drug_identifier or disease_identifier."""
    types = {entity.key: sa.Integer, "identifier": sa.String}
    name = f"{entity.name}_identifier"
    temp_tables.temporary(connection, name, types, identifiers(connection, entity))


def is_known_identifier(connection: Connection, entity: Entity, mention: str) -> bool:
    """Return whether a mention is an identifier that the store knows, rather than a name."""
    identifier = entity.normalise(mention)
    alias = entity.alias
    held = sa.select(alias.c.value).where(
        alias.c.value == identifier, alias.c.kind.not_in(("name", "synonym", "parent_chembl_id"))
    )
    return identifier is not None and connection.execute(held).first() is not None
