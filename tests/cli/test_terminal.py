"""What is said on a terminal of 80 columns fits it, and stays in whole lines elsewhere."""

import contextlib
import io
import re
import shlex
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import ok, tracker_on

from tracker.cli import main, terminal

pytestmark = pytest.mark.slow

# A word, such as a hash or a path, that is wider than the terminal stays whole.
WIDTH = 80
SLATE = "5c9f4a52"
SHA256_OF_SLATE = "352f094b7607d9992c815018427a7a85288de4bce25cbecbc49b282098206dab"
SHA256 = "3381ea99496f02a99ca9ef6691f95d207d6eadacfeaaa9a610860421c35066fe"
COMMANDS = (
    "refresh doctor --offline",
    "verify site",
    f"verify site --sha256 {SHA256_OF_SLATE}",
    f"slate export {SLATE} exported",
    f"slate register {SLATE} registered",
    f"slate prove {SLATE} --token none.tsr",
    "slate freeze --candidates world --embargo-until 2090-01-01",
    "verify head.json",
    "verify proof.json",
    "check",
    "replay --sources releases",
    "refresh --dry-run",
    "report estimate",
    "refresh detect",
    "benchmark demo multilabel",
)
MISTAKES = (
    f"report {SLATE} --section nothing",
    f"report {SLATE} --as-of 2026-13-01",
    f"scoreboard {SLATE} --metric hits",
    "load candidates wrong.csv --set wrong --model v1",
    "load outcomes wrong.csv",
    "ingest fda wrong.csv",
    "slate freeze --candidates world --labels known --ranker none",
    "slate freeze --candidates world --plan tracker.toml",
    "slate import releases",
    "timestamp trust wrong.csv --name ours",
    "verify wrong.csv",
    "benchmark define wrong --kind ordinal --truth wrong.csv",
    "verify site --sha256 352f",
    f"verify site --sha256 {SHA256}",
    "publish -o releases",
    "due --within soon",
)

OnTerminal = Callable[..., list[str]]


class _Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def folder(demo_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's store and site, and files that are not what commands expect."""
    folder = tmp_path_factory.mktemp("terminal")
    shutil.copy(demo_store, folder / "store.duckdb")
    (folder / "tracker.toml").write_text('[[source]]\nkind = "chembl"\npath = "chembl_*.db"\n')
    (folder / "wrong.csv").write_text("disease_name,drug_nam,score\nx,y,abc\n")
    (folder / "releases").mkdir()
    (folder / "releases" / "note.txt").write_text("nothing")
    for words in (
        ["publish", "-o", folder / "site"],
        ["log", "head", "-o", folder / "head.json"],
        ["log", "prove", SLATE, "-o", folder / "proof.json"],
    ):
        ok(tracker_on(folder / "store.duckdb")(*words))
    return folder


@pytest.fixture
def on_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> OnTerminal:
    """Run a command as on a terminal, and return the lines that stand there."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    # No spinner.
    monkeypatch.setenv("TERM", "dumb")

    def run(*words: str) -> list[str]:
        screen = _Screen()
        with (
            contextlib.redirect_stdout(screen),
            contextlib.redirect_stderr(screen),
            contextlib.suppress(SystemExit),
        ):
            main(["--db", "store.duckdb", *words], prog_name="tracker")
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", screen.getvalue()).splitlines()

    return run


def _too_wide(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if len(line) > WIDTH and " " in line.strip()]


@pytest.mark.parametrize("words", COMMANDS)
def test_what_a_command_says_fits(words: str, on_terminal: OnTerminal) -> None:
    lines = on_terminal(*shlex.split(words))
    assert lines
    assert _too_wide(lines) == []


@pytest.mark.parametrize("words", MISTAKES)
def test_an_error_fits(words: str, on_terminal: OnTerminal) -> None:
    lines = on_terminal(*shlex.split(words))
    assert any(re.match("error: |Error: ", line) for line in lines), lines
    assert _too_wide(lines) == []


def test_an_error_is_one_line_where_it_is_piped(on_terminal: OnTerminal) -> None:
    """And has the same words on a terminal, where what is continued is indented."""
    words = ["slate", "freeze", "--candidates", "world", "--plan", "tracker.toml"]
    piped = CliRunner().invoke(main, ["--db", "store.duckdb", *words])
    (line,) = piped.stderr.splitlines()
    lines = on_terminal(*words)
    assert len(lines) > 1
    assert all(one.startswith("  ") for one in lines[1:])
    assert " ".join(one.strip() for one in lines) == line


def test_a_command_to_paste_is_one_command(on_terminal: OnTerminal) -> None:
    """The lines that verify breaks with backslashes are the command that it pipes."""
    piped = CliRunner().invoke(main, ["verify", "site"]).stdout
    wanted = re.findall(r"openssl ts .*", piped)
    assert len(wanted) == 2
    pasted = re.sub(r" \\\n +", " ", "\n".join(on_terminal("verify", "site")))
    assert re.findall(r"openssl ts .*", pasted) == wanted


def test_a_named_command_and_a_long_word_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    named = "  load its candidates, then 'tracker slate attach' and import again"
    assert terminal.wrapped(named).splitlines() == [
        "  load its candidates, then",
        "    'tracker slate attach' and import",
        "    again",
    ]
    assert terminal.wrapped(f"the hash {SHA256} is other").splitlines() == [
        "the hash",
        f"  {SHA256}",
        "  is other",
    ]
