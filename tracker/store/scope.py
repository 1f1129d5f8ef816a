"""Computes shared views once, and only for the slates or evaluation in question.

The rows are kept in temporary tables with the views' names, which DuckDB finds before the views.
A query inside such a block still filters by its key: the block adds speed, not correctness.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection, Row, text
from sqlalchemy.exc import DBAPIError

from tracker.store import catalog, connections, elsewhere, schema, sealed_sets
from tracker.store.sealed_sets import Part

# What is compared with equally popular drugs, by list of predictions.
_LIST_VIEWS = (
    "known_candidate",
    "stratum_count",
    "counted_hit",
    "list_member",
    "list_stratum",
    "stratified_ratio",
    "stratum_fit",
    "ratio_influence",
    "ratio_variance",
)

# Read by most views of a slate's report.
SLATE_VIEWS = (
    "slate_event",
    "pair_known_phase",
    "outcome",
    "outcome_timing",
    "slate_follow_up",
    "pair_event",
    "marked_candidate",
    "pair_outcome",
    "tier_count",
    "drug_breadth",
    "candidate_drug_count",
    "breadth_baseline",
    "breadth_prediction_count",
    "tier_expectation",
    "breadth_cell",
    "disease_activity",
    "candidate_hit",
    "shown_match_kind",
    "counted_subset",
    "match_kind_hit_rate",
    "unskilled_list",
    *_LIST_VIEWS,
    "enrichment_vs_matched",
    "global_list_pair",
    "global_list",
    "time_to_event",
    "probability_pair",
    "reliability_bin",
    "follow_up_end",
    "follow_up_by_disease",
    "followed_month",
    "prediction_part",
    "part_count",
    "leak_alarm",
    "score_calibration",
    "disease_performance",
    "falsification_summary",
    "headline_figure",
    "hits_by_month",
    "score_decile_hit_rate",
    "breadth_decile_hit_rate",
)

# Read more than once for a report and its page, too.
REPORT_VIEWS = (*SLATE_VIEWS, "slate_date", "slate_coverage", "outcome_withdrawn")

# Read by the views of a slate's power.
POWER_VIEWS = (
    "slate_event",
    "pair_known_phase",
    "marked_candidate",
    "drug_breadth",
    "breadth_cell",
    "disease_activity",
    "past_drug_count",
    "freeze_expectation",
)

# Read by the primary endpoint and the hit rate alone: what is the same for every window, and what
# is not.
_OUTCOME_VIEWS = (
    "slate_event",
    "pair_known_phase",
    "outcome",
    "outcome_timing",
    "pair_event",
    "marked_candidate",
    "pair_outcome",
    "drug_breadth",
    "breadth_cell",
    "candidate_hit",
)
_ENDPOINT_VIEWS = (
    "tier_count",
    "counted_subset",
    *_LIST_VIEWS,
    "enrichment_vs_matched",
)

# Read by the views that compare slates; the first has a row for each pair of slates.
_COMPARISON_VIEWS = ("comparison_window", "comparison_known", "comparison_hit")
_COMPARED_VIEWS = ("comparison_prediction", "comparison_disease")

# Read by the views of an evaluation's report.
AUC_VIEWS = ("labeled_candidate", "evaluation_count", "auc")
NDCG_VIEWS = ("labeled_candidate", "evaluation_count", "ndcg_by_disease")
EVALUATION_VIEWS = (*AUC_VIEWS, *NDCG_VIEWS)


# Before the name of a computed view while rows of one slate, or of comparisons, are in its place.
_EVERY, _OWN = "every_", "own_"

_SETS = sa.table("slate_sets", sa.column("slate_id", sa.Uuid), sa.column("candidate_set_id"))


@contextlib.contextmanager
def computed_once(
    connection: Connection,
    names: Iterable[str],
    *,
    key: str | None = None,
    values: Iterable[object] = (),
    only: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Compute the views `names` once, for the duration of the block.

    With `key`, only rows in which that column has one of `values`; with `only`, those of a view
    whose grain has the column that have the value there. The names come from the code, never from
    input; their order does not matter. Blocks on one connection do not nest if they share a name.
    """
    bound = tuple(str(value) for value in values)
    among = f"{key} in ({', '.join('?' * len(bound))})" if bound else "false"
    keyed = [among] if key else []
    ordered = catalog.in_reading_order(names)
    grains = {view.name: view.grain for view in catalog.read_views()} if only else {}
    engine = elsewhere.of(connection)
    try:
        for name in ordered:
            fixed = [column for column in only or {} if column in grains[name]]
            if engine is not None:
                wanted = {column: ((only or {})[column],) for column in fixed}
                engine.compute(name, {**({key: bound} if key else {}), **wanted})
                continue
            conditions = " and ".join([*keyed, *(f"{column} = ?" for column in fixed)])
            connection.exec_driver_sql(
                "create temp table "
                + name
                + " as from main."
                + name
                + (" where " + conditions if conditions else ""),
                (*bound, *((only or {})[column] for column in fixed)),
            )
            connections.commit(connection)
        yield
    except BaseException:
        # A writer's transaction may have ended, and what it computed last with it.
        with contextlib.suppress(DBAPIError):
            connections.recover(connection)
            drop(connection, ordered)
        raise
    drop(connection, ordered)


