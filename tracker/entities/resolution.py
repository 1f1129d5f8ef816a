"""Resolves the names and identifiers in files to the store's drugs and diseases.

An entity is identified by its ChEMBL or ontology id where a file has one, else by its folded
name. Matching is exact after folding, never fuzzy.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime

import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection, Table

from tracker.entities.folding import earlier_fold, fold, shown
from tracker.errors import MAX_LISTED, did_you_mean, resembling
from tracker.store import filling, keys, schema

_MESH = re.compile(r"[CD][0-9]{6,9}")
_CURIE = re.compile(r"([A-Za-z][A-Za-z0-9.]*)[:_](\S+)")


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
class Created:
    """The drugs or diseases that a file added: how many, and which resemble a known one.

    `resembling` has each such name with the known one nearest to it, in the order of the names;
    of a file that adds very many, only the first are compared. It is empty if all is new.
    """

    n: int
    resembling: dict[str, str]


@dataclass(frozen=True)
class Resolution:
    """`matches`: one row per distinct (name, identifier) of the file, with the entity's key.

    Its name_number tells the names of an entity apart: those that fold alike have one number.
    `kept_apart` has a sentence for each name that an earlier version made two entities of.
    """

    matches: pd.DataFrame
    problems: list[Problem]
    created: Created
    kept_apart: list[str]


@dataclass(frozen=True)
class _Mention:
    """A name of a file with what its column of identifiers has, and how the two are looked up.

    `value` is the form in which the name is stored if it is new; it is `given` where that is the
    frozen form of the name.
    """

    name: str
    given: str | None
    identifier: str | None
    value: str
    is_identified: bool

    @property
    def folded(self) -> str:
        return fold(self.value)

    @property
    def order(self) -> tuple[bool, str, str, str]:
        """Those with an identifier first, so that a bare name finds the entity of that name."""
        return not self.is_identified, self.given or "", self.folded, self.name


class _Known:
    """The aliases of one kind of entity that the store had at an instant.

    Names are compared as they fold now, whatever version stored them.
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
        self.by_name[fold(value)].add(key)
        self.by_value[value].add(key)

    def named(self, mention: _Mention) -> set[int]:
        """Return the entities that a name means.

        Of those that only an earlier version told apart it is the one with the name as it was.
        """
        found = self.by_name.get(mention.folded, set())
        if len(found) > 1:
            as_it_was = self.by_value.get(earlier_fold(mention.name), set())
            return as_it_was if len(as_it_was) == 1 else found
        return found


def resolve(
    connection: Connection,
    entity: Entity,
    mentions: pd.DataFrame,
    *,
    create_at: datetime | None = None,
    until: datetime | None = None,
    are_frozen: bool = False,
) -> Resolution:
    """Resolve `mentions` (columns name, identifier) to entities of the store.

    With `create_at`, new entities and aliases are added with that instant; without it an unknown
    mention is a problem. With `until`, only aliases added up to then count. Identifiers that
    `are_frozen` may be names in the folded form of an earlier version, and stay as they are.
    """
    known = _Known(connection, entity, until)
    earlier_names = sorted(known.by_name)
    next_key = keys.next_key(connection, _key(entity))
    first_new = next_key
    new_entities: list[dict[str, object]] = []
    new_aliases: list[dict[str, object]] = []
    new_names: list[str] = []
    matches: list[tuple[str, str | None, int, int]] = []
    name_numbers: dict[tuple[int, str], int] = {}
    problems: list[Problem] = []
    twins: dict[str, set[int]] = {}

    def add_alias(kind: str, value: str, key: int) -> None:
        new_aliases.append({"kind": kind, "value": value, entity.key: key, "added_at": create_at})

    mentioned = _in_order(entity, mentions, are_frozen)
    # A slate of an earlier version may have two diseases whose names are one now.
    frozen_names = {one.value: one.folded for one in mentioned if one.value == one.given}
    n_forms = Counter(frozen_names.values())
    for mention in mentioned:
        name, given, identifier = mention.name, mention.given, mention.identifier
        named = known.by_value.get(mention.value, set()) if mention.value == given else set()
        if not named and n_forms[mention.folded] < 2:
            named = known.named(mention)
        key = known.by_identifier.get(identifier or "")
        message = _clash(connection, entity, known, mention, named, key)
        if message is None and key is None and named:
            key = next(iter(named))
            if len(known.by_name[mention.folded]) > 1:
                twins[mention.folded] = known.by_name[mention.folded]
        if message is None and key is None and create_at is None:
            said = given if given is not None and mention.is_identified else name
            message = f"unknown {entity.name} '{said}'"
            # Of a long file the others are counted only, and each takes a look at all names.
            if not mention.is_identified and len(problems) < MAX_LISTED:
                guess = did_you_mean(mention.folded, known.by_name)
                message = "; ".join(filter(None, [message, guess]))
        if message is not None:
            is_of_name = not mention.is_identified or identifier is not None
            column = entity.name_column if is_of_name else entity.file_identifier_column
            problems.append(Problem(name, given, column, message))
            continue
        if key is None:
            key = next_key
            next_key += 1
            new_names.append(name)
            new_entities.append(
                {
                    entity.key: key,
                    "name": shown(name),
                    entity.identifier_column: identifier,
                }
            )
        if create_at is not None:
            if identifier is not None and identifier not in known.by_identifier:
                known.by_identifier[identifier] = key
                known.identifiers[key].add(identifier)
                add_alias(entity.alias_kind(identifier), identifier, key)
            is_apart = len(known.by_name.get(mention.folded, ())) > 1
            if mention.value not in known.by_value and (not named or not is_apart):
                known.add_name(mention.value, key)
                add_alias("name", mention.value, key)
        name_number = name_numbers.setdefault((key, mention.folded), len(name_numbers))
        matches.append((name, given, key, name_number))

    filling.insert_rows(connection, entity.table, new_entities)
    filling.insert_rows(connection, entity.alias, new_aliases)
    frame = pd.DataFrame(matches, columns=["name", "identifier", entity.key, "name_number"])
    created = Created(next_key - first_new, resembling(new_names, earlier_names))
    kept_apart = [
        f"{_listed_names(connection, entity, keys_of)} are {len(keys_of)} {entity.name}s to this "
        "store, though one name: an earlier version told them apart"
        for _, keys_of in sorted(twins.items())
    ]
    return Resolution(frame, problems, created, kept_apart)


