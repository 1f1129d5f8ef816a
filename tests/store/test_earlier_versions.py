"""A store that an earlier commit wrote is upgraded, verifies, and reports the same figures.

fixtures/stores.tar.xz has a small store of every sequence of migrations that main ever had, and
figures of the report that the commit then made (fixtures/make_stores.py).

stores/0.1.0.xz is a store that version 0.1.0 made of the demo world: its sets, the spring slate
with its outcomes, a slate of its own, a ChEMBL release, an evaluation, estimates and a scoreboard.
stores/0.1.0.json contains sections of the report that 0.1.0 then made of the spring slate. The
population 'novel' and what was known at the freeze are left out: what was public before the freeze,
labels or not, is known now. So are intervals and p values, which are by drug and disease now, and
which of equal drugs or scores are in which decile, since a hash of their names orders them now: of
figures by decile the sums over the deciles are compared.
"""

import json
import lzma
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support import ROOT, Tracker, exited, ok, tracker_on

from tracker.store import revisions

STORES = Path(__file__).parents[1] / "support" / "stores"
SPRING = "5c9f4a52"
# Figures whose definition changed, and what the changelog says of it.
_RATIO = "the strata are combined by Mantel and Haenszel"
_KEYS = ("evidence_window", "population", "tier")
_CHANGED = {
    ("enrichment_vs_matched", column): _RATIO
    for column in (
        "enrichment_vs_matched",
        "expected_hits",
        "observed_vs_expected",
        "own_share",
        "reason",
    )
}
_UNCERTAINTY = ("low", "high", "p_value", "p_adjusted", "method")
_TIES = ("tie_mean_hits", "tie_low_hit_rate", "tie_high_hit_rate")
_BY_DECILE = ("expected_hit_rate", "expected_hits", "enrichment_vs_popularity")


@pytest.fixture
def old(db: Path) -> Path:
    db.write_bytes(lzma.decompress((STORES / "0.1.0.xz").read_bytes()))
    return db


def test_a_store_of_0_1_0_is_refused_until_it_is_upgraded(old: Path, tracker: Tracker) -> None:
    before = old.read_bytes()
    done = exited(3, tracker("report", SPRING))
    assert "is a store of another version; bring it up to date with 'tracker init'" in done.stderr
    assert old.read_bytes() == before


@pytest.mark.slow
@pytest.mark.usefixtures("old")
def test_a_store_of_0_1_0_is_upgraded_and_gives_its_figures(tracker: Tracker) -> None:
    for words in (("init",), ("check",), ("slate", "verify"), ("scoreboard", SPRING)):
        ok(tracker(*words))
    # 0.1.0 believed every date; this slate was imported long after the one that it states.
    claimed = ("--dates", "claimed", "--format", "json")
    report = json.loads(tracker("report", SPRING, *claimed).stdout)
    assert any("This store has been sealed since" in one for one in report["warnings"])
    expected = json.loads((STORES / "0.1.0.json").read_text(encoding="utf-8"))
    assert len(expected) == 10
    del expected["known_at_freeze"]
    found = {name: report["sections"][name] for name in expected}
    assert all(row.pop("n_later_hits") == 0 for row in found["tier_hit_rate"])
    assert all(row.pop("n_not_yet_known") == 0 for row in found["falsification_summary"])
    for row in found["median_time_to_event"]:
        assert row.pop("median_days_from_counted") == row["median_days"]
    mine, theirs = _of_all_pairs(found), _of_all_pairs(expected)
    for sections in (mine, theirs):
        for row in sections["enrichment_vs_popularity"]:
            assert all(row.pop(name) > 0 for name in _BY_DECILE)
    for deciles in ("breadth_decile_hit_rate", "score_decile_hit_rate"):
        assert _sums(mine.pop(deciles)) == _sums(theirs.pop(deciles))
    for name, rows in mine.items():
        for row, one in zip(rows, theirs[name], strict=True):
            assert row.keys() == one.keys()
            assert row | _numbers(one) == one, name
            assert _numbers(row) == pytest.approx(_numbers(one), rel=1e-12), name


