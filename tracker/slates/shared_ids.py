"""Several names of one drug or disease in a file: refused in one line for each, or merged.

Names are one entity where the file gives them one identifier, or the store knows them as one.
"""

from collections.abc import Sequence
from typing import Literal, get_args

import sqlalchemy as sa
from sqlalchemy import Connection, FromClause, Row, Table

from tracker import entities, schema, temp_tables
from tracker.entities.kinds import DISEASE, DRUG, Entity
from tracker.errors import MAX_LISTED
from tracker.files import InputFile, Survey
from tracker.store import statements

# What to do with pairs that a file gives under several names.
Choice = Literal["refuse", "merge"]
CHOICES: tuple[Choice, ...] = get_args(Choice)

_MAX_NAMES = 5
# What tells rows of a file apart: the pair, and the names under which the file has it.
KEYS = ("disease_id", "drug_id", "disease_name_number", "drug_name_number")
_ENTITIES = {entity.name: entity for entity in (DISEASE, DRUG)}


def merge(
    connection: Connection, pairs: FromClause, statement: str, values: tuple[str, ...]
) -> Table | None:
    """Return the pairs of a file, resolved just now, each once, merged by a statement.

    None if there is nothing to merge: no drug or disease has several names, or the file repeats a
    pair under one name, which is to be refused.
    """
    statements.run(connection, "synonymous_name")
    if temp_tables.count_rows(connection, "synonymous_name") == 0:
        return None
    _stage(connection, pairs, values)
    if statements.run(connection, "repeated_name").first() is not None:
        return None
    statements.run(connection, statement)
    columns = [sa.Column(name, pairs.c[name].type) for name in (*KEYS[:2], *values)]
    return sa.Table("merged_row", sa.MetaData(), *columns)


def count_pairs(connection: Connection) -> int:
    """Return the number of pairs that `merge` returned."""
    return temp_tables.count_rows(connection, "merged_row")


def record(connection: Connection, sets: Table, set_id: int, n_merged_rows: int) -> None:
    """Store how many rows of a set's file gave way in `merge`, and the names merged."""
    statements.run(connection, "shared_pair")
    merged_set_id = temp_tables.next_key(connection, schema.merged_set.c.merged_set_id)
    connection.execute(
        schema.merged_set.insert(),
        {"merged_set_id": merged_set_id, f"{sets.name}_id": set_id, "n_merged_rows": n_merged_rows},
    )
    statements.run(connection, "append_merged_name", {"merged_set_id": merged_set_id})


def stored(connection: Connection, sets: Table, set_id: int | None) -> Row[tuple[int, ...]] | None:
    """Return n_merged_rows of a set, and how many names and entities it merged; None if none."""
    merged, name = schema.merged_set, schema.merged_name
    return connection.execute(
        sa.select(
            merged.c.n_merged_rows,
            sa.func.count(name.c.drug_id).label("n_drug_names"),
            sa.func.count(sa.distinct(name.c.drug_id)).label("n_drugs"),
            sa.func.count(name.c.disease_id).label("n_disease_names"),
            sa.func.count(sa.distinct(name.c.disease_id)).label("n_diseases"),
        )
        .join(name, name.c.merged_set_id == merged.c.merged_set_id)
        .where(merged.c[f"{sets.name}_id"] == set_id)
        .group_by(merged.c.n_merged_rows)
    ).first()


def listed(names: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are."""
    n_hidden = len(names) - _MAX_NAMES
    more = f" and {n_hidden:,} more" if n_hidden > 0 else ""
    return ", ".join(names[:_MAX_NAMES]) + more


def refuse_repeats(
    connection: Connection, file: InputFile, numbered: FromClause, choice: Choice
) -> None:
    """Raise ProblemsFound for the rows of a file that repeat a pair.

    A row repeats one with the same names. Unless they are to be merged, each drug or disease that
    repeats pairs under several names is one problem, whatever the number of rows.
    """
    survey = Survey(file.table)
    _stage(connection, numbered, ())
    if choice == "refuse":
        _note_shared(connection, file, survey)
    if statements.run(connection, "repeated_name").first() is not None:
        _note_repeats(connection, numbered, survey)
    survey.refuse()


def _note_shared(connection: Connection, file: InputFile, survey: Survey) -> None:
    for entity in _ENTITIES.values():
        entities.register_identifiers(connection, entity)
    statements.run(connection, "synonymous_name")
    statements.run(connection, "shared_pair")
    found = statements.run(connection, "shared_identifier", {"limit": MAX_LISTED}).all()
    for row in found:
        entity = _ENTITIES[row.entity_kind]
        column = entity.file_identifier_column
        if not file.has(column):
            column = entity.name_column
        survey.add(row.row_number, file.title(column), _words(entity, row.identifier, row.names))
    if found:
        survey.add_unworded(found[0].n_found - len(found))


def _words(entity: Entity, identifier: str, names: list[str]) -> str:
    # An entity without an identifier is known outside the store by its folded name.
    shared = identifier if entity.normalise(identifier) else f"the {entity.name} '{identifier}'"
    quoted = [f"'{name}'" for name in names]
    return (
        f"{len(names)} names share {shared}: {listed(quoted)}; correct the ids, or merge the names "
        "with --shared-ids merge"
    )


def _note_repeats(connection: Connection, numbered: FromClause, survey: Survey) -> None:
    repeats = statements.run(connection, "repeated_row", {"limit": MAX_LISTED}).all()
    wanted = [row.row_number for row in repeats]
    column = numbered.c
    names = {
        row.row_number: f"'{row.disease_name}', '{row.drug_name}'"
        for row in connection.execute(
            sa.select(column.row_number, column.disease_name, column.drug_name).where(
                column.row_number.in_(wanted)
            )
        )
    }
    for row in repeats:
        message = f"the pair {names[row.row_number]} repeats row {row.first_row}"
        survey.add(row.row_number, "drug_name", message)
    if repeats:
        survey.add_unworded(repeats[0].n_found - len(repeats))


def _stage(connection: Connection, pairs: FromClause, values: tuple[str, ...]) -> None:
    """Put the keys and values of resolved pairs into the temporary table resolved_row."""
    types = {"row_number": sa.BigInteger} | {name: pairs.c[name].type for name in (*KEYS, *values)}
    temp_tables.refill(connection, temp_tables.define("resolved_row", **types), pairs)
