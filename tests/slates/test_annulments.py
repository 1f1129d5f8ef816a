"""An outcome from a file that was mistaken is taken back: it counts no longer, and is listed."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy as sa
from bench import Bench
from sqlalchemy import text

import tracker
from tracker import clock, schema, store

HEADER = "disease_name,drug_name,outcome_type,source,event_date,first_public_on\n"
REASON = "wrong drug: the release names beta"


@pytest.fixture
def claimed(bench: Bench) -> Bench:
    """The slate of the bench with an outcome from a file, number 1."""
    file = bench.write("e.csv", f"{HEADER}Asthma,Alpha,fda_approved,news,2026-05-01,2026-05-01\n")
    bench.accept("load", "outcomes", file)
    return bench


def listed(made: Bench, *words: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = made.read("outcome", "list", made.slate, *words)
    return rows


def test_an_annulled_outcome_is_listed_and_counts_no_longer(claimed: Bench) -> None:
    (before,) = listed(claimed)
    assert before["counts_as"] != "annulled"
    number = str(before["outcome_id"])
    assert REASON in claimed.accept("outcome", "annul", number, "--reason", REASON)
    (row,) = listed(claimed)
    assert (row["outcome_id"], row["counts_as"]) == (before["outcome_id"], "annulled")
    assert row["withdrawal"].endswith(REASON)
    assert listed(claimed, "--hits") == []
    assert claimed.query("select count(*) from outcome") == [(0,)]
    assert claimed.query("select count(*) from event") == [(1,)]
    report = claimed.read("report", claimed.slate)
    assert [REASON in one for one in report["warnings"]].count(True) == 1
    assert "annulled_on" in claimed.accept("outcome", "show", number)
    claimed.accept("check")


def test_a_report_of_an_earlier_day_has_the_outcome(
    claimed: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    slate, present = claimed.slate, clock.read()
    monkeypatch.setattr(clock, "read", lambda: present + timedelta(days=3))
    with tracker.open(claimed.db, write=True) as opened:
        opened.annul(1, REASON)
    day = (present + timedelta(days=1)).date()
    with tracker.open(claimed.db, as_of=day) as opened:
        assert list(opened.slate(slate).outcomes["counts_as"]) != ["annulled"]
    with tracker.open(claimed.db) as opened:
        assert list(opened.slate(slate).outcomes["counts_as"]) == ["annulled"]


def test_annulled_again_it_keeps_its_reason_and_nothing_is_written(claimed: Bench) -> None:
    claimed.accept("outcome", "annul", "1", "--reason", REASON)
    rows = claimed.query("from annulment")
    said = claimed.accept("outcome", "annul", "1", "--reason", "another")
    assert "already annulled" in said
    assert REASON in said
    assert claimed.query("from annulment") == rows


def test_the_pair_names_the_outcome_unless_it_has_several(claimed: Bench) -> None:
    file = claimed.write("f.csv", f"{HEADER}Asthma,Alpha,first_trial_seen,news,2026-05-02,\n")
    claimed.accept("load", "outcomes", file)
    pair = (claimed.slate, "Alpha", "Asthma", "--reason", REASON)
    several = "1 (fda_approved, 2026-05-01), 2 (first_trial_seen"
    claimed.refuse("outcome", "annul", *pair, message=[several])
    claimed.accept("outcome", "annul", *pair, "--type", "first_trial_seen", "--on", "2026-05-02")
    assert claimed.query("select event_id from annulment") == [(2,)]
    claimed.refuse("outcome", "annul", *pair, "--on", "2020-01-01", message=["no such outcome"])


@pytest.mark.parametrize(
    ("number", "reason", "problem"),
    [
        ("9", REASON, "the store has no outcome 9"),
        ("1", " ", "the reason cannot be empty"),
        ("1", "a\nb", "control character"),
        ("1", "a" * 501, "longer than 500"),
    ],
)
def test_what_cannot_be_annulled_is_refused(
    claimed: Bench, number: str, reason: str, problem: str
) -> None:
    claimed.refuse("outcome", "annul", number, "--reason", reason, message=[problem])
    assert claimed.query("select count(*) from annulment") == [(0,)]


def test_what_evidence_shows_only_its_source_takes_back(claimed: Bench) -> None:
    with store.writer(claimed.db) as connection:
        connection.execute(
            schema.event.insert().from_select(
                schema.event.c.keys(),
                sa.select(
                    text(
                        "* replace (2 as event_id, 'chembl' as source, "
                        "'detected' as event_origin) from event"
                    )
                ),
            )
        )
    claimed.refuse("outcome", "annul", "2", "--reason", REASON, message=["detected in evidence"])


def test_the_log_covers_annulments(claimed: Bench) -> None:
    claimed.accept("outcome", "annul", "1", "--reason", REASON)
    sealed = claimed.query("select n_rows from log_entry where table_name = 'annulment'")
    assert sealed == [(1,)]
    with duckdb.connect(str(claimed.db)) as connection:
        connection.execute("update annulment set reason = 'none'")
    claimed.refuse("check", message=["annulment"], code=4)


def test_an_export_lacks_what_was_annulled(claimed: Bench, tmp_path: Path) -> None:
    claimed.accept("outcome", "annul", "1", "--reason", REASON)
    claimed.accept("slate", "export", claimed.slate, tmp_path / "export")
    assert claimed.query(f"from '{tmp_path / 'export' / 'outcomes.parquet'}'") == []
