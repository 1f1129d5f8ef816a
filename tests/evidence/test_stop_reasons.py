"""Reasons for stopping studies against hand-made labels; most tests are skipped without the texts.

The floors are the figures measured on the held-out half, less what one text more would change.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import stop_reasons
import worlds
from sqlalchemy import Connection, text

real = pytest.mark.skipif(not stop_reasons.STOPS.is_file(), reason="../shared is absent")


@pytest.fixture
def connection(store_path: Path) -> Iterator[Connection]:
    with worlds.scratch(store_path) as connection:
        yield connection


@real
@pytest.mark.parametrize(
    ("reason", "precision", "recall"), [("efficacy", 0.88, 0.88), ("safety", 0.8, 0.8)]
)
def test_held_out_labels_are_found(
    connection: Connection, reason: str, precision: float, recall: float
) -> None:
    counted = stop_reasons.confusion(stop_reasons.pairs(connection), "held out")
    n_right, n_given, n_labelled = stop_reasons.right(counted, reason)
    assert n_right / n_given >= precision
    assert n_right / n_labelled >= recall


@real
def test_labels_are_those_of_the_stops_that_were_drawn() -> None:
    assert [row[:-1] for row in stop_reasons.labels()] == stop_reasons.drawn()


@pytest.mark.slow
@real
def test_a_stem_keeps_no_text_from_its_pattern(connection: Connection) -> None:
    """The view compares a text with a pattern only if it has the pattern's stem."""
    connection.execute(
        text("create temp table told as select unnest(:texts) as folded"),
        {"texts": [why.lower() for why in sorted(set(stop_reasons.texts().values()))[::20]]},
    )
    kept_away = connection.execute(
        text(
            "select pattern, folded from told cross join stop_pattern "
            "where not contains(folded, stem) and regexp_matches(folded, pattern)"
        )
    ).all()
    assert kept_away == []


def test_labels_name_each_stop_once() -> None:
    labels = stop_reasons.labels()
    assert len({row.key for row in labels}) == len(labels) == 300
    assert {row.stop_reason for row in labels} == set(stop_reasons.REASONS)
    assert Counter(row.half for row in labels) == {"develop": 150, "held out": 150}


def test_patterns_of_one_priority_give_one_reason(connection: Connection) -> None:
    """Which of them decides is then of no account."""
    rows = connection.execute(text("select priority, stop_reason from stop_pattern")).all()
    reasons = {row.priority: row.stop_reason for row in rows}
    assert set(rows) == set(reasons.items())
    assert set(reasons.values()) == set(stop_reasons.REASONS)


def test_fillers_are_words_that_the_view_compares(connection: Connection) -> None:
    """Shorter words are fillers without being listed."""
    words = connection.execute(text("select word from stop_filler")).scalars().all()
    assert len(set(words)) == len(words)
    assert all(len(word) > 2 and word.isalpha() and word == word.lower() for word in words)