def drop(connection: Connection, names: Iterable[str]) -> None:
    """Drop what is left of computed views, where a block could not do so when it ended."""
    engine = elsewhere.of(connection)
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
    connection: Connection, *slates: Row[Any] | None, names: Iterable[str] = SLATE_VIEWS
) -> Iterator[None]:
    """Compute the views `names` once, for these slates alone; None means no slate.

    They then read only the candidate sets of these slates, and have no rows of comparisons.
    """
    chosen = [slate.slate_id for slate in slates if slate is not None]
    wanted = sorted({*map(str, chosen)})
    with (
        of_candidates(connection, _sets_of(connection, chosen)),
        computed_once(connection, names, key="slate_id", values=wanted, only={"versus": "none"}),
    ):
        yield


@contextlib.contextmanager
def of_one(connection: Connection, slate: Row[Any], names: Iterable[str]) -> Iterator[None]:
    """Keep the rows of one slate, inside `of_slates` of it and others with the same `names`.

    They are copied, not computed again, and in place of all rows until the end of the block.
    """
    chosen = sorted(names)
    try:
        for name in chosen:
            connection.exec_driver_sql(f"alter table temp.{name} rename to {_EVERY}{name}")
            connection.exec_driver_sql(
                "create temp table " + name + " as from " + _EVERY + name + " where slate_id = ?",
                (str(slate.slate_id),),
            )
        connections.commit(connection)
        yield
    except BaseException:
        with contextlib.suppress(DBAPIError):
            connections.recover(connection)
            _give_back(connection, _EVERY)
        raise
    _give_back(connection, _EVERY)


def _temporary(connection: Connection, prefix: str) -> Sequence[str]:
    """Return the temporary tables whose names begin with a prefix."""
    found = connection.execute(
        text("select table_name from duckdb_tables() where temporary and table_name ^@ :prefix"),
        {"prefix": prefix},
    )
    return found.scalars().all()


def _give_back(connection: Connection, prefix: str) -> None:
    """Put the computed views that were renamed with this prefix back in their places."""
    for name in _temporary(connection, prefix):
        one = name.removeprefix(prefix)
        connection.exec_driver_sql(f"drop table if exists temp.{one}")
        connection.exec_driver_sql(f"alter table temp.{name} rename to {one}")


@contextlib.contextmanager
def of_candidates(connection: Connection, sets: Iterable[int]) -> Iterator[None]:
    """Read only the pairs of these candidate sets, so that the store's other sets cost nothing.

    Nor need the files of other sealed sets be there.
    """
    chosen = sorted({*map(int, sets)})
    condition = f"candidate_set_id in ({', '.join(map(str, chosen))})" if chosen else "false"
    _shadow(connection, sealed_sets.VIEW, condition, sealed_sets.parts(connection, chosen))
    try:
        yield
    finally:
        # After an error the transaction may have ended, and its view with it.
        with contextlib.suppress(DBAPIError):
            _reveal(connection, [sealed_sets.VIEW])


