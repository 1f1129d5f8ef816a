"""Restricts queries to some rows of a store, by temporary views in the places of its tables.

DuckDB finds these before the tables, also inside views.
"""

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from uuid import UUID

import duckdb
import sqlalchemy as sa
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from tracker import schema
from tracker.store import connections, sealed_sets
from tracker.store.sealed_sets import Part

_SETS = sa.table("slate_sets", sa.column("slate_id", sa.Uuid), sa.column("candidate_set_id"))
# The candidate sets that a connection is narrowed to.
_CANDIDATES = "tracker.candidate_sets"
# The slates whose kept rows it is narrowed to.
_KEPT = "tracker.kept_slates"
_HELD = (
    "select view_name from system.main.duckdb_views() where temporary and not internal union all "
    "select table_name from system.main.duckdb_tables() where temporary"
)


def of_slates(slates: Iterable[UUID]) -> str:
    """Return the condition that a row is of one of some slates."""
    chosen = ", ".join(f"'{one}'" for one in sorted(map(str, slates)))
    return f"slate_id in ({chosen or 'null'})"


def held(connection: Connection) -> frozenset[str]:
    """Return the names of temporary views and tables."""
    return frozenset(connection.exec_driver_sql(_HELD).scalars())


@contextlib.contextmanager
def to_slates(
    connection: Connection, slates: Collection[UUID], names: Iterable[str]
) -> Iterator[None]:
    """Restrict these tables and views to rows of some slates, and rows without a slate."""
    chosen = sorted(names)
    condition = f"slate_id is null or {of_slates(slates)}" if slates else "false"
    try:
        for name in chosen:
            _restrict(connection, name, condition)
        yield
    finally:
        _lift(connection, chosen)


@contextlib.contextmanager
def to_kept(
    connection: Connection, slates: Collection[UUID], names: Iterable[str]
) -> Iterator[None]:
    """Let these views, whose rows are kept, have those of some slates alone.

    A view above them may compute all that they have, whatever is asked of it. A block around this
    one has its own slates back.
    """
    around = connection.info.get(_KEPT)
    chosen = sorted(names)
    try:
        _restrict_kept(connection, slates, chosen)
        yield
    finally:
        # As above, after an error.
        with contextlib.suppress(DBAPIError, duckdb.Error):
            if around is None:
                dropped = [f"drop view if exists temp.{name}" for name in chosen]
                connection.exec_driver_sql(";\n".join(dropped))
            else:
                _restrict_kept(connection, around, chosen)
            # A rollback would bring them back.
            connections.commit(connection)
        connection.info[_KEPT] = around


def is_to_kept(connection: Connection) -> bool:
    """Whether a connection is narrowed `to_kept` rows of some slates."""
    return connection.info.get(_KEPT) is not None


def _restrict_kept(connection: Connection, slates: Collection[UUID], names: Iterable[str]) -> None:
    # One call for some twenty statements: each takes less time than a call.
    place = _main(connection)
    condition = of_slates(slates)
    created = [
        f"create or replace temp view {name} as from {place}.{name} where {condition}"
        for name in names
    ]
    connection.exec_driver_sql(";\n".join(created))
    connection.info[_KEPT] = slates


@contextlib.contextmanager
def to_candidates(connection: Connection, sets: Iterable[int]) -> Iterator[None]:
    """Read only the pairs of these candidate sets, so that the store's other sets cost nothing.

    Nor need the files of other sealed sets be there. A block around this one has its own sets back.
    """
    chosen = sorted({*map(int, sets)})
    around = connection.info.get(_CANDIDATES)
    try:
        _restrict_candidates(connection, chosen)
        yield
    finally:
        _lift(connection, [sealed_sets.VIEW])
        connection.info[_CANDIDATES] = around
        if around is not None:
            # As above, after an error.
            with contextlib.suppress(DBAPIError, duckdb.Error):
                _restrict_candidates(connection, around)


def candidate_sets(connection: Connection) -> Sequence[int] | None:
    """Return the candidate sets whose pairs a connection reads, None for all."""
    sets: Sequence[int] | None = connection.info.get(_CANDIDATES)
    return sets


def of_sets(sets: Sequence[int] | None) -> str:
    """Return the condition that a pair is of one of some candidate sets, or of any."""
    if sets is None:
        return "true"
    return f"candidate_set_id in ({', '.join(map(str, sets)) or 'null'})"


def _restrict_candidates(connection: Connection, sets: Sequence[int]) -> None:
    parts = sealed_sets.parts(connection, sets)
    _restrict(connection, sealed_sets.VIEW, of_sets(sets), parts)
    connection.info[_CANDIDATES] = sets


def sets_of(connection: Connection, slates: Iterable[UUID]) -> list[int]:
    """Return the candidate sets of some slates."""
    found = sa.select(_SETS.c.candidate_set_id).where(
        _SETS.c.slate_id.in_([UUID(str(one)) for one in slates]),
        _SETS.c.candidate_set_id.is_not(None),
    )
    return [int(one) for one in connection.execute(found).scalars()]


@contextlib.contextmanager
def without_slates(connection: Connection, withheld: Iterable[UUID]) -> Iterator[None]:
    """Leave slates out of every table that has rows of them, and so out of every view.

    With them go the evaluations of their candidate sets, which name the same pairs. Rows that the
    store keeps of views are not for such a connection: see tracker.store.state.kept.distrust.
    """
    chosen = [UUID(str(one)) for one in withheld]
    if not chosen:
        yield
        return
    shadowed = {
        name: f"slate_id is null or not {of_slates(chosen)}"
        for name, table in schema.metadata.tables.items()
        if "slate_id" in table.c
    }
    sets = ", ".join(map(str, sets_of(connection, chosen)))
    if sets:
        shadowed["evaluation"] = f"candidate_set_id is null or candidate_set_id not in ({sets})"
    try:
        for name, condition in shadowed.items():
            _restrict(connection, name, condition)
        yield
    finally:
        _lift(connection, shadowed)


@contextlib.contextmanager
def replaced(connection: Connection, selects: Mapping[str, str]) -> Iterator[None]:
    """Read these SELECTs in the places of tables or views; `{main}` in them is where tables are.

    The SELECTs come from the code, never from input.
    """
    place = _main(connection)
    try:
        for name, select in selects.items():
            connection.exec_driver_sql(
                f"create or replace temp view {name} as {select.format(main=place)}"
            )
        yield
    finally:
        _lift(connection, selects)
        connections.commit(connection)


def _restrict(
    connection: Connection, name: str, condition: str, parts: Sequence[Part] | None = None
) -> None:
    """Put a temporary view with some rows of a table or view in its place.

    Or, with the `parts` that have them, of the view of candidates: it names the files of all sets.
    """
    table = name if parts is None else schema.stored_candidate.name
    select = f"from {_main(connection)}.{table} where {condition}"
    if parts:
        select += " union all " + sealed_sets.reading(parts)
    connection.exec_driver_sql("create or replace temp view " + name + " as " + select)


def _main(connection: Connection) -> str:
    """Return where tables are: their full names refer to them, not to what stands in for them."""
    catalog_name = connection.execute(text("select current_database()")).scalar_one()
    return connection.dialect.identifier_preparer.quote(catalog_name) + ".main"


def _lift(connection: Connection, names: Iterable[str]) -> None:
    """Drop the temporary views in the places of tables."""
    # After an error the transaction may have ended, and its views with it.
    with contextlib.suppress(DBAPIError, duckdb.Error):
        for name in names:
            connection.exec_driver_sql("drop view if exists temp." + name)
