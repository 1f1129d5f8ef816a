"""What the README says is what happens: its commands run, its tables are current."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT, WORLD, Tracker

from tracker import catalog

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(
    r"(?:<!-- example: ([\w ]+) -->\n)?```(sh|python|toml)\n(.*?)```", README, re.DOTALL
)
SLATE = "5c9f4a52"


def _block(name: str) -> str:
    return {title: str(body) for title, _, body in BLOCKS}[name]


def _shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_command_runs(tmp_path: Path) -> None:
    """Run each shell block in one folder, in order, as a reader would."""
    listing = "tracker slate list --format json > slates.json"
    first = _shell(_block("first report") + listing, tmp_path)
    assert first.returncode == 0, first.stderr
    slate = json.loads((tmp_path / "slates.json").read_text())[0]["slate_id"]
    (tmp_path / "published").symlink_to(WORLD / "spring_slate")
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    (tmp_path / "question.sql").write_text("select count(*) as n from prediction")
    blocks = [body for title, kind, body in BLOCKS if kind == "sh" and not title]
    own = [body for body in blocks if ".venv/bin" not in body]
    assert len(own) == 12
    for body in own:
        done = _shell(re.sub(r"\bSLATE\b", slate, body), tmp_path)
        assert done.returncode == 0, (body, done.stderr)
    assert "1 of 1 hits are prospective" in (tmp_path / "report.md").read_text()


def test_ten_lines_recompute_the_hash_of_an_export(tracker: Tracker, tmp_path: Path) -> None:
    script = tmp_path / "recompute.py"
    script.write_text(_block("recompute"))
    assert len(_block("recompute").splitlines()) <= 10
    assert tracker("slate", "import", WORLD / "spring_slate").exit_code == 0
    assert tracker("slate", "export", SLATE, tmp_path / "out").exit_code == 0
    run = [sys.executable, str(script), str(tmp_path / "out")]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "True\n"
    manifest = tmp_path / "out" / "manifest.json"
    manifest.write_text(manifest.read_text().replace("fictional", "Fictional"))
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_refresh_from_python(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """The configuration of the README, a release dropped into its folder, and its Python call."""
    assert len(_block("refresh").splitlines()) <= 5
    (tmp_path / "tracker.toml").write_text(_block("configuration"))
    (tmp_path / "incoming").mkdir()
    (tmp_path / "refresh.py").write_text(_block("refresh").replace("tracker.toml", "now.toml"))
    text = _block("configuration").replace("# settle_seconds = 60", "settle_seconds = 0")
    (tmp_path / "now.toml").write_text(text)
    for name in ("chembl_91.db", "trials-2025-02-20.json", "drugsatfda.zip"):
        shutil.copy(WORLD / name, tmp_path / "incoming")
    assert tracker("load", "labels", WORLD / "labels.csv", "--set", "known").exit_code == 0
    shutil.copy(db, tmp_path / "tracker.duckdb")
    settling = _shell("tracker refresh --format json", tmp_path)
    assert {row["status"] for row in json.loads(settling.stdout)["sources"]} == {"settling"}
    done = _shell(f"{sys.executable} refresh.py && tracker release list --format csv", tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 4
    (tmp_path / "incoming" / "chembl_92.db").write_bytes(b"SQLite format 3\0 cut off")
    failed = _shell(f"{sys.executable} refresh.py", tmp_path)
    assert "RuntimeError: releases: 3 held, 1 refused" in failed.stderr


def test_table_of_views_is_current() -> None:
    between = README.split("<!-- views: begin -->")[1].split("<!-- views: end -->")[0]
    assert between.strip() == views_table().strip(), "run: python tests/test_readme.py"


def views_table() -> str:
    """Return the README's table of views, made from the headers in sql/."""
    lines = ["| view | what | grain |", "| --- | --- | --- |"]
    lines += [
        f"| `{view.name}` | {view.header['Title']}: {view.header['Formula']} "
        f"| {view.header['Grain']} |"
        for view in catalog.read_views()
    ]
    return "\n".join(lines)


@pytest.mark.parametrize("kind", ["sh", "python"])
def test_there_are_blocks_to_run(kind: str) -> None:
    assert any(block_kind == kind for _, block_kind, _ in BLOCKS)


if __name__ == "__main__":
    head, rest = README.split("<!-- views: begin -->")
    tail = rest.split("<!-- views: end -->")[1]
    (ROOT / "README.md").write_text(
        f"{head}<!-- views: begin -->\n{views_table()}\n<!-- views: end -->{tail}", encoding="utf-8"
    )
