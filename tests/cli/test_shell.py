"""`tracker sql` without a query: an interactive shell, in a real terminal."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench import Bench

TRACKER = Path(sys.executable).with_name("tracker")
# The terminal that is its standard input controls the process, so that Ctrl-C reaches it.
IN_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)


class Terminal:
    """A command in a terminal of its own: what is typed, and what stands there."""

    def __init__(self, words: list[object], environment: dict[str, str]) -> None:
        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", IN_TERMINAL, str(TRACKER), *map(str, words)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24", **environment},
            start_new_session=True,
        )
        os.close(theirs)
        self._unread = ""

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def until(self, wanted: str, timeout: float = 120) -> str:
        """Return what appears up to `wanted`, without control codes."""
        end = time.monotonic() + timeout
        while wanted not in self._unread:
            left = end - time.monotonic()
            assert left > 0, f"no {wanted!r} in {self._unread!r}"
            if select.select([self._ours], [], [], left)[0]:
                read = os.read(self._ours, 65536).decode(errors="replace")
                self._unread += re.sub(r"\x1b\[\?2004[hl]\r?|\r", "", read)
        found, self._unread = self._unread.split(wanted, 1)
        return found

    def end(self) -> int:
        """Return the exit code of the command, reading what else it prints."""
        end = time.monotonic() + 120
        while self.process.poll() is None and time.monotonic() < end:
            if select.select([self._ours], [], [], 0.05)[0]:
                try:
                    os.read(self._ours, 65536)
                except OSError:
                    break
        return self.process.wait(30)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self._ours)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def terminal(bench: Bench, state: Path) -> Iterator[Terminal]:
    environment = {"XDG_STATE_HOME": str(state), "NO_COLOR": "1"}
    opened = Terminal(["--db", bench.db, "sql"], environment)
    opened.until("sql> ")
    yield opened
    opened.close()


@pytest.mark.slow
def test_statements_are_answered_until_the_end(terminal: Terminal, state: Path) -> None:
    terminal.type("select 6 * 7 as answer,\n")
    terminal.until("...> ")
    terminal.type("  ';' as text; -- it's one statement;\n")
    assert re.search(r"answer +text\n.*\n +42 +;\n", terminal.until("sql> "))
    terminal.type("selekt 1;\n")
    assert "error: the query failed: Parser Error" in terminal.until("sql> ")
    terminal.type("drop table slate;\n")
    assert "error: the query failed: DROP is a command" in terminal.until("sql> ")
    terminal.type("from read_csv('/etc/passwd');\n")
    assert "error: the query failed: Permission Error" in terminal.until("sql> ")
    terminal.type(".views tier_hit\n")
    assert "tier_hit_rate" in terminal.until("sql> ")
    terminal.type(".help\n")
    assert ".quit" in terminal.until("sql> ")
    terminal.type(".nothing\n")
    assert "no command is named '.nothing'" in terminal.until("sql> ")
    terminal.type("\x04")
    assert terminal.end() == 0
    history = state / "tracker" / "sql_history"
    assert history.stat().st_mode & 0o077 == 0
    assert "drop table slate;" in history.read_text().replace("\\040", " ")


@pytest.mark.slow
def test_names_are_completed(terminal: Terminal) -> None:
    terminal.type("select count(*) as n from tier_hit_r\t;\n")
    assert re.search(r"n\n.*\n +\d+\n", terminal.until("sql> "))
    terminal.type("select t.hit_ra\t from tier_hit_rate t limit 0;\n")
    assert "hit_rate\n" in terminal.until("(no rows)")
    terminal.until("sql> ")
    terminal.type(".qu\t\n")
    assert terminal.end() == 0


@pytest.mark.slow
def test_control_c_cancels_a_query_and_a_line(terminal: Terminal) -> None:
    terminal.type("select count(*) from range(1000000) a, range(1000000) b;\n")
    time.sleep(3)
    terminal.type("\x03")
    terminal.until("cancelled")
    terminal.until("sql> ")
    terminal.type("select 1 as half,\n")
    terminal.until("...> ")
    # Python notices no signal in the moment between its prompt and its wait for a line.
    time.sleep(1)
    terminal.type("\x03")
    terminal.until("cancelled")
    terminal.until("sql> ")
    terminal.type("select 2 as whole;\n")
    assert "whole" in terminal.until("sql> ")
    time.sleep(1)
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.end() == 143


@pytest.mark.slow
def test_a_history_that_cannot_be_kept_is_done_without(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    opened = Terminal(["--db", bench.db, "sql"], {"XDG_STATE_HOME": str(tmp_path / "file")})
    try:
        opened.until("sql> ")
        opened.type("select 1 as one;\n")
        assert "one" in opened.until("sql> ")
        opened.type(".quit\n")
        assert opened.end() == 0
    finally:
        opened.close()


@pytest.mark.slow
def test_verdicts_have_colour_on_a_terminal(bench: Bench) -> None:
    for environment, coloured in (({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False)):
        opened = Terminal(["--db", bench.db, "slate", "verify"], environment)
        try:
            assert ("\x1b[32mas frozen\x1b[0m" in opened.until("shortened")) is coloured
            assert opened.end() == 0
        finally:
            opened.close()
    assert "\x1b" not in bench.accept("slate", "verify")


@pytest.mark.slow
def test_long_output_goes_to_a_pager(bench: Bench, tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\nwc -l | sed 's/^ */lines: /'\n")
    pager.chmod(0o700)
    for rows, paged in ((100, True), (3, False)):
        query = f"select range as number from range({rows})"  # noqa: S608 - a number of ours
        words = ["--db", bench.db, "sql", query]
        opened = Terminal(words, {"PAGER": str(pager)})
        try:
            # The head and the rule as well, and an empty line of click's own.
            found = opened.until(f"lines: {rows + 3}" if paged else " 2\n")
            assert ("number" in found) is not paged
            assert opened.end() == 0
        finally:
            opened.close()


def test_a_file_needs_a_query(bench: Bench) -> None:
    opened = Terminal(["--db", bench.db, "sql", "-o", "out.csv"], {})
    try:
        opened.until("a file needs a query")
        assert opened.end() == 2
    finally:
        opened.close()
