"""Computes shared views once, and only for the slates or evaluation in question.

The rows are kept in temporary tables with the views' names, which DuckDB finds before the views.
A query inside such a block still filters by its key: the block adds speed, not correctness.
"""

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol
from uuid import UUID

import duckdb
import sqlalchemy as sa
from sqlalchemy import Connection, Row, text
from sqlalchemy.exc import DBAPIError

from tracker.store import catalog, connections, schema, sealed_sets, statements
from tracker.store.sealed_sets import Part

_KEY = "tracker.engine"
# Before the name of a computed view while rows of comparisons are in its place.
_OWN = "own_"
# The columns that name the other slate of a comparison.
_OF_COMPARISONS = ("versus", "versus_slate_id")
# Views with a row for each release: few, and read in so many places that whose they are matters
# less.
_OF_RELEASES = ("release_order",)

_SETS = sa.table("slate_sets", sa.column("slate_id", sa.Uuid), sa.column("candidate_set_id"))


class Engine(Protocol):
    """Computes views and statements, and leaves their rows in temporary tables of DuckDB."""

    def compute(self, name: str, wanted: Mapping[str, Sequence[object]]) -> None:
        """Make a temporary table of a view's rows that have wanted values in these columns."""

    def restrict(self, name: str, condition: str, parts: Sequence[Part] | None) -> None:
        """Let a table have only the rows that fulfil a condition from now on.

        Or let the view of candidates have those, and the rows of these parts of sealed sets.
        """

    def forget(self, names: Iterable[str]) -> None:
        """Read these views and tables as they are again; their temporary tables are dropped."""

    def create(self, name: str, parameters: Mapping[str, Any]) -> None:
        """Make the temporary table that a statement creates."""


def engine_of(connection: Connection) -> Engine | None:
    """Return the engine that computes the connection's views, None for DuckDB itself."""
    engine: Engine | None = connection.info.get(_KEY)
    return engine


@contextlib.contextmanager
def computed_by(connection: Connection, engine: Engine) -> Iterator[None]:
    """Let another engine compute the views of the connection for the duration of the block."""
    connection.info[_KEY] = engine
    try:
        yield
    finally:
        del connection.info[_KEY]


def create(connection: Connection, name: str, parameters: Mapping[str, Any]) -> None:
    """Make the temporary table that a statement of sql/statements creates, by either engine."""
    engine = engine_of(connection)
    if engine is None:
        statements.run(connection, name, parameters)
    else:
        engine.create(name, parameters)
    connections.commit(connection)


def shared(asked: Iterable[str], key: str) -> list[str]:
    """Return the views to compute once for queries of the views `asked`.

    Those are asked for more than once, or read more than once below what is: DuckDB would plan
    them, and all that they read, for each time. Of others than recursive ones and those
    of releases that has a use with `key` in their grain alone: only then are the rows of what is
    asked about computed, and no more.
    """
    return [
        name
        for name in catalog.read_again(asked)
        if key in (found := catalog.find(name)).grain or found.is_recursive or name in _OF_RELEASES
    ]


@contextlib.contextmanager
def computed_once(
    connection: Connection,
    names: Iterable[str],
    where: Mapping[str, Iterable[object]] | None = None,
) -> Iterator[None]:
    """Compute the views `names` once, for the duration of the block.

    A view whose grain has a column of `where` has only the rows with one of the values there. The
    names come from the code, never from input; their order does not matter, and those that a block
    around this one has computed stay as they are.
    """
    chosen = {column: [str(one) for one in values] for column, values in (where or {}).items()}
    engine = engine_of(connection)
    held = {*_temporary(connection, "")}
    ordered = [name for name in catalog.in_reading_order(names) if name not in held]
    try:
        for name in ordered:
            grain = catalog.find(name).grain
            wanted = {column: values for column, values in chosen.items() if column in grain}
            if engine is not None:
                engine.compute(name, wanted)
                continue
            conditions = " and ".join(
                f"{column} in ({', '.join('?' * len(values))})" if values else "false"
                for column, values in wanted.items()
            )
            connection.exec_driver_sql(
                "create temp table "
                + name
                + " as from main."
                + name
                + (" where " + conditions if conditions else ""),
                tuple(itertools.chain(*wanted.values())),
            )
            connections.commit(connection)
        yield
    except BaseException:
        # A writer's transaction may have ended, and what it computed last with it.
        with contextlib.suppress(DBAPIError, duckdb.Error):
            connections.recover(connection)
            drop(connection, ordered)
            # A block around this one recovers, too, and would have back what is dropped here.
            connections.commit(connection)
        raise
    drop(connection, ordered)


