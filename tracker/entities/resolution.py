"""Resolves the names and identifiers in files to the store's drugs and diseases.

An entity is identified by its ChEMBL or ontology id where a file has one, else by its folded
name. Matching is exact after folding, never fuzzy.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime

import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection, Table

from tracker.errors import MAX_LISTED, did_you_mean
from tracker.store import filling, keys, schema

_MESH = re.compile(r"[CD][0-9]{6,9}")
_CURIE = re.compile(r"([A-Za-z][A-Za-z0-9.]*)[:_](\S+)")


def fold(name: str) -> str:
    """Case-fold a name and collapse its white space: the form in which names compare."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def chembl_id(text: str) -> str | None:
    """Return a ChEMBL id in its official form, None if `text` is not one."""
    candidate = text.strip().upper()
    return candidate if re.fullmatch(r"CHEMBL[0-9]+", candidate) else None


def ontology_id(text: str) -> str | None:
    """Return an ontology id as PREFIX:NUMBER (EFO_0000270 becomes EFO:0000270), None if none."""
    candidate = text.strip()
    if _MESH.fullmatch(candidate.upper()):
        return f"MESH:{candidate.upper()}"
    match = _CURIE.fullmatch(candidate)
    return f"{match[1].upper()}:{match[2].upper()}" if match else None


def _chembl_kind(_identifier: str) -> str:
    return "chembl_id"


def _ontology_kind(identifier: str) -> str:
    kinds = {"MONDO": "mondo_id", "MESH": "mesh_id"}
    return kinds.get(identifier.partition(":")[0], "efo_id")


@dataclass(frozen=True)
class Entity:
    """How drugs and diseases differ: tables, identifiers and the columns of files."""

    name: str
    table: Table
    alias: Table
    identifier_column: str
    file_identifier_column: str
    normalise: Callable[[str], str | None]
    alias_kind: Callable[[str], str]
    # Matches an identifier in its official form, and no folded name.
    pattern: str

    @property
    def key(self) -> str:
        """The surrogate key's column: drug_id or disease_id."""
        return f"{self.name}_id"

    @property
    def name_column(self) -> str:
        """The column of a file with the name."""
        return f"{self.name}_name"


DRUG = Entity(
    "drug",
    schema.drug,
    schema.drug_alias,
    "chembl_id",
    "chembl_id",
    chembl_id,
    _chembl_kind,
    r"CHEMBL\d+",
)
DISEASE = Entity(
    "disease",
    schema.disease,
    schema.disease_alias,
    "ontology_id",
    "disease_id",
    ontology_id,
    _ontology_kind,
    r"[A-Z][A-Z0-9.]*:\S+",
)


@dataclass(frozen=True)
class Problem:
    """A mention that cannot be resolved, and the file's column at fault."""

    name: str
    identifier: str | None
    column_name: str
    message: str


@dataclass(frozen=True)
class Resolution:
    """`matches`: one row per distinct (name, identifier) of the file, with the entity's key.

    Its name_number tells the names of an entity apart: those that fold alike have one number.
    """

    matches: pd.DataFrame
    problems: list[Problem]
    n_created: int


class _Known:
    """The aliases of one kind of entity that the store had at an instant."""

    def __init__(self, connection: Connection, entity: Entity, until: datetime | None) -> None:
        alias = entity.alias
        statement = sa.select(alias.c.kind, alias.c.value, alias.c[entity.key])
        if until is not None:
            statement = statement.where(alias.c.added_at <= until)
        self.by_name: dict[str, set[int]] = defaultdict(set)
        self.by_identifier: dict[str, int] = {}
        self.identifiers: dict[int, set[str]] = defaultdict(set)
        for kind, value, key in connection.execute(statement):
            if kind in ("name", "synonym"):
                self.by_name[value].add(key)
            elif kind != "parent_chembl_id":
                self.by_identifier[value] = key
                self.identifiers[key].add(value)


def resolve(
    connection: Connection,
    entity: Entity,
    mentions: pd.DataFrame,
    *,
    create_at: datetime | None = None,
    until: datetime | None = None,
) -> Resolution:
    """Resolve `mentions` (columns name, identifier) to entities of the store.

    With `create_at`, new entities and aliases are added with that instant; without it an unknown
    mention is a problem. With `until`, only aliases added up to then count.
    """
    known = _Known(connection, entity, until)
    next_key = keys.next_key(connection, _key(entity))
    first_new = next_key
    new_entities: list[dict[str, object]] = []
    new_aliases: list[dict[str, object]] = []
    matches: list[tuple[str, str | None, int, int]] = []
    name_numbers: dict[tuple[int, str], int] = {}
    problems: list[Problem] = []

    def add_alias(kind: str, value: str, key: int) -> None:
        new_aliases.append({"kind": kind, "value": value, entity.key: key, "added_at": create_at})

    for name, given in _in_order(mentions):
        folded = fold(name)
        identifier = None if given is None else entity.normalise(given)
        named = known.by_name.get(folded, set())
        key = known.by_identifier.get(identifier or "")
        message = _clash(entity, known, name, given, identifier, key)
        if message is None and key is None and named:
            key = next(iter(named))
        if message is None and key is None and create_at is None:
            message = f"unknown {entity.name} '{given or name}'"
            # Of a long file the others are counted only, and each takes a look at all names.
            if given is None and len(problems) < MAX_LISTED:
                message = "; ".join(filter(None, [message, did_you_mean(folded, known.by_name)]))
        if message is not None:
            column = entity.name_column if identifier else entity.file_identifier_column
            if given is None:
                column = entity.name_column
            problems.append(Problem(name, given, column, message))
            continue
        if key is None:
            key = next_key
            next_key += 1
            new_entities.append(
                {
                    entity.key: key,
                    "name": " ".join(name.split()),
                    entity.identifier_column: identifier,
                }
            )
        if create_at is not None:
            if identifier is not None and identifier not in known.by_identifier:
                known.by_identifier[identifier] = key
                known.identifiers[key].add(identifier)
                add_alias(entity.alias_kind(identifier), identifier, key)
            if not named:
                known.by_name[folded].add(key)
                add_alias("name", folded, key)
        name_number = name_numbers.setdefault((key, folded), len(name_numbers))
        matches.append((name, given, key, name_number))

    filling.insert_rows(connection, entity.table, new_entities)
    filling.insert_rows(connection, entity.alias, new_aliases)
    frame = pd.DataFrame(matches, columns=["name", "identifier", entity.key, "name_number"])
    return Resolution(frame, problems, next_key - first_new)


