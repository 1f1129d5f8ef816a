"""Every view gives the same rows in plain DuckDB of the version that wrote the store, and in 2."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from support import ROOT, printed, ran

# .ci/run puts it there: an environment has one DuckDB.
DUCKDB_2 = ROOT / "build" / "duckdb-2"
READ = """
import json, sys
import duckdb

def cell(value):
    return f"{value:.9g}" if isinstance(value, float) else str(value)

with duckdb.connect(sys.argv[1], read_only=True) as connection:
    connection.execute("set enable_progress_bar = false; set timezone = 'UTC'")
    names = connection.execute(
        "select view_name from duckdb_views() "
        "where not internal and database_name = current_database()"
    ).fetchall()
    rows = {
        name: sorted(
            [cell(one) for one in row] for row in connection.execute(f"from {name}").fetchall()
        )
        for (name,) in names
    }
json.dump({"version": duckdb.__version__, "rows": rows}, sys.stdout)
"""


@pytest.mark.slow
@pytest.mark.skipif(not DUCKDB_2.exists(), reason="no DuckDB 2 in build/duckdb-2")
def test_every_view_is_read_by_two_versions_of_duckdb(demo_store: Path) -> None:
    ours, theirs = (_read(demo_store, path) for path in ("", str(DUCKDB_2)))
    assert (ours["version"][0], theirs["version"][0]) == ("1", "2")
    assert len(ours["rows"]) > 250
    assert sum(map(len, ours["rows"].values())) > 10_000
    differing = [name for name, rows in ours["rows"].items() if theirs["rows"][name] != rows]
    assert differing == []


def _read(path: Path, packages: str) -> dict[str, Any]:
    """Return the version of DuckDB that Python finds first, and the rows of all views."""
    rows = printed(ran(sys.executable, "-c", READ, path, PYTHONPATH=packages))
    found: dict[str, Any] = json.loads(rows)
    return found
