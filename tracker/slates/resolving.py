"""Resolves the drugs and diseases in the rows of a file to those of the store."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, FromClause

from tracker import clock, entities, temp_tables
from tracker.entities.kinds import DISEASE, DRUG, Entity
from tracker.entities.resolution import Created, Problem
from tracker.errors import MAX_LISTED
from tracker.files import Column, InputFile, Survey

if TYPE_CHECKING:
    import pandas as pd

PAIR_COLUMNS = (
    Column("disease_name", synonyms=("disease", "indication", "condition")),
    Column("drug_name", synonyms=("drug", "compound", "molecule")),
    Column("disease_id", required=False),
    Column("chembl_id", required=False),
)


@dataclass(frozen=True)
class Added:
    """What resolving a file's names added to each kind of entity."""

    created: dict[Entity, Created]
    kept_apart: list[str]


def resolve_pairs(
    connection: Connection,
    file: InputFile,
    rows: FromClause,
    *,
    create: bool,
    until: datetime | None = None,
    are_frozen: bool = False,
    skip_unknown: bool = False,
) -> tuple[FromClause, Added]:
    """Return `rows` of a file with the store's disease_id and drug_id, and what was created.

    Added are disease_name_number and drug_name_number, too, which tell the names of one entity
    apart; other columns stay. Without `create` an unknown name is a problem, or with `skip_unknown`
    its rows are left out; with `until`, only aliases added up to then count. Identifiers that
    `are_frozen` may be folded names. Raises ProblemsFound if a name cannot be resolved.
    """
    create_at = clock.in_order(connection) if create else None
    created: dict[Entity, Created] = {}
    kept_apart: list[str] = []
    problems: list[Problem] = []
    joined = rows
    for entity, mentions in _mentions(connection, rows).items():
        resolution = entities.resolve(
            connection,
            entity,
            mentions,
            create_at=create_at,
            until=until,
            are_frozen=are_frozen,
            skip_unknown=skip_unknown,
        )
        problems += resolution.problems
        kept_apart += resolution.kept_apart
        created[entity] = resolution.created
        match = entities.register_matches(connection, entity, resolution.matches)
        name, identifier = _mention_columns(rows, entity)
        is_same = name == match.c.name
        if are_frozen or file.has(entity.file_identifier_column):
            is_same &= identifier.is_not_distinct_from(match.c.identifier)
        joined = joined.join(match, is_same)
    if problems:
        _refuse_unresolved(connection, file, rows, problems)
    kept = [column for column in rows.c if column.name not in ("disease_id", "chembl_id")]
    pairs = sa.select(
        *[
            sa.literal_column(f"{table}.{column}", sa.Integer).label(name)
            for table, column, name in (
                ("resolved_disease", "disease_id", "disease_id"),
                ("resolved_drug", "drug_id", "drug_id"),
                ("resolved_disease", "name_number", "disease_name_number"),
                ("resolved_drug", "name_number", "drug_name_number"),
            )
        ],
        *kept,
    ).select_from(joined)
    return pairs.subquery("pair"), Added(created, kept_apart)


def _mentions(connection: Connection, rows: FromClause) -> dict[Entity, "pd.DataFrame"]:
    """Return the distinct names and identifiers of each entity, from one scan of the rows."""
    disease, drug = (_mention_columns(rows, entity) for entity in (DISEASE, DRUG))
    mentioned = connection.execute(
        sa.select(sa.func.grouping(disease[0]), *disease, *drug).group_by(
            sa.func.grouping_sets(sa.tuple_(*disease), sa.tuple_(*drug))
        )
    ).all()
    columns = ["name", "identifier"]
    return {
        DISEASE: temp_tables.frame_of([row[1:3] for row in mentioned if not row[0]], columns),
        DRUG: temp_tables.frame_of([row[3:] for row in mentioned if row[0]], columns),
    }


def _refuse_unresolved(
    connection: Connection, file: InputFile, rows: FromClause, problems: Sequence[Problem]
) -> None:
    """Raise ProblemsFound, each problem with the first row that has its mention."""
    numbered = rows if "row_number" in rows.c else file.numbered
    survey = Survey(file.table)
    found: list[tuple[int, str, str]] = []
    for entity in (DISEASE, DRUG):
        columns = (entity.name_column, entity.file_identifier_column)
        own = [problem for problem in problems if problem.column_name in columns]
        mention = entities.register_problems(connection, own)
        name, identifier = _mention_columns(numbered, entity)
        is_same = (name == mention.c.name) & identifier.is_not_distinct_from(mention.c.identifier)
        first_row = sa.func.min(numbered.c.row_number)
        statement = (
            sa.select(first_row, mention.c.column_name, mention.c.message)
            .select_from(numbered.join(mention, is_same))
            .group_by(
                mention.c.name, mention.c.identifier, mention.c.column_name, mention.c.message
            )
            .order_by(first_row)
            .limit(MAX_LISTED)
        )
        found += [
            (row, file.title(column), message)
            for row, column, message in connection.execute(statement)
        ]
    for row, column, message in sorted(found)[:MAX_LISTED]:
        survey.add(row, column, message)
    survey.add_unworded(len(problems) - survey.n_problems)
    survey.refuse()


def _mention_columns(
    rows: FromClause, entity: Entity
) -> tuple[ColumnElement[str], ColumnElement[str]]:
    return rows.c[entity.name_column], rows.c[entity.file_identifier_column]
