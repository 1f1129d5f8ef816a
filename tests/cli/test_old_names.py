"""What commands were called goes on to work, and says the new name."""

import shutil
from pathlib import Path

import click
import pytest
from support import Tracker

from tracker.cli import main
from tracker.cli.commands import OLD_NAMES

SLATE = "5c9f4a52"
WORDS = {
    "candidates": ("list",),
    "detect": (SLATE,),
    "doctor": ("--offline", "--format", "csv"),
    "estimate": (SLATE,),
    "fetch": (),
    "timestamps": ("list", "--roots"),
    "verify-site": ("site",),
    "views": ("tier_hit_rate",),
}
LONG = ("doctor", "estimate", "verify-site")


@pytest.fixture
def world(
    demo_store: Path, db: Path, tmp_path: Path, tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> Tracker:
    shutil.copy(demo_store, db)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tracker.toml").write_text('[[source]]\nkind = "chembl"\npath = "chembl_*.db"\n')
    return tracker


def test_every_old_name_is_tried_here() -> None:
    assert sorted(WORDS) == sorted(OLD_NAMES)


@pytest.mark.parametrize(
    "old",
    [pytest.param(old, marks=[pytest.mark.slow] if old in LONG else []) for old in WORDS],
)
def test_an_old_name_works_and_says_the_new_one(old: str, world: Tracker) -> None:
    if old == "verify-site":
        assert world("publish", "-o", "site").exit_code == 0
    new = world(*OLD_NAMES[old].split(), *WORDS[old])
    done = world(old, *WORDS[old])
    assert (done.exit_code, done.stdout) == (new.exit_code, new.stdout)
    assert done.exit_code == 0, done.output
    (said,) = set(done.stderr.splitlines()) - set(new.stderr.splitlines())
    assert said.endswith(f"Use 'tracker {OLD_NAMES[old]}'.")


def test_an_old_name_is_found_and_not_listed(world: Tracker) -> None:
    assert not set(OLD_NAMES) & set(main.list_commands(click.Context(main)))
    for old in OLD_NAMES:
        assert main.commands[old].name == old
    listed = world("--help").output.partition("Old names:\n")[2]
    for old, new in OLD_NAMES.items():
        assert f"Use 'tracker {new}'." in next(
            line for line in listed.splitlines() if line.split()[:1] == [old]
        )


def test_what_is_misspelt_is_not_answered_with_an_old_name(world: Tracker) -> None:
    assert "'candidate'" in world("candidatse").output
    assert "'candidates'" not in world("candidatse").output
