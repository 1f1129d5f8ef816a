"""The wheel contains everything a page needs: built, installed alone, and rendered from."""

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from support import ROOT, printed, ran


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.mark.slow
def test_the_wheel_has_every_template_view_and_migration(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    for folder, pattern in (
        ("tracker", "**/*"),
        ("sql", "**/*.sql"),
        ("migrations", "**/*.py"),
        ("fixtures", "world/**/*"),
    ):
        inside = "" if folder == "tracker" else "tracker/"
        for path in (ROOT / folder).glob(pattern):
            if path.is_file() and "__pycache__" not in path.parts:
                assert f"{inside}{path.relative_to(ROOT)}" in packed


@pytest.mark.slow
def test_an_installed_wheel_renders_the_page_of_the_checkout(wheel: Path, tmp_path: Path) -> None:
    """The environment has the wheel and its dependencies, and nothing from the checkout."""
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    site = next(environment.glob("lib/python*/site-packages"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # A path in a .pth file brings the packages there, not the .pth files among them.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = str(environment / "bin" / "python")
    main = "import tracker.cli, sys; sys.exit(tracker.cli.main(sys.argv[1:]))"

    def run(interpreter: str, *words: str) -> str:
        return printed(ran(interpreter, "-c", *words, folder=tmp_path))

    assert run(python, "import tracker; print(tracker.__file__)").startswith(str(site))
    run(python, main, "demo", "-o", "demo")
    words = (main, "--db", "demo/demo.duckdb", "report", "a07e", "--as-of", "2026-01-31")
    page = run(python, *words, "--format", "html")
    assert page.startswith("<!doctype html>")
    assert page == run(sys.executable, *words, "--format", "html")
