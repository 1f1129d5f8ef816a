"""Resolves the names and identifiers in files to the store's drugs and diseases.

A ChEMBL or ontology id identifies an entity where a file has one, else its folded name does.
Matching is exact after folding, never fuzzy.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy import Connection, Table

from tracker import temp_tables
from tracker.entities.folding import earlier_fold, fold, shown
from tracker.entities.identifiers import KnownAliases, is_known_identifier
from tracker.entities.kinds import Entity
from tracker.errors import MAX_LISTED, InputRefused, did_you_mean, resembling

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Problem:
    """A mention that cannot be resolved, with the column of the file at fault."""

    name: str
    identifier: str | None
    column_name: str
    message: str


@dataclass(frozen=True)
class Created:
    """The drugs or diseases that a file added: how many, and which resemble a known one.

    `resembling` maps a new name to the nearest known one. If a file adds very many, only the first
    are compared.
    """

    n: int
    resembling: dict[str, str]


@dataclass(frozen=True)
class Resolution:
    """The entities of mentions, the problems, and the entities that were added.

    `matches` has a row for each mention that is resolved: name, identifier, the entity's key and
    name_number, which is equal for names of an entity that fold alike. `kept_apart` has a sentence
    for each name of which an earlier version made several entities.
    """

    matches: "pd.DataFrame"
    problems: list[Problem]
    created: Created
    kept_apart: list[str]


@dataclass(frozen=True)
class _Mention:
    """A name of a file, its identifier as `given` and normalised, and how the two are looked up.

    `value` is the form in which a new name is stored: folded, or `given` if that is the form in
    which an earlier version froze the name. `is_identified` is whether `given` is meant as an
    identifier.
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
        """Mentions with an identifier come first, so that bare names find their entities."""
        return not self.is_identified, self.given or "", self.folded, self.name


def keys_of(connection: Connection, entity: Entity, names: Sequence[str]) -> list[int]:
    """Return the keys of entities by name or by identifier.

    Raises InputRefused if the store has no entity of a name, or several.
    """
    mentions = temp_tables.frame_of(
        {
            "name": names,
            "identifier": [
                name if is_known_identifier(connection, entity, name) else None for name in names
            ],
        }
    )
    resolution = resolve(connection, entity, mentions)
    if resolution.problems:
        raise InputRefused("; ".join(problem.message for problem in resolution.problems))
    return [int(key) for key in resolution.matches[entity.key]]


def resolve(
    connection: Connection,
    entity: Entity,
    mentions: "pd.DataFrame",
    *,
    create_at: datetime | None = None,
    until: datetime | None = None,
    are_frozen: bool = False,
    skip_unknown: bool = False,
) -> Resolution:
    """Resolve `mentions` (columns name, identifier) to entities of the store.

    With `create_at`, new entities and aliases are added as of that instant; without it an unknown
    mention is a problem, or is left out with `skip_unknown`. With `until`, only aliases added up to
    then count. Identifiers that `are_frozen` may be names in the folded form of an earlier version,
    and are kept as they are.
    """
    known = KnownAliases(connection, entity, until)
    earlier_names = sorted(known.by_name)
    next_key = temp_tables.next_key(connection, entity.key_column)
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
    # A slate of an earlier version may have two diseases whose names fold alike now.
    frozen_names = {one.value: one.folded for one in mentioned if one.value == one.given}
    n_forms = Counter(frozen_names.values())
    for mention in mentioned:
        name, given, identifier = mention.name, mention.given, mention.identifier
        named = known.by_value.get(mention.value, set()) if mention.value == given else set()
        if not named and n_forms[mention.folded] < 2:
            named = known.named(mention.name, mention.folded)
        key = known.by_identifier.get(identifier or "")
        message = _clash(connection, entity, known, mention, named, key)
        if message is None and key is None and named:
            key = next(iter(named))
            if len(known.by_name[mention.folded]) > 1:
                twins[mention.folded] = known.by_name[mention.folded]
        if message is None and key is None and create_at is None:
            if skip_unknown:
                continue
            said = given if given is not None and mention.is_identified else name
            message = f"unknown {entity.name} '{said}'"
            # Each guess looks at all names, and further problems are only counted.
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
                {entity.key: key, "name": shown(name), entity.identifier_column: identifier}
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

    temp_tables.insert_rows(connection, entity.table, new_entities)
    temp_tables.insert_rows(connection, entity.alias, new_aliases)
    frame = temp_tables.frame_of(matches, columns=["name", "identifier", entity.key, "name_number"])
    created = Created(next_key - first_new, resembling(new_names, earlier_names))
    kept_apart = [
        f"{_listed_names(connection, entity, keys_of)} are {len(keys_of)} {entity.name}s to this "
        "store, though one name: an earlier version told them apart"
        for _, keys_of in sorted(twins.items())
    ]
    return Resolution(frame, problems, created, kept_apart)


def register_matches(connection: Connection, entity: Entity, matches: "pd.DataFrame") -> Table:
    """Put `matches` into a temporary table to join with a file's rows."""
    types = {
        "name": sa.String,
        "identifier": sa.String,
        entity.key: sa.Integer,
        "name_number": sa.Integer,
    }
    return temp_tables.temporary(connection, f"resolved_{entity.name}", types, matches)


def register_problems(connection: Connection, problems: list[Problem]) -> Table:
    """Put problems into a temporary table to join with the rows of their mentions."""
    types = {field.name: sa.String for field in fields(Problem)}
    return temp_tables.temporary(
        connection, "problem_mention", types, temp_tables.frame_of(problems)
    )


def _clash(
    connection: Connection,
    entity: Entity,
    known: KnownAliases,
    mention: _Mention,
    named: set[int],
    key: int | None,
) -> str | None:
    """Return why a mention does not mean one entity, None if it does or is unknown."""
    name, given, identifier = mention.name, mention.given, mention.identifier
    if name and not mention.folded:
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
    """Return the names of entities as '...' (identifier), the first added first."""
    table = entity.table
    statement = (
        sa.select(table.c.name, table.c[entity.identifier_column])
        .where(entity.key_column.in_(of))
        .order_by(entity.key_column)
    )
    return " and ".join(
        f"'{name}'" + (f" ({identifier})" if identifier else "")
        for name, identifier in connection.execute(statement)
    )


def _in_order(entity: Entity, mentions: "pd.DataFrame", are_frozen: bool) -> list[_Mention]:
    """Return the mentions; those with an identifier come first."""
    import pandas as pd

    found = []
    for named, identified in mentions[["name", "identifier"]].itertuples(index=False):
        name, given = str(named), None if pd.isna(identified) else str(identified)
        value = fold(name)
        is_identified = given is not None
        if are_frozen and given is not None and not re.fullmatch(entity.pattern, given):
            is_identified = False
            # The check prediction_identifier refuses other texts than the name's own.
            if earlier_fold(given) == given and fold(given) == value:
                value = given
        identifier = None
        if given is not None and is_identified:
            # One that is frozen is under the slate's hash as it is.
            identifier = entity.normalise(given if are_frozen else shown(given))
        found.append(_Mention(name, given, identifier, value, is_identified))
    return sorted(found, key=lambda mention: mention.order)
