"""The recipes run as they are printed, beside the programs that they are for."""

import importlib.util
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from evidence import study, write_json
from packaging.utils import canonicalize_name
from support import ENDPOINT, ROOT, printed, ran

PAGE = (ROOT / "docs" / "guides" / "recipes.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"<!-- example: (\w+) -->\n```python\n(.*?)```", PAGE, re.DOTALL))
# What each leaves behind, printed as JSON.
SHOWN = {
    "mlflow": """
import json
(run,) = mlflow.search_runs(output_format="list")
artifacts = mlflow.MlflowClient().list_artifacts(run.info.run_id)
found = {"params": run.data.params, "metrics": run.data.metrics}
found |= {"verdict": run.data.tags["verdict"], "artifacts": [one.path for one in artifacts]}
print(json.dumps(found))
""",
    "dagster": """
import json
(scheduled,) = defs.schedules
done = defs.resolve_job_def(scheduled.job_name).execute_in_process(raise_on_error=False)
stored = done.asset_materializations_for_node("track_record") if done.success else []
checks = {one.check_name: one.passed for one in done.get_asset_check_evaluations()}
found = {"success": done.success, "checks": checks, "cron": scheduled.cron_schedule}
print(json.dumps(found | {"summaries": [one.metadata["summary"].text for one in stored]}))
""",
}


@pytest.fixture
def folder(followed_store: Path, tmp_path: Path) -> Path:
    """Return a folder with a store, its configuration, and a release that it has not ingested."""
    shutil.copy(followed_store, tmp_path / "tracker.duckdb")
    (tmp_path / "tracker.toml").write_text(
        'store = "tracker.duckdb"\nsettle_seconds = 0\n'
        'source = [{kind = "trials", path = "drop/*.json"}]\n'
    )
    (tmp_path / "drop").mkdir()
    released = [study(start="2024-05", posted="2024-04-20")]
    write_json(tmp_path / "drop" / "trials-2025-08-01.json", released)
    return tmp_path


def _followed(name: str, folder: Path) -> dict[str, Any]:
    """Run a recipe; return what it left behind. Skip the test where its program is not here."""
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"no {name} here (.ci/recipes.lock)")
    (folder / "recipe.py").write_text(RECIPES[name] + SHOWN[name])
    environment = {
        "MLFLOW_TRACKING_URI": "sqlite:///mlflow.db",
        # Neither tells its makers.
        "DO_NOT_TRACK": "1",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "DAGSTER_DISABLE_TELEMETRY": "1",
    }
    said = printed(ran(sys.executable, "recipe.py", folder=folder, **environment))
    found: dict[str, Any] = json.loads(said.splitlines()[-1])
    return found


def test_the_recipes_are_those_that_are_run() -> None:
    assert RECIPES.keys() == SHOWN.keys()


def test_their_versions_are_locked_beside_those_of_development() -> None:
    """Each with its hashes, and none that another lock of the same environment has otherwise."""

    def locked(path: str) -> dict[str, str]:
        text = (ROOT / path).read_text(encoding="utf-8")
        found = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", text, re.MULTILINE)
        return {canonicalize_name(name): version for name, version in found}

    recipes = locked(".ci/recipes.lock")
    assert {"mlflow-skinny", "dagster"} <= recipes.keys()
    assert len(recipes) < 60
    text = (ROOT / ".ci" / "recipes.lock").read_text(encoding="utf-8")
    assert all("--hash=sha256:" in one for one in re.split(r"\n(?=[a-z])", text)[1:])
    assert recipes.keys() & locked("requirements-dev.lock").keys() == set()
    others = {**locked(".ci/spark.lock"), **locked(".ci/lake.lock")}
    common = recipes.keys() & others.keys()
    assert {name: recipes[name] for name in common} == {name: others[name] for name in common}


@pytest.mark.slow
def test_mlflow_has_the_figures_and_the_report(folder: Path) -> None:
    found = _followed("mlflow", folder)
    assert found["params"]["model_version"] == "m"
    assert re.fullmatch(r"[0-9a-f-]{36}", found["params"]["slate"])
    # Of a figure that is not known there is no metric.
    assert found["metrics"]["n_hits.high"] == 0
    assert found["metrics"]["hit_rate.all"] == 0
    assert f"{ENDPOINT}.high" not in found["metrics"]
    assert found["verdict"] == "Replay: too early"
    assert found["artifacts"] == ["report.html"]


@pytest.mark.slow
def test_dagster_refreshes_and_checks(folder: Path) -> None:
    assert _followed("dagster", folder) == {
        "success": True,
        "checks": {"is_sound": True},
        "cron": "0 5 * * *",
        "summaries": [
            "releases: 1 ingested; 2 new outcomes of 1 pair in 1 slate, from 2 events, 1 study"
        ],
    }


@pytest.mark.slow
def test_dagster_fails_where_a_file_was_refused(folder: Path) -> None:
    (folder / "drop" / "trials-2025-09-01.json").write_text("{")
    found = _followed("dagster", folder)
    assert (found["success"], found["checks"]) == (False, {})
