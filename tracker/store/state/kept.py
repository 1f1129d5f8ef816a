"""Keeps the rows of some views in tables, so that readers need not compute them.

The header of such a view says `Stored: freeze` where its rows follow from what a slate was frozen
with, `Stored: evidence` where evidence changes them, too. The file in sql/ stays the one
definition; the rows lie in a table of the schema `state`, which the view of the documented name
reads. A writer brings them up to date, for the slates that it touched, before the store is checked
and swapped in. They are derived, and the log does not seal them: `tracker check` compares them with
their definition.

They are the rows as of now. Where a connection looks back to an instant, goes by the dates that
slates state, or trusts no derived row of a file, they are computed into temporary tables, which
DuckDB finds before the views.
"""

import contextlib
import functools
from collections.abc import Collection, Iterable, Iterator
from typing import Any
from uuid import UUID

import duckdb
import sqlalchemy as sa
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from tracker import schema
from tracker.errors import TrackerError
from tracker.store import catalog, connections, sealed_sets
from tracker.store.catalog import STATE, View
from tracker.store.state import engines, narrowing

_IS_KEPT = text(
    "select getvariable('as_of') is null and getvariable('dates') is distinct from 'claimed' "
    "and getvariable('state') is distinct from 'anew'"
)
_IS_READ_ONLY = text(
    "select readonly from system.main.duckdb_databases() where database_name = current_database()"
)
_MADE_FROM = sa.Table(
    catalog.MADE_FROM,
    sa.MetaData(schema=STATE),
    sa.Column("table_name", sa.String),
    sa.Column("n_rows", sa.BigInteger),
)
# A set is whole before a slate names it, and never changes.
_SET_KEYS = {"candidate_set_id", "label_set_id"}
# The rows of a view that may differ from those that are kept.
_REMADE = "remade_state"
_KEPT = "kept_rows"
# Equal rows of both sides add up to nothing.
_DIFFERENT = (
    "from (from temp.{} select *, 1 as side union all from kept_rows select *, -1) "
    "select * exclude (side), sum(side) group by all having sum(side) <> 0"
)
_INIT = "{}; 'tracker init' makes them anew"


@functools.cache
def views() -> tuple[View, ...]:
    """Return the views whose rows are kept, each after those it reads."""
    return tuple(view for view in catalog.in_build_order(catalog.read_views()) if view.stored)


@functools.cache
def reads(name: str) -> frozenset[str]:
    """Return the tables and stored views that a view is computed from."""
    below, stored = catalog.reads(), {view.name for view in views()}
    found: set[str] = set()
    pending = set(below[name])
    while pending:
        found |= {one for one in pending if one in stored or one not in below}
        pending = {*frozenset().union(*(below[one] for one in pending - found))}
    return frozenset(found)


def is_kept(connection: Connection) -> bool:
    """Whether the rows that the store keeps are those that the connection asks for."""
    return bool(connection.execute(_IS_KEPT).scalar_one())


def distrust(connection: Connection) -> None:
    """Let the connection read no row that the store keeps of a view: they are computed anew."""
    connection.exec_driver_sql("set variable state = 'anew'")


def expect_changes(connection: Connection) -> None:
    """Let a connection that writes read rows that are kept inside `up_to_date` alone."""
    connection.exec_driver_sql("set variable state = 'changing'")


@contextlib.contextmanager
def up_to_date(connection: Connection) -> Iterator[None]:
    """Read what the store keeps, with all that the connection has written so far."""
    before = connection.execute(text("select getvariable('state')")).scalar()
    connection.exec_driver_sql("reset variable state")
    try:
        bring_up_to_date(connection)
        yield
    finally:
        if before is not None:
            # After an error, too: no statement may be left that reads rows of before.
            with contextlib.suppress(DBAPIError, duckdb.Error):
                expect_changes(connection)


