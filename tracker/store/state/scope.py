"""Prepares queries about some slates or one evaluation: what they read, and what is computed once.

Of a slate's views the store keeps the rows of those that others rest on (tracker.store.state.kept);
what a query about an evaluation, a submission or two slates reads more than once is computed here.
The rows are in temporary tables with the views' names, which DuckDB finds before the views.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.store import catalog, connections, sealed_sets
from tracker.store.state import engines, kept, narrowing


def shared(asked: Iterable[str], key: str) -> list[str]:
    """Return the views to compute once for queries of the views `asked`.

    These are views that are asked for or read more than once: DuckDB would plan them, and all that
    they read, each time. Views that are not recursive are included only if `key` is in their grain:
    then only the rows with the asked keys are computed.
    """
    return [
        name
        for name in catalog.read_again(asked)
        if key in (found := catalog.find(name)).grain or found.is_recursive
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
    chosen = {
        column: [
            str(sa.literal(str(one)).compile(compile_kwargs={"literal_binds": True}))
            for one in values
        ]
        for column, values in (where or {}).items()
    }
    held = narrowing.held(connection)
    ordered = [name for name in catalog.in_reading_order(names) if name not in held]
    with connections.undone(connection, lambda: kept.drop(connection, ordered)):
        for name in ordered:
            view = catalog.find(name)
            conditions = [
                f"{column} in ({', '.join(values) or 'null'})"
                for column, values in chosen.items()
                if column in view.grain
            ]
            condition = " and ".join(conditions) or "true"
            if view.stored is None and engines.is_elsewhere(connection, view):
                engines.create_rows(connection, name, view, condition)
            else:
                connection.exec_driver_sql(
                    f"create temp table {name} as from main.{name} where {condition}"
                )
            connections.commit(connection)
        yield


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
def of_slates(connection: Connection, *slates: Row[Any] | None) -> Iterator[None]:
    """Read what is known of these slates, by the instant and the dates of the connection.

    None stands for no slate. Only the candidates of their sets are read. The changes of a writer
    count, and where the kept rows are not the ones asked for, those of these slates are computed.
    """
    chosen = [slate.slate_id for slate in slates if slate is not None]
    is_kept = kept.is_kept(connection)
    with contextlib.ExitStack() as stack:
        if is_kept:
            stack.enter_context(kept.up_to_date(connection))
            stack.enter_context(kept.narrowed(connection, chosen))
        sets = narrowing.sets_of(connection, chosen)
        stack.enter_context(narrowing.to_candidates(connection, sets))
        if not is_kept:
            stack.enter_context(kept.computed(connection, chosen))
        yield


@contextlib.contextmanager
def of_views(connection: Connection, *names: str) -> Iterator[None]:
    """Read these views of all slates, by the instant and the dates of the connection."""
    is_kept = kept.is_kept(connection)
    with kept.up_to_date(connection) if is_kept else kept.computed(connection, names=names):
        yield


@contextlib.contextmanager
def of_comparison(
    connection: Connection, *slates: Row[Any], asked: Iterable[str]
) -> Iterator[None]:
    """Compute what the views `asked` share that compares these slates, inside `of_slates` of them.

    They have the comparisons of these slates alone.
    """
    wanted = sorted({str(slate.slate_id) for slate in slates})
    where = dict.fromkeys(("slate_id", "versus_slate_id"), wanted)
    with computed_once(connection, shared([*asked, *asked], "versus_slate_id"), where):
        yield


@contextlib.contextmanager
def of_evaluation(
    connection: Connection, evaluation: Row[Any], asked: Iterable[str]
) -> Iterator[None]:
    """Compute what is `shared` for the views `asked` once, for one evaluation.

    They then read only the evaluation's candidate set. Another engine computes what reads it.
    """
    has_set = evaluation.candidate_set_id is not None
    sets = [evaluation.candidate_set_id] if has_set else []
    names = {*shared([*asked, *asked], "evaluation_id")}
    if engines.engine_of(connection) is not None:
        below = {*asked}.union(*(catalog.read_below(catalog.find(name)) for name in asked))
        names |= {
            name
            for name, read in catalog.reads().items()
            if name in below and sealed_sets.VIEW in read
        }
    where = {"evaluation_id": [evaluation.evaluation_id]}
    with narrowing.to_candidates(connection, sets), computed_once(connection, names, where):
        yield
