"""Ties the store's drugs to the molecules that ChEMBL releases name, through aliases.

An alias has the time at which it was added, so earlier slates are not matched through it. Nothing
ambiguous becomes an alias: no two drugs come to share an identifier or a name.
"""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection, text

from tracker import clock, schema
from tracker.entities import folding
from tracker.store import statements
from tracker.store.state import scope


@dataclass(frozen=True)
class Linked:
    """How many aliases were added, and how many names were left out as ambiguous."""

    n_aliases: int
    n_ambiguous: int


def link(connection: Connection) -> Linked:
    """Add ChEMBL's identifiers, parents and names of the store's drugs as aliases.

    A molecule that ChEMBL has given another identifier is the same drug under both.
    A second run adds nothing. A drug whose molecule is already another drug of the store gets
    only their common parent; a name that would mean two drugs is left out and counted.
    """
    count = sa.select(sa.func.count()).select_from(schema.drug_alias)
    before = connection.execute(count).scalar_one()
    moment = {"added_at": clock.in_order(connection)}
    folding.prepare(connection)
    with scope.computed_once(connection, ["release_order", "molecule_identity"]):
        statements.run(connection, "append_changed_alias", moment)
        statements.run(connection, "drug_tie")
        statements.run(connection, "append_tied_alias", moment)
        # Of the molecules that were tied just now.
        statements.run(connection, "append_changed_alias", moment)
    statements.run(connection, "append_parent_alias", moment)
    statements.run(connection, "name_claim")
    statements.run(connection, "append_name_alias", moment)
    n_ambiguous = connection.execute(
        text("select count(distinct folded_name) from name_claim where is_ambiguous")
    ).scalar_one()
    n_aliases = connection.execute(count).scalar_one() - before
    return Linked(int(n_aliases), int(n_ambiguous))
