"""A published site is as it was published, or its verification reports how it differs."""

import contextlib
import hashlib
import http.server
import json
import re
import shutil
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import duckdb
import pytest
from altered_pages import (
    ALTERATIONS,
    PAGES,
    Alteration,
    edit,
    manifest_sha256,
    relist,
    replaced,
    verified,
)
from bench import Bench
from browser import DESKTOP, PHONE, visit
from click.testing import CliRunner
from loopback import listening
from playwright.sync_api import Browser
from support import complaint, exited, ok, sampled

import tracker
from tracker.cli import main
from tracker.extras.site import download_lines, site_files
from tracker.extras.site.files import MANIFEST, UNLISTED
from tracker.extras.site.opened import open_site
from tracker.request_limits import RequestLimits
from tracker.resources import directory

_SMALL = """disease_name,disease_id,drug_name,chembl_id,score
1st disease,,alpha,,0.95
1st disease,,beta,,0.8
1st disease,,gamma,CHEMBL7,0.7
Second disease,EFO:2,gamma,CHEMBL7,0.9
Second disease,EFO:2,alpha,,0.85
Second disease,EFO:2,beta,,0.3
"""
_LABELS = """disease_name,disease_id,drug_name,chembl_id,label,max_phase
Second disease,EFO:2,gamma,CHEMBL7,2,2
1st disease,,gamma,CHEMBL7,1,0.5
"""

# So many predictions are more than a page shows.
_WIDE = 1_200

# Names and scores that a page must not take for markup, orders or numbers of its own.
_NAMES = ("<b>&amp;\u202e", "a\u200bb", "\u1e9e e\u0301", "\u2028x", "\uff21\u2033", "'\\t'")
_SCORES = (1e22, 1.5e300, 5e-324, -1e-7, -0.0, 0.1 + 0.2)


_COMMON = ("--labels", "known", "--top-k", "2000", "--min-score=-1e308")


def _store(empty_store: Path, folder: Path, *sets: tuple[str, str, str, str]) -> Bench:
    """Return a store with a slate of each set (name, rows, model, description), and its site."""
    bench = Bench(Path(shutil.copy(empty_store, folder / "store.duckdb")))
    bench.accept("load", "labels", bench.write("labels.csv", _LABELS), "--set", "known")
    for name, rows, model, description in sets:
        path = bench.write(f"{name}.csv", rows)
        bench.accept("load", "candidates", path, "--set", name, "--model", model)
        words = ["--candidates", name, "--description", description, *_COMMON]
        bench.accept("slate", "freeze", *words)
    bench.accept("publish", "-o", bench.folder / "site")
    return bench


