"""Instants of rows follow those that the store has, whatever the clock of the machine shows."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from tracker import clock, store

Instant = Callable[..., datetime]


def _after_a_row(db: Path, instant_of: Instant, ahead: timedelta) -> tuple[datetime, datetime]:
    """Return the instant of a row dated that far ahead of the clock, and the one given after it."""
    dated = clock.read() + ahead
    with store.reader(db, writes_to=db.parent) as connection:
        # A table of that name hides the store's own for this connection alone.
        connection.exec_driver_sql("create temp table slate as from main.slate limit 0")
        connection.execute(
            sa.text("insert into temp.slate (recorded_at) values (:recorded_at)"),
            {"recorded_at": dated},
        )
        return dated, instant_of(connection)


@pytest.mark.parametrize("instant_of", [clock.now, clock.in_order], ids=["now", "in_order"])
def test_an_instant_is_after_the_rows_of_a_clock_a_little_ahead(
    db: Path, instant_of: Instant
) -> None:
    dated, given = _after_a_row(db, instant_of, timedelta(seconds=30))
    assert given == dated + timedelta(microseconds=1)


def test_only_an_order_follows_rows_far_ahead_of_the_clock(db: Path) -> None:
    """The time of a freeze must be true, the order of aliases only an order."""
    ahead = 2 * clock.MAX_AHEAD
    dated, ordered = _after_a_row(db, clock.in_order, ahead)
    assert ordered == dated + timedelta(microseconds=1)
    dated, present = _after_a_row(db, clock.now, ahead)
    assert present < dated


def test_an_instant_is_the_present_one_after_older_rows(db: Path) -> None:
    for instant_of in (clock.now, clock.in_order):
        before = clock.read()
        dated, given = _after_a_row(db, instant_of, -timedelta(days=1))
        assert dated < before <= given <= clock.read()
