"""Every view has the same rows, to the last bit, whatever the number of threads of DuckDB."""

from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from tracker import slates, store
from tracker.extras.retrospective import evaluations
from tracker.slates import freezing, loads, outcomes
from tracker.store import catalog

pytestmark = pytest.mark.slow

# A thread takes row groups of 122,880 rows: the candidates, all of them predicted, have three.
N_DISEASES, N_DRUGS, N_ROW_GROUPS = 120, 2_500, 3

_PAIR = "select 'disease ' || d as disease_name, 'drug ' || g as drug_name, d, g from a, b"
_FILES = {
    # Sums of these differ in their last bits by the order in which they are added.
    "candidates": "select disease_name, drug_name, 1 / (1 + hash(d, g) % 9973) as score from pair",
    "labels": "select disease_name, drug_name, 1 + hash(d, g) % 4 as label from pair "
    "where hash(g, d) % (5 + g) < 1",
    "outcomes": "select disease_name, drug_name, 'trials' as source, "
    "'phase_advanced' as outcome_type, current_date - cast(hash(d) % 300 as integer) "
    "as event_date, current_date - cast(hash(g) % 250 as integer) as first_public_on "
    "from pair where hash(g, d, 1) % (20 + g) < 1",
}


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a matrix of candidates, a slate of it with outcomes, and an evaluation."""
    folder = tmp_path_factory.mktemp("threads")
    with duckdb.connect() as maker:
        maker.execute("create table a as from range(?) as one (d)", [N_DISEASES])
        maker.execute("create table b as from range(?) as one (g)", [N_DRUGS])
        maker.execute(f"create view pair as {_PAIR}")
        for name, query in _FILES.items():
            maker.sql(query).to_parquet(str(folder / f"{name}.parquet"))
    path = folder / "store.duckdb"
    with store.writer(path) as connection:
        loads.load_candidates(connection, folder / "candidates.parquet", "whole", "v1")
        loads.load_labels(connection, folder / "labels.parquet", "known")
        frozen_on = store.now(connection).date() - timedelta(days=400)
        freezing.freeze(
            connection,
            candidates="whole",
            labels="known",
            top_k=N_DRUGS,
            min_score=0,
            replay_as_of=frozen_on,
        )
        (slate,) = slates.all_slates(connection)
        outcomes.load(connection, folder / "outcomes.parquet", slate)
        evaluations.create(connection, candidates="whole", labels="known")
    return path


def _hashes(path: Path, threads: int) -> dict[str, tuple[int, int | None]]:
    """Return, by view, the number of its rows and the sum of their hashes."""
    found = {}
    with duckdb.connect(str(path), read_only=True, config={"threads": threads}) as connection:
        # Views are computed once, as for a report: each reads those before it.
        for view in catalog.in_build_order(catalog.read_views()):
            connection.execute(f"create temp table {view.name} as from main.{view.name}")
            rows = connection.table(f"temp.{view.name}").set_alias("one")
            found[view.name] = rows.aggregate("count(*), sum(hash(one))").fetchall()[0]
    return found


def test_views_are_the_same_with_one_thread_and_with_four(matrix: Path) -> None:
    with duckdb.connect(str(matrix), read_only=True) as connection:
        (groups,) = connection.execute(
            "select count(distinct row_group_id) from pragma_storage_info('stored_candidate')"
        ).fetchall()
    assert groups[0] >= N_ROW_GROUPS
    one = _hashes(matrix, 1)
    assert _hashes(matrix, 4) == one
    figures = ("auc", "ndcg_at_k", "ratio_variance", "leak_alarm", "score_calibration")
    assert all(one[name][0] for name in figures)
