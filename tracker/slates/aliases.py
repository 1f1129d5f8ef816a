"""Loads names and identifiers that evidence may use for known drugs and diseases."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import clock, entities, files, schema, temp_tables
from tracker.entities import folding
from tracker.entities.kinds import DISEASE, DRUG, Entity
from tracker.files import Column, Survey
from tracker.slates.loads import Loaded

COLUMNS = (
    Column("entity", choices=("drug", "disease")),
    Column("name"),
    Column(
        "kind", choices=tuple(dict.fromkeys(schema.DRUG_ALIAS_KINDS + schema.DISEASE_ALIAS_KINDS))
    ),
    Column("value"),
)


def load_aliases(connection: Connection, path: Path, *, allow_extra: bool = False) -> Loaded:
    """Add names and identifiers that evidence may use for a known drug or disease.

    Earlier slates are not matched through them. Raises ProblemsFound for an unknown
    entity, a kind that the entity does not have, or a value that already means another entity.
    """
    file = files.read(connection, path, COLUMNS, allow_extra=allow_extra)
    rows = connection.execute(sa.select(file.numbered)).all()
    added_at = clock.in_order(connection)
    n_added = 0
    survey = Survey(file.table)
    for entity in (DRUG, DISEASE):
        own = [row for row in rows if row.entity == entity.name]
        names = temp_tables.frame_of({"name": [row.name for row in own], "identifier": None})
        resolution = entities.resolve(connection, entity, names.drop_duplicates())
        matched = dict(zip(resolution.matches["name"], resolution.matches[entity.key], strict=True))
        unknown = {problem.name: problem.message for problem in resolution.problems}
        alias = entity.alias.c
        known = connection.execute(sa.select(alias.kind, alias.value, alias[entity.key])).all()
        # A parent may be that of several drugs.
        held = {(kind, value, key) for kind, value, key in known}
        stored = {(kind, value): key for kind, value, key in known}
        names_stored = {
            value: (kind, key)
            for (kind, value), key in stored.items()
            if kind in ("name", "synonym")
        }
        added: list[dict[str, object]] = []
        for row in own:
            if row.name in unknown:
                survey.add(row.row_number, "name", unknown[row.name])
                continue
            value = _alias_value(entity, row.kind, row.value)
            if not value:
                message = (
                    f"'{row.value}' cannot be the {row.kind} of a {entity.name}"
                    if value is None
                    else f"is empty: the {row.kind} has only characters that cannot be seen"
                )
                survey.add(row.row_number, "value", message)
                continue
            key = int(matched[row.name])
            if (row.kind, value, key) in held:
                continue
            is_name = row.kind in ("name", "synonym")
            own_kind = (row.kind, stored.get((row.kind, value), key))
            kind, owner = names_stored.get(value, own_kind) if is_name else own_kind
            if owner != key and row.kind != "parent_chembl_id":
                message = f"'{row.value}' is already a {kind} of another {entity.name}"
                survey.add(row.row_number, "value", message)
                continue
            held.add((row.kind, value, key))
            stored[row.kind, value] = key
            if is_name:
                names_stored[value] = (row.kind, key)
            added.append({"kind": row.kind, "value": value, entity.key: key, "added_at": added_at})
        temp_tables.insert_rows(connection, entity.alias, added)
        n_added += len(added)
    survey.refuse()
    return Loaded(path.name, n_added, file.n_rows)


def _alias_value(entity: Entity, kind: str, value: str) -> str | None:
    kinds = schema.DRUG_ALIAS_KINDS if entity is DRUG else schema.DISEASE_ALIAS_KINDS
    if kind not in kinds:
        return None
    if kind in ("name", "synonym"):
        return entities.fold(value)
    identifier = entity.normalise(folding.shown(value))
    if identifier is None or kind not in (entity.alias_kind(identifier), "parent_chembl_id"):
        return None
    return identifier