def bring_up_to_date(connection: Connection) -> None:
    """Compute the rows that a command may have changed, and replace those that it did.

    A view changes for slates with new rows in a table that it reads, or with other rows in a stored
    view; and for all slates where a table without slates has new rows, such as one of evidence. The
    rows of a store that is only read are up to date.
    """
    if connection.execute(_IS_READ_ONLY).scalar_one():
        return
    made_from = {row.table_name: row.n_rows for row in connection.execute(sa.select(_MADE_FROM))}
    n_rows = _counts(connection)
    touched = {
        name: _touched(connection, name, made_from.get(name, 0), n)
        for name, n in n_rows.items()
        if n != made_from.get(name)
    }
    if not touched:
        return
    read = catalog.reads().keys() | schema.metadata.tables.keys()
    if narrowed := narrowing.held(connection) & read:
        raise TrackerError(f"not all rows can be read of {', '.join(sorted(narrowed))}")
    slates = frozenset(connection.execute(sa.select(schema.slate.c.slate_id)).scalars())
    for view in views():
        found: set[UUID] = set()
        for name in reads(view.name) & touched.keys():
            of_name = touched[name]
            if of_name is not None:
                found |= of_name
            elif view.stored != "freeze":
                found |= slates
        touched[view.name] = _remake(connection, view, found & slates, len(slates))
        connections.commit(connection)
    connection.execute(sa.delete(_MADE_FROM))
    connection.execute(
        sa.insert(_MADE_FROM), [{"table_name": name, "n_rows": n} for name, n in n_rows.items()]
    )


def _counts(connection: Connection) -> dict[str, int]:
    """Return the number of rows of each table that a stored view is computed from."""
    stored = {view.name for view in views()}
    names = sorted({read for name in stored for read in reads(name)} - stored)
    # Rows that are not committed yet are counted, too.
    counted = [sa.select(sa.func.count()).select_from(sa.table(name)) for name in names]
    found = connection.execute(sa.select(*[one.scalar_subquery() for one in counted])).one()
    return dict(zip(names, map(int, found), strict=True))


def _touched(
    connection: Connection, name: str, n_before: int, n_rows: int
) -> frozenset[UUID] | None:
    """Return the slates that the new rows of a table are of, None where they are of none."""
    table = schema.metadata.tables[name]
    if "slate_id" not in table.c:
        return frozenset() if _SET_KEYS & {*table.c.keys()} else None
    if n_rows < n_before:
        return None
    new = sa.select(table.c.slate_id).where(sa.literal_column("rowid") >= n_before).distinct()
    found = frozenset(connection.execute(new).scalars())
    return None if None in found else found


def _remake(
    connection: Connection, view: View, slates: Collection[UUID], n_slates: int
) -> frozenset[UUID]:
    """Compute the rows of some slates anew; return those that have others than before."""
    if not slates:
        return frozenset()
    run, kept = connection.exec_driver_sql, f"{STATE}.{view.name}"
    before, where = _digests(connection, kept, slates), narrowing.of_slates(slates)
    with _narrowed(connection, view, slates if len(slates) < n_slates else None):
        if not before and not engines.is_elsewhere(connection, view):
            run(f"insert into {kept} from ({view.select}\n) where {where}")
            return frozenset(slates)
        engines.create_rows(connection, _REMADE, view, where)
    connections.commit(connection)
    after = _digests(connection, _REMADE, slates)
    changed = frozenset(one for one in slates if before.get(one) != after.get(one))
    if changed:
        table = sa.table(view.name, sa.column("slate_id", sa.Uuid), schema=STATE)
        connection.execute(sa.delete(table).where(table.c.slate_id.in_(changed)))
        run(f"insert into {kept} from temp.{_REMADE} where {narrowing.of_slates(changed)}")
    run(f"drop table temp.{_REMADE}")
    return changed


def _digests(
    connection: Connection, table: str, slates: Collection[UUID]
) -> dict[UUID, tuple[int, int]]:
    """Return how many rows a table has of each slate, and the sum of their hashes."""
    rows = connection.exec_driver_sql(
        f"from {table} as kept select slate_id, count(*), sum(hash(kept)) "
        f"where {narrowing.of_slates(slates)} group by slate_id"
    )
    return {slate_id: (n_rows, total) for slate_id, n_rows, total in rows}