def identifiers(connection: Connection, entity: Entity) -> pd.DataFrame:
    """Return each entity's name outside the store: its identifier, else the name it came with.

    Columns are the entity's key and identifier.
    """
    known = _Known(connection, entity, None)
    first_names = _first_names(connection, entity)
    rows = connection.execute(
        sa.select(_key(entity), entity.table.c[entity.identifier_column], entity.table.c.name)
    )
    return pd.DataFrame(
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
    """Return the folded names of each entity, that with which it came first."""
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
    connection: Connection,
    entity: Entity,
    known: _Known,
    mention: _Mention,
    named: set[int],
    key: int | None,
) -> str | None:
    """Why a mention does not mean one entity, None if it does."""
    name, given, identifier = mention.name, mention.given, mention.identifier
    if not mention.folded:
        return f"is empty: the name of the {entity.name} has only characters that cannot be seen"
    if mention.is_identified and identifier is None:
        return f"'{given}' is not an identifier of a {entity.name}"
    if len(named) > 1 and key is None:
        found = _listed_names(connection, entity, named)
        return f"'{name}' refers to {len(named)} {entity.name}s, {found}; give the identifier"
    if identifier is None:
        return None
    if key is not None:
        if named and key not in named:
            return f"'{name}' is already the name of a {entity.name} other than {identifier}"
        return None
    others = {held for other in named for held in known.identifiers[other]}
    if others:
        return f"'{name}' has two identifiers: {identifier} and {', '.join(sorted(others))}"
    return None


def _listed_names(connection: Connection, entity: Entity, of: set[int]) -> str:
    """Return the names of entities as '...' (identifier), in the order in which they came."""
    table = entity.table
    statement = (
        sa.select(table.c.name, table.c[entity.identifier_column])
        .where(_key(entity).in_(of))
        .order_by(_key(entity))
    )
    return " and ".join(
        f"'{name}'" + (f" ({identifier})" if identifier else "")
        for name, identifier in connection.execute(statement)
    )


def _in_order(entity: Entity, mentions: pd.DataFrame, are_frozen: bool) -> list[_Mention]:
    """Return the mentions; those with an identifier come first."""
    found = []
    for named, identified in mentions[["name", "identifier"]].itertuples(index=False):
        name, given = str(named), None if pd.isna(identified) else str(identified)
        value = fold(name)
        is_identified = given is not None
        if are_frozen and given is not None and not re.fullmatch(entity.pattern, given):
            is_identified = False
            # Another text than the name's own is refused by the check prediction_identifier.
            if earlier_fold(given) == given and fold(given) == value:
                value = given
        identifier = entity.normalise(given) if given is not None and is_identified else None
        found.append(_Mention(name, given, identifier, value, is_identified))
    return sorted(found, key=lambda mention: mention.order)
