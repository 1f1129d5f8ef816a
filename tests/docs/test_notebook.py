"""The example notebook runs from beginning to end, in a Jupyter kernel, and shows what it says."""

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from support import ROOT

pytestmark = pytest.mark.slow

NOTEBOOK = ROOT / "docs" / "guides" / "example.ipynb"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("notebook")


@pytest.fixture(scope="module")
def executed(folder: Path) -> nbformat.NotebookNode:
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]  # has no types
    with pytest.MonkeyPatch.context() as patch:
        # The kernel writes its connection file and history below these.
        for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
            patch.setenv(name, str(folder / name.lower()))
        patch.setitem(os.environ, "JUPYTER_PLATFORM_DIRS", "1")
        client = NotebookClient(
            notebook, timeout=120, resources={"metadata": {"path": str(folder)}}
        )
        return client.execute()


def test_the_report_shows_verdict_figures_and_charts(executed: nbformat.NotebookNode) -> None:
    shown = [
        output["data"]["text/html"]
        for cell in executed["cells"]
        if cell["cell_type"] == "code" and cell["source"].endswith("\nreport")
        for output in cell["outputs"]
        if output["output_type"] == "execute_result"
    ]
    assert len(shown) == 1
    assert "Replay: " in shown[0]
    assert "not a prospective test" in shown[0]
    assert "high tier against equally popular drugs" in shown[0]
    assert shown[0].count("<svg") == 3
    assert "<script" not in shown[0]


def test_the_files_that_it_saves_are_written(executed: nbformat.NotebookNode, folder: Path) -> None:
    assert executed["cells"]
    assert (folder / "tier_hit_rate.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_notebook_is_stored_without_output() -> None:
    stored = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]  # has no types
    assert [cell for cell in stored["cells"] if cell.get("outputs")] == []