@contextlib.contextmanager
def _narrowed(
    connection: Connection,
    view: View,
    slates: Collection[UUID] | None,
    held: frozenset[str] = frozenset(),
) -> Iterator[None]:
    """Let a view read rows of some slates, and of their sets, alone, unless it `spans_slates`.

    Those that are `held` have no others.
    """
    with contextlib.ExitStack() as stack:
        if slates is not None and not view.spans_slates:
            names = {name for name in reads(view.name) - held if _has_slates(name)}
            stack.enter_context(narrowing.to_slates(connection, slates, names))
            if sealed_sets.VIEW in catalog.reads()[view.name]:
                sets = narrowing.sets_of(connection, slates)
                stack.enter_context(narrowing.to_candidates(connection, sets))
        yield


def _has_slates(name: str) -> bool:
    table = schema.metadata.tables.get(name)
    return table is None or "slate_id" in table.c


def below(names: Iterable[str]) -> frozenset[str]:
    """Return the stored views that some views rest on, themselves among them."""
    read = {*names}.union(*(catalog.read_below(catalog.find(name)) for name in names))
    return frozenset(view.name for view in views() if view.name in read)


@contextlib.contextmanager
def computed(
    connection: Connection,
    slates: Collection[UUID] | None = None,
    names: Collection[str] | None = None,
) -> Iterator[None]:
    """Compute stored views into temporary tables for the duration of the block.

    Their rows are those of these slates, or all; they are those that the views `names` rest on, or
    all. What a block around this one has computed stays as it is.
    """
    held = narrowing.held(connection)
    asked = {view.name for view in views()} if names is None else below(names)
    wanted = [view for view in views() if view.name in asked - held]
    made: list[str] = []
    with connections.undone(connection, lambda: drop(connection, made)):
        for view in wanted:
            with _narrowed(connection, view, slates, held.union(made)):
                where = "true" if slates is None else narrowing.of_slates(slates)
                engines.create_rows(connection, view.name, view, where)
            made.append(view.name)
            # With what narrowed it: a rollback would bring that back.
            connections.commit(connection)
        yield


@contextlib.contextmanager
def narrowed(connection: Connection, slates: Collection[UUID]) -> Iterator[None]:
    """Read kept rows of these slates alone, where the store has others and is only read."""
    is_read_only = connection.execute(_IS_READ_ONLY).scalar_one()
    n_slates = connection.execute(sa.select(sa.func.count()).select_from(schema.slate)).scalar_one()
    is_whole = n_slates <= len({*slates}) and not narrowing.is_to_kept(connection)
    if is_whole or not is_read_only:
        yield
        return
    with narrowing.to_kept(connection, slates, {view.name for view in views()}):
        yield


def problems(stored: Connection, rows: Connection) -> Iterator[str]:
    """Yield a line for each view and slate of which a store keeps other rows than are `computed`.

    `stored` reads the store, and `rows` has the views computed.
    """
    kept: Any = stored.connection.cursor()
    true: Any = rows.connection.cursor()
    for view in views():
        kept.execute(f"from {STATE}.{view.name}")
        true.execute(f"from temp.{view.name} limit 0")
        wrong = f"view {view.name}: the rows kept of {{}} are not those of its definition"
        if kept.description != true.description:
            yield _INIT.format(wrong.format("all slates"))
            continue
        true.register(_KEPT, kept.to_arrow_reader())
        true.execute(_DIFFERENT.format(view.name))
        at = [name for name, *_ in true.description].index("slate_id")
        differing = {str(row[at]) for row in iter(true.fetchone, None)}
        true.unregister(_KEPT)
        yield from (_INIT.format(wrong.format(f"slate {one}")) for one in sorted(differing))


def drop(connection: Connection, names: Iterable[str]) -> None:
    """Drop what is left of computed views, where a block could not do so when it ended."""
    for name in names:
        connection.exec_driver_sql(f"drop table if exists temp.{name}")