def test_a_store_of_every_revision_is_upgraded_and_keeps_its_figures(tmp_path: Path) -> None:
    """Figures are equal, but for those whose definition changed, which the changelog says.

    Limits are not compared: the changelog says of each kind how it became another.
    """
    found, differing = set(), {}
    for name, path, figures in _upgraded(tmp_path):
        found.add(name.partition("-")[0])
        differing[name] = _differing(path, figures)
    assert set().union(*differing.values()) == _CHANGED.keys(), differing
    changelog = " ".join((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split())
    assert all(words in changelog for words in _CHANGED.values())
    # That of the newest migration has a store when the next one is made.
    assert revisions.known()[-2] in found


@pytest.mark.slow
def test_a_store_of_every_revision_is_sound_when_it_is_upgraded(tmp_path: Path) -> None:
    for name, path, _ in _upgraded(tmp_path):
        done = tracker_on(path)("check")
        assert done.exit_code == 0, f"{name}: {done.output}"


def _upgraded(folder: Path) -> Iterator[tuple[str, Path, dict[str, list[dict[str, Any]]]]]:
    """Yield each of the stores by its name, upgraded, with the figures that its commit reported."""
    path = folder / "store.duckdb"
    with tarfile.open(ROOT / "fixtures" / "stores.tar.xz") as archive:
        # A store, and then its figures.
        for member in archive:
            name, _, ending = member.name.partition(".")
            content = archive.extractfile(member)
            assert content is not None
            if ending == "duckdb":
                path.write_bytes(content.read())
                done = tracker_on(path)("init")
                assert done.exit_code == 0, f"{name}: {done.output}"
            else:
                yield name, path, json.loads(content.read())


def _differing(path: Path, before: dict[str, list[dict[str, Any]]]) -> set[tuple[str, str]]:
    """Return the figures, as view and column, that the views give otherwise."""
    differing = set()
    for view, earlier in before.items():
        with duckdb.connect(str(path), read_only=True) as connection:
            result = connection.execute(f"from {view}")
            names = [column[0] for column in result.description]
            rows = {
                tuple(row[names.index(key)] for key in _KEYS if key in names): row
                for row in result.fetchall()
            }
        for one in earlier:
            row = rows[tuple(one[key] for key in _KEYS if key in names)]
            now = dict(zip(names, row, strict=True))
            compared = one.keys() & now.keys() - {"method"}
            differing |= {(view, name) for name in compared if now[name] != one[name]}
    return differing


def _numbers(row: dict[str, Any]) -> dict[str, float]:
    return {name: value for name, value in row.items() if isinstance(value, float)}


def _sums(rows: list[dict[str, Any]]) -> dict[str, tuple[int, int, int]]:
    """Return deciles, predictions and hits of each window."""
    windows = {row["evidence_window"]: (0, 0, 0) for row in rows}
    for row in rows:
        n, n_predictions, n_hits = windows[row["evidence_window"]]
        windows[row["evidence_window"]] = (
            n + 1,
            n_predictions + row["n_predictions"],
            n_hits + row["n_hits"],
        )
    return windows


def _of_all_pairs(
    sections: dict[str, list[dict[str, Any]]],
) -> dict[str, list[dict[str, Any]]]:
    """Return the figures of the rows of all pairs."""
    return {
        name: [
            {field: value for field, value in row.items() if field not in (*_UNCERTAINTY, *_TIES)}
            for row in rows
            if row.get("population") != "novel"
        ]
        for name, rows in sections.items()
    }


@pytest.mark.slow
@pytest.mark.usefixtures("old")
def test_a_writing_command_upgrades_a_store_of_0_1_0(tracker: Tracker) -> None:
    ok(tracker("report", "estimate", SPRING))
    ok(tracker("check"))
    heads = json.loads(tracker("log", "list", "--format", "json").stdout)
    assert [head["reason"] for head in heads] == ["upgraded", "written"]


@pytest.mark.slow
def test_a_store_of_0_1_0_is_sealed_whole_when_it_is_upgraded(old: Path, tracker: Tracker) -> None:
    ok(tracker("init"))
    with duckdb.connect(str(old)) as other:
        other.execute("update scoreboard set value = 0.5 where scoreboard_id = 1")
        other.execute("update prediction set score = 0.99 where rank = 60")
    done = exited(4, tracker("check"))
    assert "log: scoreboard 1 was altered after it was sealed on " in done.stderr
    assert " (rank 60) is not as it was frozen\n" in done.stderr