def _sets_of(connection: Connection, slates: Iterable[UUID]) -> list[int]:
    """Return the candidate sets of some slates."""
    found = sa.select(_SETS.c.candidate_set_id).where(
        _SETS.c.slate_id.in_([UUID(str(one)) for one in slates]),
        _SETS.c.candidate_set_id.is_not(None),
    )
    return [int(one) for one in connection.execute(found).scalars()]


@contextlib.contextmanager
def of_endpoints(
    connection: Connection, *slates: Row[Any], window: str, population: str, tier: str
) -> Iterator[None]:
    """Compute what the enrichment of these slates in one window, population and tier rests on."""
    wanted = sorted({str(slate.slate_id) for slate in slates})
    only = {
        "versus": "none",
        "list_kind": "tier",
        "list_name": tier,
        "subset": "all",
        "evidence_window": window,
        "population": population,
        "tier": tier,
    }
    with (
        computed_once(connection, _OUTCOME_VIEWS, key="slate_id", values=wanted),
        computed_once(connection, _ENDPOINT_VIEWS, key="slate_id", values=wanted, only=only),
    ):
        yield


@contextlib.contextmanager
def of_comparison(connection: Connection, *slates: Row[Any]) -> Iterator[None]:
    """Compute the views that compare slates once, for these slates; inside `of_slates` of them.

    Until the end of the block, lists are those of the comparisons alone.
    """
    wanted = sorted({str(slate.slate_id) for slate in slates})
    with (
        _set_aside(connection, _LIST_VIEWS),
        computed_once(connection, _COMPARISON_VIEWS, key="versus_slate_id", values=wanted),
        computed_once(connection, _COMPARED_VIEWS, key="slate_id", values=wanted),
        computed_once(connection, _LIST_VIEWS, key="versus", values=wanted),
    ):
        yield


@contextlib.contextmanager
def _set_aside(connection: Connection, names: Iterable[str]) -> Iterator[None]:
    """Let computed views be computed anew within the block, and have what they had after it."""
    held = set(_temporary(connection, ""))
    engine = elsewhere.of(connection)
    if engine is not None:
        engine.forget(names)
    try:
        for name in names:
            if name in held:
                connection.exec_driver_sql(f"alter table temp.{name} rename to {_OWN}{name}")
        connections.commit(connection)
        yield
    except BaseException:
        with contextlib.suppress(DBAPIError):
            connections.recover(connection)
            _give_back(connection, _OWN)
        raise
    _give_back(connection, _OWN)


@contextlib.contextmanager
def of_evaluation(
    connection: Connection, evaluation: Row[Any], names: Iterable[str] = EVALUATION_VIEWS
) -> Iterator[None]:
    """Compute the views `names` once for one evaluation.

    They then read only the evaluation's candidate set.
    """
    has_set = evaluation.candidate_set_id is not None
    sets = [evaluation.candidate_set_id] if has_set else []
    own = computed_once(connection, names, key="evaluation_id", values=(evaluation.evaluation_id,))
    with of_candidates(connection, sets), own:
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
            _shadow(connection, name, condition)
        yield
    finally:
        # After an error the transaction may have ended, and its views with it.
        with contextlib.suppress(DBAPIError):
            _reveal(connection, shadowed)


def _shadow(
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
    engine = elsewhere.of(connection)
    if engine is not None:
        engine.restrict(name, condition, parts)


def _reveal(connection: Connection, names: Iterable[str]) -> None:
    """Drop the temporary views in the places of tables."""
    engine = elsewhere.of(connection)
    if engine is not None:
        engine.forget(names)
    for name in names:
        connection.exec_driver_sql("drop view if exists temp." + name)
