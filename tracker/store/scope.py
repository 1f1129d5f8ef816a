"""Computes the views that many others read once, for one slate."""

from typing import Any

from sqlalchemy import Connection, Row

# Each after those it reads.
SLATE_VIEWS = (
    "outcome_timing",
    "pair_event",
    "marked_pair",
    "pair_outcome",
    "tier_count",
    "drug_breadth",
    "candidate_drug_count",
    "breadth_baseline",
    "breadth_prediction_count",
    "tier_expectation",
    "time_to_event",
)


def share_slate(connection: Connection, slate: Row[Any]) -> None:
    """Keep SLATE_VIEWS of one slate in temporary tables, which DuckDB finds before the views.

    Until `forget_slate` or the end of the connection, all views tell of this slate alone.
    """
    for name in SLATE_VIEWS:
        connection.exec_driver_sql(
            "create or replace temp table "
            + name
            + " as from main."
            + name
            + " where slate_id = ?",
            (str(slate.slate_id),),
        )


def forget_slate(connection: Connection) -> None:
    """Drop the temporary tables, so that the views tell of every slate again."""
    for name in SLATE_VIEWS:
        connection.exec_driver_sql("drop table if exists temp." + name)