@pytest.fixture(scope="module")
def made(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Return a store with a slate of six predictions, frozen after one of five."""
    return _store(
        empty_store,
        tmp_path_factory.mktemp("small"),
        ("before", _SMALL.rpartition("Second")[0], "first model", "A slate before"),
        ("small", _SMALL, "first model", "A small slate"),
    )


@pytest.fixture(scope="module")
def wide(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Return a store with a slate of more predictions than its page shows."""
    scores = [*_SCORES, *(0.5 - number / 1e5 for number in range(_WIDE // 4 - len(_SCORES)))]
    names = [*_NAMES, *(f"drug {number}" for number in range(len(scores) - len(_NAMES)))]
    lines = [
        f'{disease},"{name}",{score!r}'
        for disease in ("One", "Two", "Three", "Four")
        for name, score in zip(names, scores, strict=True)
    ]
    rows = "\n".join(["disease_name,drug_name,score", *lines, ""])
    folder = tmp_path_factory.mktemp("wide")
    return _store(empty_store, folder, ("wide", rows, "\x1bm | <1>", "A <wide> slate " * 20))


@pytest.fixture(scope="module")
def published(made: Bench) -> Path:
    """Return the site of the small store."""
    return made.folder / "site"


def slate_of(bench: Bench, n_predictions: int) -> tuple[str, str]:
    """Return the UUID and the hash of the slate with so many predictions."""
    query = "select slate_id::varchar, content_sha256 from slate where n_predictions = "
    ((slate_id, sha256),) = bench.query(query + str(n_predictions))
    return str(slate_id), str(sha256)


@pytest.fixture
def copy(published: Path, tmp_path: Path) -> Path:
    """Return a copy of the site, to alter."""
    return Path(shutil.copytree(published, tmp_path / "site"))


def button_result(chromium: Browser, page: Path) -> tuple[str, list[list[str]]]:
    """Press the button of a page; return its message and the rows that it shows."""
    with visit(chromium, page) as visited:
        said = visited.verified()
        assert visited.complaints == []
        rows = visited.page.eval_on_selector_all(
            "#verify tbody tr",
            "rows => rows.map(row => [...row.cells].map(one => one.textContent))",
        )
        return said, rows


def lines_of(site: Path, slate_id: str) -> list[list[str]]:
    """Return the fields of the published lines of a slate."""
    text = (site / "slates" / slate_id / "rows-1.js").read_text(encoding="utf-8")
    return [line.split("\t") for line in json.loads(text[len("slateRows(1, ") : -3])]


@pytest.mark.slow
@pytest.mark.parametrize(
    "alteration", sampled(ALTERATIONS, 5), ids=lambda one: one.name.replace(" ", "-")
)
def test_an_altered_slate_does_not_verify(
    alteration: Alteration, made: Bench, copy: Path, chromium: Browser
) -> None:
    slate_id, sha256 = slate_of(made, 6)
    edit(copy / "slates" / slate_id / f"{alteration.file}.js", alteration.change)
    relist(copy)
    found, rows = button_result(chromium, copy / "slates" / slate_id / "audit.html")
    assert found.startswith("Mismatch: "), found
    assert alteration.message in found
    assert rows == []
    for words in (["--sha256", sha256], []):
        done = exited(4, verified(copy, *words))
        assert alteration.message in done.stderr
        assert done.stderr.startswith(f"error: slates/{slate_id}")


@pytest.mark.parametrize("name", PAGES)
def test_an_altered_page_does_not_verify(name: str, made: Bench, copy: Path) -> None:
    """Whatever it is that was altered, and also if the manifest was made to fit."""
    slate_id, _ = slate_of(made, 6)
    sha256 = manifest_sha256(copy)
    part, change = PAGES[name]
    page = f"slates/{slate_id}{part}.html"
    edit(copy / page, change)
    for words in ([], ["--sha256", sha256]):
        assert complaint(4, verified(copy, *words)).startswith(f"error: {page}: ")
    relist(copy)
    assert f"has the SHA-256 {sha256}; the manifest has {manifest_sha256(copy)}" in complaint(
        4, verified(copy, "--sha256", sha256)
    )


def test_any_byte_of_any_file_is_covered(copy: Path) -> None:
    site = open_site(str(copy))
    files = [path for path in copy.rglob("*") if path.is_file()]
    assert {path.relative_to(copy).as_posix() for path in files} == {*UNLISTED, *site.entries}
    for path in site.entries:
        whole = (copy / path).read_bytes()
        assert site.content(path) == whole
        at = len(whole) // 2
        (copy / path).write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert site.content(path) is None
    assert site.differences == [
        f"{path}: its SHA-256 is not the one in the manifest" for path in site.entries
    ]
    before = site.sha256
    edit(copy / MANIFEST, replaced("1", "2"))
    assert manifest_sha256(copy) != before


@pytest.mark.slow
def test_a_whole_site_is_fixed_by_the_hash_of_its_manifest(made: Bench) -> None:
    printed = made.accept("publish", "-o", made.folder / "again")
    sha256 = manifest_sha256(made.folder / "again")
    assert f"manifest.json has the SHA-256 {sha256}\n" in printed
    done = ok(verified(made.folder / "again", "--sha256", sha256))
    checked, _, not_checked = done.stdout.partition("not checked:")
    assert f"has the SHA-256 {sha256}, which fixes every byte it lists" in checked
    assert "consistent with itself" not in not_checked
    assert "whether pages say what the store says" in not_checked


@pytest.mark.slow
@pytest.mark.parametrize("n_predictions", sampled([6, _WIDE], 2))
def test_a_slate_as_published_verifies_and_its_rows_are_shown(
    n_predictions: int, request: pytest.FixtureRequest, chromium: Browser
) -> None:
    """With names that would hide, mark up or reorder what is shown, were they not made harmless."""
    bench: Bench = request.getfixturevalue("made" if n_predictions == 6 else "wide")
    site = bench.folder / "site"
    slate_id, sha256 = slate_of(bench, n_predictions)
    found, rows = button_result(chromium, site / "slates" / slate_id / "audit.html")
    assert found.startswith("Match: "), found
    assert f"The {n_predictions:,} published rows and their header have the SHA-256 {sha256}" in (
        found
    )
    lines = sorted(lines_of(site, slate_id), key=lambda line: int(line[3]))
    hidden = re.compile("[\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f]")
    assert len(rows) == min(n_predictions, 1_000)
    assert [[hidden.sub("\ufffd", text) for text in line] for line in lines[:1_000]] == rows
    done = ok(verified(site, "--sha256", sha256.upper()))
    assert f"{n_predictions:,} published rows" in done.stdout
    for text in (found, done.stdout):
        assert "who froze " in text.partition("ot checked")[2].lower()
    assert "style sheet" in found.partition("Not checked")[2]
    assert "every page, also that of this slate" in done.stdout.partition("not checked")[2]


def test_the_button_names_the_fields_that_are_hashed(made: Bench, published: Path) -> None:
    script = (directory("extras/site/assets") / "verify.js").read_text()
    (fields,) = re.findall(r"const FIELDS = \[(.*?)\]", script, re.DOTALL)
    path = published / "downloads" / slate_of(made, 6)[0] / "predictions.parquet"
    columns = duckdb.read_parquet(str(path)).columns[:11]
    assert re.findall(r'"(.*?)"', fields) == [name.replace("_", " ") for name in columns]


@pytest.mark.slow
def test_a_page_verifies_after_its_search_was_used(
    made: Bench, published: Path, chromium: Browser
) -> None:
    slate_id, _ = slate_of(made, 6)
    with visit(chromium, published / "slates" / slate_id / "audit.html") as visited:
        visited.page.fill("#query", "gamma")
        visited.page.wait_for_selector("#found a")
        assert visited.verified().startswith("Match: ")


@pytest.mark.slow
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_the_verified_rows_fit_their_page(
    width: int, made: Bench, published: Path, chromium: Browser
) -> None:
    slate_id, _ = slate_of(made, 6)
    with visit(chromium, published / "slates" / slate_id / "audit.html", width=width) as visited:
        assert visited.verified().startswith("Match: ")
        assert visited.faults() == []
        assert visited.keyboard_faults() == []


_ASSETS = [
    "assets/site.css",
    "assets/search.js",
    "assets/tables.js",
    "assets/charts.js",
    "assets/verify.js",
]


@pytest.mark.parametrize("name", _ASSETS)
def test_the_files_a_page_loads_are_those_of_this_tracker(
    name: str, made: Bench, copy: Path
) -> None:
    """A style sheet can hide rows, and a script can replace them."""
    path = copy / name
    path.write_text(path.read_text() + "#predictions tbody tr:nth-child(n+2){display:none}")
    relist(copy)
    for words in (["--sha256", slate_of(made, 6)[1]], []):
        done = exited(4, verified(copy, *words))
        assert done.stderr == f"error: {name}: is not that of tracker {tracker.__version__}\n"


@pytest.mark.parametrize("version", ["99.0", None, "\u202e<b>"])
def test_files_of_another_tracker_are_listed_as_not_checked(
    version: str | None, made: Bench, copy: Path
) -> None:
    path = copy / "assets" / "site.css"
    path.write_text(path.read_text() + "tr{display:none}")
    relist(copy, tracker=version)
    done = ok(verified(copy, "--sha256", slate_of(made, 6)[1]))
    not_checked = done.stdout.partition("not checked:")[2]
    assert "the site's style sheet and scripts, which can hide or replace" in not_checked
    assert f"this is tracker {tracker.__version__}" in not_checked
    assert "\u202e" not in done.stdout


def test_without_a_hash_only_consistency_is_proved(published: Path) -> None:
    done = ok(verified(published))
    assert "this proves only that the site is consistent with itself" in done.stdout
    assert "files are as in manifest.json" in done.stdout


@pytest.mark.parametrize(
    ("path", "change", "message"),
    [
        ("feed.xml", b"", "feed.xml: has 0 bytes, not"),
        ("assets/site.css", b"", "assets/site.css: has 0 bytes, not"),
        ("drugs/1.html", None, "drugs/1.html: is in the manifest, but is missing"),
        ("drugs/thesis.html", b"<p>", "drugs/thesis.html: is not in the manifest"),
    ],
)
def test_a_file_that_is_not_as_listed_is_named(
    path: str, change: bytes | None, message: str, copy: Path
) -> None:
    if change is None:
        (copy / path).unlink()
    else:
        (copy / path).write_bytes(change)
    assert complaint(4, verified(copy)).startswith(f"error: {message}")


def _cut(content: bytes) -> bytes:
    # Not within a character.
    return content[: len(content) // 2].decode(errors="ignore").encode()


def _longer(content: bytes) -> bytes:
    return content + b" " * 5_000_000


def _one_byte(content: bytes) -> bytes:
    return content.replace(b"0.95", b"0.96")


_DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    ("name", "change", "is_listed", "message"),
    [
        ("slates/{}/rows-1.js", _cut, False, "rows-1.js: has"),
        ("slates/{}/rows-1.js", _cut, True, "rows-1.js: does not contain the expected rows"),
        ("slates/{}/rows-0.js", _cut, True, "rows-0.js: does not contain the expected rows"),
        ("slates/{}/rows-1.js", _longer, False, "rows-1.js: has more bytes"),
        ("slates/{}/rows-1.js", _one_byte, False, "its SHA-256 is not the one in the manifest"),
        ("slates/{}.html", None, True, "is shown, but has no page"),
        ("slates/{}/rows-1.js", lambda _: b"\xff", True, "is not UTF-8"),
        ("downloads/{}/predictions.parquet", _cut, True, "does not contain the predictions"),
        ("downloads/{}/predictions.parquet", None, True, "is not in the manifest"),
        ("downloads/{}/manifest.json", lambda _: b"[]", True, "is not the manifest of a slate"),
        (
            "downloads/{}/manifest.json",
            lambda content: content.replace(b"first model", b"other model"),
            True,
            "describes a slate other than",
        ),
        (
            "slates/{}/rows-0.js",
            lambda _: b"slateRows(0, %b);\n" % _DEEP,
            True,
            "does not contain the expected rows",
        ),
        (
            "slates/{}/rows-1.js",
            lambda _: b"slateRows(1, %b);\n" % _DEEP,
            True,
            "does not contain the expected rows",
        ),
        ("downloads/{}/manifest.json", lambda _: _DEEP, True, "is not the manifest of a slate"),
    ],
)
def test_what_a_slate_rests_on_is_read(
    name: str, change: object, is_listed: bool, message: str, made: Bench, copy: Path
) -> None:
    slate_id, sha256 = slate_of(made, 6)
    path = copy / name.format(slate_id)
    if change is None:
        path.unlink()
    else:
        assert callable(change)
        path.write_bytes(change(path.read_bytes()))
    if is_listed:
        relist(copy)
    done = exited(4, verified(copy, "--sha256", sha256))
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    # A download's hash is in a manifest besides.
    assert done.stderr.count("\n") == 1 or name.endswith(".parquet")


@pytest.mark.parametrize("depth", [400, 900, 990, 100_000])
def test_a_deep_manifest_is_refused(depth: int, tmp_path: Path) -> None:
    deep = "[" * depth + "]" * depth
    content = f'{{"site_version": 3, "files": {{"a": {{"bytes": {deep}, "sha256": ""}}}}}}'
    (tmp_path / "manifest.json").write_text(content)
    complaint(3, verified(tmp_path))


def test_rows_are_read_up_to_a_size(
    made: Bench, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slate_id, sha256 = slate_of(made, 6)
    rows = [copy / "slates" / slate_id / f"rows-{number}.js" for number in (0, 1)]
    most = max(one.stat().st_size for one in rows)
    monkeypatch.setattr("tracker.extras.site.published_slate._MOST_ROWS_BYTES", most)
    # The site is sound, so that the script, which reads no rows, finds nothing.
    assert f"rows of more than {most:,} bytes" in complaint(
        4, CliRunner().invoke(main, ["verify", str(copy), "--sha256", sha256])
    )


def _large_download(folder: Path) -> None:
    """Replace a slate's download by one that is small in itself and large in memory."""
    path = folder / "predictions.parquet"
    query = """
        copy (
            select * replace (repeat('a', 60000000) as disease_identifier) from read_parquet('{0}')
            limit 1
        ) to '{0}.new' (format parquet, compression zstd)
    """
    with duckdb.connect() as connection:
        connection.execute(query.format(path))
    Path(f"{path}.new").replace(path)


@pytest.mark.slow
def test_a_download_is_read_within_the_limit_of_memory(
    made: Bench, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slate_id, sha256 = slate_of(made, 6)
    _large_download(copy / "downloads" / slate_id)
    assert (copy / "downloads" / slate_id / "predictions.parquet").stat().st_size < 1_000_000
    relist(copy)
    monkeypatch.setenv("TRACKER_MEMORY_LIMIT", "50MB")
    done = exited(4, verified(copy, "--sha256", sha256))
    assert re.search(r"predictions\.parquet.* (inflates|has) .*at most ", done.stderr)


def test_a_download_is_read_in_a_private_folder_and_nothing_else_is(
    published: Path, made: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    slate_id, sha256 = slate_of(made, 6)
    path = published / "downloads" / slate_id / "predictions.parquet"
    spill = tmp_path / "spill"
    spill.mkdir()
    with download_lines.confined(path, spill) as connection:
        query = "select count(*) from read_parquet(?)"
        assert connection.execute(query, [str(path)]).fetchall() == [(6,)]
        other = path.with_name("outcomes.parquet")
        for statement in (
            f"from read_parquet('{other}')",
            f"copy (select 1) to '{tmp_path / 'made.csv'}'",
            "set enable_external_access = true",
            "set memory_limit = '100GB'",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(statement)
    monkeypatch.setenv("TRACKER_TEMP", str(tmp_path / "absent"))
    done = verified(published, "--sha256", sha256)
    assert (done.exit_code, "TRACKER_TEMP" in done.stderr) == (3, True), done.output


def test_the_download_has_the_predictions_of_the_page(made: Bench, copy: Path) -> None:
    """The download of another slate with every hash around it made to fit."""
    slate_id, sha256 = slate_of(made, 6)
    other, _ = slate_of(made, 5)
    folder = copy / "downloads" / slate_id
    shutil.copy(copy / "downloads" / other / "predictions.parquet", folder)
    digest = hashlib.sha256((folder / "predictions.parquet").read_bytes()).hexdigest()
    manifest = folder / "manifest.json"
    fitting = replaced(r'("predictions.parquet": ")\w+', rf"\g<1>{digest}")
    manifest.write_text(fitting(manifest.read_text()))
    relist(copy)
    assert "has 5 predictions, 6 are published with the page" in complaint(
        4, verified(copy, "--sha256", sha256)
    )


def test_a_hash_that_no_slate_has_is_not_verified(published: Path) -> None:
    done = exited(4, verified(published, "--sha256", "0" * 64))
    assert "nor a slate in its register has the SHA-256 000" in done.stderr
    exited(2, verified(published, "--sha256", "abc"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "is neither a published site nor an exported slate"),
        ("<!doctype html><title>Log in</title>", "is a web page instead"),
        ("{", "is not JSON"),
        ("[]", "is not that of a published site"),
        ('{"site_version": 9, "files": {}}', "another version of tracker"),
        ('{"site_version": 3, "files": {"../a": {}}}', "lists '../a', which no site has"),
        ('{"site_version": 3, "files": {"/etc/passwd": {}}}', "which no site has"),
        (
            '{"site_version": 3, "files": {"a": {"bytes": 1}}}',
            "a, sha256: is missing; needs a SHA-256",
        ),
        (
            '{"site_version": 3, "files": {"a": {"bytes": 9000000000, "sha256": "%s"}}}'
            % ("0" * 64),
            "a file of 9,000,000,000 bytes",
        ),
    ],
)
def test_anything_but_a_site_is_refused(content: str | None, message: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "manifest.json").write_text(content)
    for words in ([], ["--sha256", "0" * 64]):
        assert message in complaint(3, verified(tmp_path, *words))


@pytest.mark.parametrize("address", ["file:///etc/", "ftp://example.org/", "http://", "http://[x"])
def test_other_addresses_are_refused(address: str) -> None:
    complaint(3, verified(address))


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a site under /site/, and what else a visitor may meet under other addresses."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        redirects = {
            "/loop/": self.path,
            "/moved/": self.path.replace("/moved/", "/site/"),
            "/elsewhere/": "http://example.org/manifest.json",
            "/trick/": "file:///etc/passwd",
            "/local/": "file://localhost/etc/passwd",
        }
        for start, target in redirects.items():
            if self.path.startswith(start):
                self.send_response(302)
                self.send_header("Location", target)
                self.end_headers()
                return
        if self.path.startswith("/broken/"):
            self.send_error(500)
        elif self.path.startswith("/portal/"):
            self._send(b"\n<html><body>Accept the terms</body></html>")
        elif self.path.startswith("/slow/"):
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                for _ in range(100):
                    self.wfile.write(b"[")
                    time.sleep(0.1)
        elif self.path.startswith("/endless/"):
            self.send_response(200)
            self.end_headers()
            while True:
                try:
                    self.wfile.write(b"[" * 100_000)
                except OSError:
                    return
        else:
            super().do_GET()

    def _send(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def served(copy: Path) -> Iterator[str]:
    """Return the address of a server with the copy of the site under /site/."""
    with listening(partial(_Handler, directory=str(copy.parent))) as address:
        yield address


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/site/", "/site", "/site/index.html?a=b#c", "/moved/"])
def test_a_site_is_verified_at_its_address(path: str, served: str, made: Bench) -> None:
    done = ok(verified(served + path, "--sha256", slate_of(made, 6)[1]))
    assert "6 published rows" in done.stdout


@pytest.mark.slow
def test_a_whole_site_is_verified_at_its_address(served: str, copy: Path) -> None:
    ok(verified(f"{served}/site/"))
    (copy / "index.html").unlink()
    done = exited(4, verified(f"{served}/site/"))
    assert done.stderr == "error: index.html: is in the manifest, but is missing\n"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/loop/", "is redirected more than 5 times"),
        ("/elsewhere/", "leads to http://example.org/manifest.json"),
        ("/trick/", "leads to file:/etc/passwd; give that address if you trust it"),
        ("/local/", "leads to file://localhost/etc/passwd"),
        ("/broken/", "500 Internal Server Error (tried 2 times)"),
        ("/portal/", "is a web page instead, such as one that asks to log in"),
        ("/nothing/", "is not a published site"),
        ("/endless/", "is longer than"),
    ],
)
def test_other_answers_are_refused(
    path: str, message: str, served: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_files, "_PATIENCE", RequestLimits(attempts=2, first_wait=0.01))
    monkeypatch.setattr("tracker.extras.site.opened.LONGEST_MANIFEST", 1_000_000)
    assert message in complaint(3, verified(served + path))


@pytest.mark.slow
def test_a_server_that_drips_is_left_after_a_while(
    served: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_files, "_PATIENCE", RequestLimits(attempts=2, longest_request=1.0))
    begun = time.monotonic()
    assert "takes longer than 1 seconds" in complaint(3, verified(f"{served}/slow/"))
    assert time.monotonic() - begun < 5


def test_a_server_that_is_not_there_or_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty = RequestLimits(attempts=2, first_wait=0.01, timeout=0.2)
    monkeypatch.setattr(site_files, "_PATIENCE", hasty)
    with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as silent:
        done = verified(f"http://127.0.0.1:{silent.server_port}/")
    assert (done.exit_code, "timed out after 0.2 seconds (tried 2 times)" in done.stderr) == (
        3,
        True,
    )
    done = verified(f"http://127.0.0.1:{silent.server_port}/")
    assert (done.exit_code, "Connection refused (tried 2 times)" in done.stderr) == (3, True)