def identifiers(connection: Connection, entity: Entity) -> pd.DataFrame:
    """Return each entity's name outside the store: its identifier, else its folded name.

    Columns are the entity's key and identifier.
    """
    known = _Known(connection, entity, None)
    rows = connection.execute(
        sa.select(_key(entity), entity.table.c[entity.identifier_column], entity.table.c.name)
    )
    return pd.DataFrame(
        [
            (key, identifier or min(known.identifiers[key], default=fold(name)))
            for key, identifier, name in rows
        ],
        columns=[entity.key, "identifier"],
    )


def tie_names(connection: Connection, entity: Entity) -> dict[int, str]:
    """Return the name by which each entity stands among equals now, '' for one that has none.

    It is that of the view drug_tie_name or disease_tie_name.
    """
    view = sa.table(
        f"{entity.name}_tie_name",
        *[sa.column(name) for name in (entity.key, "folded_name", "named_until")],
    )
    is_current = (view.c[entity.key] == _key(entity)) & view.c.named_until.is_(None)
    found = sa.select(_key(entity), sa.func.coalesce(view.c.folded_name, "")).select_from(
        entity.table.outerjoin(view, is_current)
    )
    return {int(key): name for key, name in connection.execute(found)}


def register_identifiers(connection: Connection, entity: Entity) -> None:
    """Make identifiers readable in SQL as drug_identifier or disease_identifier."""
    types = {entity.key: sa.Integer, "identifier": sa.String}
    name = f"{entity.name}_identifier"
    filling.temporary(connection, name, types, identifiers(connection, entity))


def is_known_identifier(connection: Connection, entity: Entity, mention: str) -> bool:
    """Whether a mention is an identifier that the store knows, rather than a name."""
    identifier = entity.normalise(mention)
    alias = entity.alias
    held = sa.select(alias.c.value).where(
        alias.c.value == identifier, alias.c.kind.not_in(("name", "synonym", "parent_chembl_id"))
    )
    return identifier is not None and connection.execute(held).first() is not None


def register_matches(connection: Connection, entity: Entity, matches: pd.DataFrame) -> Table:
    """Put `matches` into a temporary table to join with a file's rows."""
    types = {
        "name": sa.String,
        "identifier": sa.String,
        entity.key: sa.Integer,
        "name_number": sa.Integer,
    }
    return filling.temporary(connection, f"resolved_{entity.name}", types, matches)


def register_problems(connection: Connection, problems: list[Problem]) -> Table:
    """Put problems into a temporary table, to find the rows of their mentions."""
    types = {field.name: sa.String for field in fields(Problem)}
    return filling.temporary(connection, "problem_mention", types, pd.DataFrame(problems))


def _key(entity: Entity) -> sa.Column[int]:
    return entity.table.c[entity.key]


def _clash(
    entity: Entity,
    known: _Known,
    name: str,
    given: str | None,
    identifier: str | None,
    key: int | None,
) -> str | None:
    """Why a mention does not mean one entity, None if it does."""
    named = known.by_name.get(fold(name), set())
    if given is not None and identifier is None:
        return f"'{given}' is not an identifier of a {entity.name}"
    if identifier is None:
        if len(named) > 1:
            return f"'{name}' refers to {len(named)} {entity.name}s; give the identifier"
        return None
    if key is not None:
        if named and key not in named:
            return f"'{name}' is already the name of a {entity.name} other than {identifier}"
        return None
    others = {held for other in named for held in known.identifiers[other]}
    if others:
        return f"'{name}' has two identifiers: {identifier} and {', '.join(sorted(others))}"
    return None


def _in_order(mentions: pd.DataFrame) -> list[tuple[str, str | None]]:
    """Mentions with an identifier first, so that a bare name finds the entity of that name."""
    rows = [
        (str(name), None if pd.isna(identifier) else str(identifier))
        for name, identifier in mentions[["name", "identifier"]].itertuples(index=False)
    ]
    return sorted(rows, key=lambda row: (row[1] is None, row[1] or "", fold(row[0]), row[0]))
