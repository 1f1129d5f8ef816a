"""What long commands say while they work: the share done, the time left, and how much is said."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import WORLD, exited, ok

from tracker.cli import main
from tracker.progress import Shares


def _said(*steps: tuple[float, str]) -> list[str]:
    """Return what is said of messages at these seconds."""
    now = [0.0]
    shares = Shares(lambda: now[0])
    said = []
    for now[0], message in steps:
        said.append(shares(message))
    return said


def test_a_message_that_counts_has_its_share_and_the_time_left() -> None:
    assert _said(
        (0, "file 1 of 4"), (1, "file 2 of 4"), (10, "file 3 of 4"), (15, "file 4 of 4")
    ) == [
        "file 1 of 4, 0%",
        "file 2 of 4, 25%",
        "file 3 of 4, 50%, about 10 s left",
        "file 4 of 4, 75%, about 5 s left",
    ]
    assert _said((0, "row 1 of 1,000"), (60, "row 11 of 1,000"))[1] == (
        "row 11 of 1,000, 1%, about 99 min left"
    )
    assert _said((0, "row 1 of 1,000"), (600, "row 11 of 1,000"))[1].endswith("about 16 h left")


def test_what_does_not_count_begins_anew() -> None:
    said = _said(
        (0, "part 1 of 2"),
        (60, "part 2 of 2"),
        (61, "sealing"),
        (62, "page 1 of 2"),
        (63, "x 2 of 2"),
    )
    assert said[2:] == ["sealing", "page 1 of 2, 0%", "x 2 of 2, 50%"]
    # What had begun before the first message is not known.
    assert _said((0, "part 5 of 9"))[0] == "part 5 of 9, 44%"
    assert _said((0, "part 1 of 0"))[0] == "part 1 of 0"


@pytest.fixture
def loading(db: Path, tmp_path: Path) -> list[str]:
    path = shutil.copy(WORLD / "candidates.csv", tmp_path)
    return ["--db", str(db), "load", "candidates", str(path), "--set", "c", "--model", "m"]


def test_quiet_says_nothing_of_what_was_done(loading: list[str]) -> None:
    done = CliRunner().invoke(main, ["--quiet", *loading])
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    # What is asked for is printed, and errors are.
    listed = CliRunner().invoke(main, ["-q", *loading[:2], "candidate", "list"])
    assert "c " in listed.stdout
    wrong = CliRunner().invoke(main, ["-q", *loading[:4], "none.csv", *loading[5:]])
    assert wrong.exit_code != 0
    assert "none.csv" in wrong.stderr


def test_verbose_says_each_step_with_its_time(loading: list[str]) -> None:
    done = ok(CliRunner().invoke(main, ["--verbose", *loading]))
    lines = done.stderr.splitlines()
    assert lines
    assert all(line[2] == ":" and line[8:10] == "Z " for line in lines)
    assert any("candidates" in line for line in lines)
    both = exited(2, CliRunner().invoke(main, ["-q", "-v", *loading]))
    assert "exclude each other" in both.stderr
