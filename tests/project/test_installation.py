"""What users install is enough: commands run without the packages that only tests bring."""

import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support import ROOT, printed, ran

# Runs a command as if the modules that its first argument names were not installed.
WITHOUT = """
import sys

class Absent:
    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)

sys.meta_path.insert(0, Absent(set(sys.argv.pop(1).split(","))))
from tracker.cli import main
main(prog_name="tracker")
"""


def _installed_with_tracker() -> set[str]:
    """Return the distributions that tracker requires, and those that they require."""
    names = ["slate-tracker"]
    for name in names:
        for line in metadata.requires(name) or []:
            requirement = Requirement(line)
            needed = canonicalize_name(requirement.name)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                names += [needed] if needed not in names else []
    return set(names)


def _of_tests_alone() -> list[str]:
    """Return the modules that are here and come with no distribution that users install."""
    own = _installed_with_tracker()
    found = {
        module
        for module, distributions in metadata.packages_distributions().items()
        if not own & {canonicalize_name(name) for name in distributions}
    }
    # What the interpreter itself uses of them to find modules.
    return sorted(module for module in found if not module.startswith(("_", "__editable__")))


def _run(folder: Path, *words: str) -> str:
    command = (sys.executable, "-c", WITHOUT, ",".join(_of_tests_alone()), *words)
    return printed(ran(*command, folder=folder, PYTHONPATH=str(ROOT)))


def test_the_modules_of_tests_are_told_apart() -> None:
    absent = _of_tests_alone()
    assert {"pytest", "polars", "sklearn"} <= set(absent)
    assert not {"duckdb", "pandas", "pyarrow", "sqlalchemy", "click", "alembic"} & set(absent)


@pytest.mark.slow
def test_commands_need_only_what_is_installed_with_tracker(tmp_path: Path) -> None:
    _run(tmp_path, "demo")
    db = ("--db", "demo/registry.duckdb")
    for words in (
        ("check",),
        ("assess",),
        ("report", "@latest", "--format", "json"),
        ("report", "@latest", "--format", "html", "-o", "page.html"),
        ("sql", "from verdict", "--format", "parquet", "-o", "verdict.parquet"),
        ("export", "results"),
        ("publish", "-o", "site"),
        ("verify", "site"),
        ("log", "head", "-o", "head.json"),
        ("slate", "verify"),
    ):
        _run(tmp_path, *db, *words)
