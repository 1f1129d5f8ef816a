"""The page with SQL of a published site: DuckDB-Wasm in a real browser, behind a real server."""

import contextlib
import csv
import functools
import io
import re
import shutil
import tarfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

import duckdb
import pytest
from browser import DESKTOP, VIEWS, Theme, Visit, visit
from click.testing import Result
from loopback import listening
from playwright.sync_api import Browser, expect
from support import content, exited, ok, sampled, tracker_on

from tracker.errors import InputRefused
from tracker.extras.site import console
from tracker.extras.site.files import MANIFEST, PROOF, SCRIPT
from tracker.extras.site.layout import CONSOLE_POLICY, POLICY
from tracker.files import archives
from tracker.progress import silent


def publish(db: Path, folder: Path, *words: object) -> Result:
    return tracker_on(db)("publish", "-o", folder, *words)


@pytest.fixture(scope="module")
def plain(published_registry: Path) -> Path:
    """The site of the demo's registry without the page."""
    return published_registry


@pytest.fixture(scope="module")
def site(demo_registry: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with the page; skips where npm cannot deliver DuckDB-Wasm."""
    if shutil.which("npm") is None:
        pytest.skip("no npm here")
    folder = tmp_path_factory.mktemp("console") / "site"
    done = publish(demo_registry, folder, "--console")
    if "npm does not deliver" in done.stderr:
        pytest.skip(done.stderr)
    assert done.exit_code == 0, done.output
    return folder


@contextlib.contextmanager
def served(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve a folder on the loopback, open to other origins; yield its address and the requests."""
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            asked.append(self.path)

        def end_headers(self) -> None:
            self.send_header("Access-Control-Allow-Origin", "*")
            super().end_headers()

    with listening(functools.partial(Handler, directory=str(folder))) as address:
        yield address, asked


@contextlib.contextmanager
def opened(
    browser: Browser, site: Path, *, width: int = DESKTOP, theme: Theme = "light"
) -> Iterator[Visit]:
    with (
        served(site) as (address, _),
        visit(browser, f"{address}/{console.PATH}", width=width, theme=theme) as visited,
    ):
        yield visited


def ask(visited: Visit, sql: str) -> str:
    """Run a query; return what the page says about it."""
    visited.page.fill("#sql", sql)
    visited.page.click("#run")
    return said(visited)


def said(visited: Visit) -> str:
    expect(visited.page.locator("#run")).to_be_enabled(timeout=120_000)
    return visited.page.inner_text("#console-status")


def downloaded(visited: Visit) -> str:
    with visited.page.expect_download() as found:
        visited.page.click("#keep")
    return Path(found.value.path()).read_bytes().decode("utf-8")


def reference(site: Path, sql: str) -> list[tuple[str | None, ...]]:
    """Answer a query with DuckDB itself, over the downloads; every value as text."""
    with duckdb.connect() as connection:
        connection.execute("set timezone = 'UTC'")
        downloads = site / "downloads"
        for name in ("prediction", "outcome"):
            parts = connection.from_parquet(f"{downloads}/*/{name}s.parquet", filename=True)
            parts.project("parse_path(filename)[-2] as slate_id, * exclude filename").create_view(
                name
            )
        for name, stem in (("slate", "slates"), ("scoreboard", "scoreboard")):
            connection.from_parquet(f"{downloads}/{stem}.parquet").create_view(name)
        return connection.sql(sql).project("columns(*)::text").fetchall()


@pytest.mark.slow
def test_worked_questions_are_answered_as_duckdb_does(chromium: Browser, site: Path) -> None:
    with opened(chromium, site) as visited:
        assert said(visited).startswith("The first query loads DuckDB and the tables, 18.")
        for number, one in enumerate(console.QUESTIONS, start=1):
            visited.page.get_by_role("button", name=f"Run question {number}").click()
            assert re.match(r"\d+ rows? in", said(visited)), said(visited)
            rows = list(csv.reader(io.StringIO(downloaded(visited))))[1:]
            expected = reference(site, one.sql)
            assert expected, one.question
            assert rows == [[value or "" for value in row] for row in expected], one.question
        assert not [one for one in visited.complaints if "result.csv" not in one]
        origin = visited.page.url.removesuffix(console.PATH)
        assert all(one.startswith((origin, f"blob:{origin}")) for one in visited.requests)


@pytest.mark.slow
def test_any_select_is_answered_and_nothing_else(chromium: Browser, site: Path) -> None:
    with opened(chromium, site) as visited:
        assert ask(visited, "select '' as a, null as b, 'x\"y,\nz' as c, '=1+1' as d, -5 as e -- f")
        assert downloaded(visited) == 'a,b,c,d,e\r\n"",,"x""y,\nz",\'=1+1,-5\r\n'
        cells = visited.page.locator("#answer td").all_inner_texts()
        assert cells == ["", "", 'x"y, z', "=1+1", "-5"]
        assert ask(visited, "from range(300);").endswith("the first 200 shown")
        assert visited.page.locator("#answer tbody tr").count() == 200
        assert len(downloaded(visited).splitlines()) == 301
        assert ask(visited, "select 1 as x where false").startswith("0 rows")
        assert ask(visited, "  ") == "Write a query first."
        assert 'Did you mean "slate"?' in ask(visited, "from slates")
        assert "Parser Error" in ask(visited, "drop view slate")
        assert ask(visited, "from slate").startswith("4 rows")
        page = visited.page
        ask(visited, "select '<img src=x onerror=alert(1)>' as \"<b>\"")
        assert page.locator("#answer img, #answer b").count() == 0
        assert visited.dialogs == []


@pytest.mark.slow
def test_a_query_reaches_nothing_but_the_site(
    chromium: Browser, site: Path, tmp_path: Path
) -> None:
    shutil.copy(site / "downloads" / "scoreboard.parquet", tmp_path)
    with served(tmp_path) as (elsewhere, asked), opened(chromium, site) as visited:
        assert "NetworkError" in ask(
            visited, f"from read_parquet('{elsewhere}/scoreboard.parquet')"
        )
        assert asked == []
        assert ask(visited, "select 1").startswith("1 row")


@pytest.mark.slow
def test_a_running_query_can_be_stopped(chromium: Browser, site: Path) -> None:
    with opened(chromium, site) as visited:
        ask(visited, "select 1")
        visited.page.fill("#sql", "select count(*) from range(1000000000) a, range(1000) b")
        visited.page.keyboard.press("Control+Enter")
        visited.page.click("#stop")
        assert said(visited) == "Stopped."
        assert ask(visited, "select 2").startswith("1 row")


@pytest.mark.slow
def test_a_missing_file_is_named_and_can_be_tried_again(
    chromium: Browser, site: Path, tmp_path: Path
) -> None:
    broken = Path(shutil.copytree(site, tmp_path / "site"))
    (broken / "downloads" / "slates.parquet").rename(tmp_path / "kept")
    with opened(chromium, broken) as visited:
        assert ask(visited, "from slate") == "../downloads/slates.parquet: 404 File not found"
        (tmp_path / "kept").rename(broken / "downloads" / "slates.parquet")
        assert ask(visited, "from slate").startswith("4 rows")


@pytest.mark.slow
def test_opened_as_a_file_it_says_what_it_needs(chromium: Browser, site: Path) -> None:
    with visit(chromium, site / console.PATH) as visited:
        assert "python3 -m http.server" in visited.page.inner_text("#console-status")
        assert visited.page.is_disabled("#run")
        assert visited.complaints == []


@pytest.mark.parametrize(("width", "theme"), sampled(VIEWS, 3, slow=True))
def test_the_page_fits_and_has_no_barriers(
    chromium: Browser, site: Path, width: int, theme: Theme
) -> None:
    with opened(chromium, site, width=width, theme=theme) as visited:
        visited.page.get_by_role("button", name="Run question 1").click()
        said(visited)
        # DuckDB-Wasm complains of the file that it makes for an answer.
        assert [one for one in visited.faults() if "result.csv" not in one] == []


@pytest.mark.slow
def test_the_page_is_operated_by_keyboard_alone(chromium: Browser, site: Path) -> None:
    with opened(chromium, site) as visited:
        assert visited.keyboard_faults() == []
        visited.page.focus("#sql")
        visited.page.keyboard.press("Control+a")
        visited.page.keyboard.type("select 7 as seven")
        visited.page.keyboard.press("Tab")
        visited.page.keyboard.press("Enter")
        assert said(visited).startswith("1 row")
        assert visited.page.locator("#answer td").all_inner_texts() == ["7"]


@pytest.mark.slow
def test_the_figures_of_the_first_question_are_in_view(chromium: Browser, site: Path) -> None:
    with opened(chromium, site) as visited:
        visited.page.get_by_role("button", name="Run question 1").click()
        said(visited)
        box, heading = visited.page.locator("#answer"), visited.page.locator("#answer th")
        edge = box.evaluate("one => one.getBoundingClientRect().right")
        ends = heading.evaluate_all(
            "all => all.map(one => [one.textContent, one.getBoundingClientRect().right])"
        )
        assert {"enrichment", "low", "high"} <= {name for name, right in ends if right <= edge}


@pytest.mark.slow
def test_the_page_adds_only_its_own_files_and_a_link(plain: Path, site: Path) -> None:
    before, after = content(plain), content(site)
    assert set(after) - set(before) == {
        console.PATH,
        "assets/console.js",
        "console/duckdb-browser-eh.worker.js",
        "console/duckdb-eh.wasm",
        "console/tables.json",
    }
    assert set(before) <= set(after)
    link = re.compile(rb'<li><a href="(\.\./)*console/index\.html">SQL</a></li>\n')
    changed = [name for name, given in before.items() if link.sub(b"", after[name]) != given]
    # The manifest lists them, and the proof that it is sealed goes with it.
    assert set(changed) == {MANIFEST, PROOF, SCRIPT}
    assert CONSOLE_POLICY.encode() not in b"".join(
        given for name, given in after.items() if name != console.PATH
    )
    assert POLICY.encode() not in after[console.PATH]


def test_another_engine_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match="no such folder"):
        console.engine(tmp_path / "absent", silent)
    with pytest.raises(InputRefused, match=r"has no duckdb-browser-eh\.worker\.js"):
        console.engine(tmp_path, silent)
    (tmp_path / "dist").mkdir()
    for name in ("duckdb-browser-eh.worker.js", "duckdb-eh.wasm"):
        (tmp_path / "dist" / name).write_bytes(b"another version")
    with pytest.raises(InputRefused, match="is not that of @duckdb/duckdb-wasm"):
        console.engine(tmp_path, silent)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'npm error code E404' >&2; exit 1", "npm does not deliver .*: npm error code E404"),
        ("exit 0", "npm does not deliver"),
        ("echo rubbish > x.tgz", "x.tgz: is damaged or cut short"),
        (None, "npm is not installed; unpack .* with --console-from"),
    ],
)
def test_npm_that_does_not_deliver_is_one_line(
    script: str | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    if script is not None:
        npm = tmp_path / "npm"
        npm.write_text(f"#!/bin/sh\n{script}\n")
        npm.chmod(0o755)
    with pytest.raises(InputRefused, match=message):
        console.engine(None, silent)


def test_a_package_is_read_without_trust(tmp_path: Path) -> None:
    def packed(*names: str) -> Path:
        path = tmp_path / "package.tgz"
        with tarfile.open(path, "w:gz") as archive:
            for name in names:
                info = tarfile.TarInfo(name)
                info.size = 3
                archive.addfile(info, io.BytesIO(b"abc"))
        return path

    assert archives.tar_contents(packed("package/dist/a", "package/b"), ["a", "c"]) == {"a": b"abc"}
    with pytest.raises(InputRefused, match="a path outside itself"):
        archives.tar_contents(packed("../a"), ["a"])
    with pytest.raises(InputRefused, match="contains a twice"):
        archives.tar_contents(packed("x/a", "y/a"), ["a"])
    whole = packed("a").read_bytes()
    (tmp_path / "cut.tgz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputRefused, match="is damaged or cut short"):
        archives.tar_contents(tmp_path / "cut.tgz", ["a"])


@pytest.mark.slow
def test_a_store_without_slates_has_no_such_page(tmp_path: Path) -> None:
    db = tmp_path / "store.duckdb"
    ok(tracker_on(db)("init"))
    exited(3, publish(db, tmp_path / "site", "--console"))
    assert not (tmp_path / "site").exists()