def drop(connection: Connection, names: Iterable[str]) -> None:
    """Drop what is left of computed views, where a block could not do so when it ended."""
    engine = engine_of(connection)
    if engine is not None:
        engine.forget(names)
    for name in names:
        connection.exec_driver_sql("drop table if exists temp." + name)


def store_variant(
    connection: Connection, view: str, *, name: str, table: str, stand_in: str
) -> None:
    """Store the rows of a view with `stand_in` for `table` as the temporary table `name`.

    The names come from the code, never from input.
    """
    select = catalog.find(view).select
    connection.exec_driver_sql(
        f"create or replace temp table {name} as with {table} as (from {stand_in}) {select}"
    )
    connections.commit(connection)


@contextlib.contextmanager
def of_slates(
    connection: Connection,
    *slates: Row[Any] | None,
    asked: Iterable[str],
    only: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Compute what is `shared` for the views `asked` once, for these slates alone; None is none.

    They then read only the candidate sets of these slates, and have no rows of comparisons. With
    `only`, views whose grain has one of its columns have the rows with the value there.
    """
    chosen = [slate.slate_id for slate in slates if slate is not None]
    fixed = {column: [value] for column, value in (only or {}).items()}
    with (
        of_candidates(connection, _sets_of(connection, chosen)),
        computed_once(
            connection, shared([*asked, *asked], "slate_id"), _of_themselves(chosen) | fixed
        ),
    ):
        yield


@contextlib.contextmanager
def of_more(connection: Connection, slate: Row[Any], asked: Iterable[str]) -> Iterator[None]:
    """Compute what further views `asked` share, too, inside `of_slates` of this slate."""
    names = shared([*asked, *asked], "slate_id")
    with computed_once(connection, names, _of_themselves([slate.slate_id])):
        yield


def _of_themselves(slates: Iterable[UUID]) -> dict[str, list[str]]:
    """Return the values of the rows that are of these slates, and of no comparison."""
    return {"slate_id": sorted({*map(str, slates)}), "versus": ["none"], "versus_slate_id": []}


def _computed(connection: Connection, *columns: str) -> list[str]:
    """Return the computed views whose grain has one of the columns."""
    held = {*_temporary(connection, "")}
    return [
        view.name
        for view in catalog.read_views()
        if view.name in held and not {*columns}.isdisjoint(view.grain)
    ]


def _temporary(connection: Connection, prefix: str) -> Sequence[str]:
    """Return the temporary tables whose names begin with a prefix."""
    found = connection.execute(
        text("select table_name from duckdb_tables() where temporary and table_name ^@ :prefix"),
        {"prefix": prefix},
    )
    return found.scalars().all()


def _restore(connection: Connection) -> None:
    """Put the computed views that were set aside back in their places."""
    for name in _temporary(connection, _OWN):
        one = name.removeprefix(_OWN)
        connection.exec_driver_sql(f"drop table if exists temp.{one}")
        connection.exec_driver_sql(f"alter table temp.{name} rename to {one}")


@contextlib.contextmanager
def of_candidates(connection: Connection, sets: Iterable[int]) -> Iterator[None]:
    """Read only the pairs of these candidate sets, so that the store's other sets cost nothing.

    Nor need the files of other sealed sets be there.
    """
    chosen = sorted({*map(int, sets)})
    condition = f"candidate_set_id in ({', '.join(map(str, chosen))})" if chosen else "false"
    _restrict(connection, sealed_sets.VIEW, condition, sealed_sets.parts(connection, chosen))
    try:
        yield
    finally:
        # After an error the transaction may have ended, and its view with it.
        with contextlib.suppress(DBAPIError):
            _lift(connection, [sealed_sets.VIEW])


def _sets_of(connection: Connection, slates: Iterable[UUID]) -> list[int]:
    """Return the candidate sets of some slates."""
    found = sa.select(_SETS.c.candidate_set_id).where(
        _SETS.c.slate_id.in_([UUID(str(one)) for one in slates]),
        _SETS.c.candidate_set_id.is_not(None),
    )
    return [int(one) for one in connection.execute(found).scalars()]


@contextlib.contextmanager
def of_comparison(
    connection: Connection, *slates: Row[Any], asked: Iterable[str]
) -> Iterator[None]:
    """Compute what the views `asked` share that compares these slates, inside `of_slates` of them.

    Until the end of the block, lists are those of the comparisons alone.
    """
    wanted = sorted({str(slate.slate_id) for slate in slates})
    where = dict.fromkeys(("slate_id", *_OF_COMPARISONS), wanted)
    with (
        _set_aside(connection, *_OF_COMPARISONS),
        computed_once(connection, shared([*asked, *asked], "slate_id"), where),
    ):
        yield


@contextlib.contextmanager
def _set_aside(connection: Connection, *columns: str) -> Iterator[None]:
    """Let computed views with these columns be computed anew, and have their rows back after it."""
    engine = engine_of(connection)
    if engine is not None:
        engine.forget(_computed(connection, *columns))
    try:
        for name in _computed(connection, *columns):
            connection.exec_driver_sql(f"alter table temp.{name} rename to {_OWN}{name}")
        connections.commit(connection)
        yield
    except BaseException:
        with contextlib.suppress(DBAPIError, duckdb.Error):
            connections.recover(connection)
            _restore(connection)
            connections.commit(connection)
        raise
    _restore(connection)


@contextlib.contextmanager
def of_evaluation(
    connection: Connection, evaluation: Row[Any], asked: Iterable[str]
) -> Iterator[None]:
    """Compute what is `shared` for the views `asked` once, for one evaluation.

    They then read only the evaluation's candidate set.
    """
    has_set = evaluation.candidate_set_id is not None
    sets = [evaluation.candidate_set_id] if has_set else []
    names, where = (
        shared([*asked, *asked], "evaluation_id"),
        {"evaluation_id": [evaluation.evaluation_id]},
    )
    with of_candidates(connection, sets), computed_once(connection, names, where):
        yield


@contextlib.contextmanager
def without_slates(connection: Connection, withheld: Iterable[UUID]) -> Iterator[None]:
    """Leave slates out of every table that has rows of them, and so out of every view.

    With them go the evaluations of their candidate sets, which name the same pairs. Temporary views
    take the place of the tables for the duration of the block.
    """
    chosen = [UUID(str(one)) for one in withheld]
    if not chosen:
        yield
        return
    ids = ", ".join(f"'{one}'" for one in chosen)
    shadowed = {
        name: f"slate_id is null or slate_id not in ({ids})"
        for name, table in schema.metadata.tables.items()
        if "slate_id" in table.c
    }
    sets = ", ".join(map(str, _sets_of(connection, chosen)))
    if sets:
        shadowed["evaluation"] = f"candidate_set_id is null or candidate_set_id not in ({sets})"
    try:
        for name, condition in shadowed.items():
            _restrict(connection, name, condition)
        yield
    finally:
        # After an error the transaction may have ended, and its views with it.
        with contextlib.suppress(DBAPIError):
            _lift(connection, shadowed)


def _restrict(
    connection: Connection, name: str, condition: str, parts: Sequence[Part] | None = None
) -> None:
    """Put a temporary view with some rows of a table in its place.

    Or, with the `parts` that have them, of the view of candidates: it names the files of all sets.
    """
    # The full name refers to the table, not to the temporary view itself.
    catalog_name = connection.execute(text("select current_database()")).scalar_one()
    table = name if parts is None else schema.stored_candidate.name
    qualified = connection.dialect.identifier_preparer.quote(catalog_name) + ".main." + table
    select = "from " + qualified + " where " + condition
    if parts:
        select += " union all " + sealed_sets.reading(parts)
    connection.exec_driver_sql("create or replace temp view " + name + " as " + select)
    engine = engine_of(connection)
    if engine is not None:
        engine.restrict(name, condition, parts)


def _lift(connection: Connection, names: Iterable[str]) -> None:
    """Drop the temporary views in the places of tables."""
    engine = engine_of(connection)
    if engine is not None:
        engine.forget(names)
    for name in names:
        connection.exec_driver_sql("drop view if exists temp." + name)
