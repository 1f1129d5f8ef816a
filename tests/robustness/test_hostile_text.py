"""Names made to harm pass through every command: stored as given, shown without doing anything."""

import csv
import io
import json
import re
import shutil
import unicodedata
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bench import TWINS, Bench, parquet, published, table
from browser import DESKTOP, PHONE, visit
from playwright.sync_api import Browser, expect
from support import sampled

from tracker.rows import to_csv

pytestmark = pytest.mark.slow

NAMES = [
    "<script>alert(1)</script>",
    "'; drop table candidate; --",
    '=HYPERLINK("http://x.example","y")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "a" * 1_000,
    "\u202eright to left\u202c",
    "\u062f\u0648\u0627\u0621 \u05ea\u05e8\u05d5\u05e4\u05d4",
    "\U0001f9ea drug \U0001fa7a",
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x9b31mC1",
    "a|b|c",
    "| --- |",
    "back\\slash|",
    "`code` *bold* _it_",
    "[x](javascript:1)",
    "line\nbreak",
    "tab\tname",
    "zero\u200bwidth",
    "line\u2028separator",
    "\ufeffmark",
    "%s {0} {{7*7}} $(id)",
]
EVIL = "\x1b[31m=1|<script>\n"


@pytest.fixture(scope="module")
def hostile(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Return a store in which everything that can have a name has a hostile one."""
    made = Bench(
        Path(shutil.copy(empty_store, tmp_path_factory.mktemp("hostile") / "store.duckdb"))
    )
    scores = [[disease, drug, f"{0.9 - i / 1000}"] for disease in NAMES for i, drug in
              enumerate(NAMES)]  # fmt: skip
    candidates = table(".csv", ["disease_name", "drug_name", "score"], scores)
    labels = table(".csv", ["disease_name", "drug_name", "label"], [[NAMES[0], NAMES[1], "4"]])
    header = ["disease_name", "drug_name", "outcome_type", "source", "event_date", "detail"]
    rows = [[NAMES[0], n, "fda_approved", EVIL, "2020-01-01", json.dumps(n)] for n in NAMES]
    made.accept(
        "load", "candidates", made.write("c.csv", candidates), "--set", EVIL, "--model", EVIL
    )
    made.accept("load", "labels", made.write("l.csv", labels), "--set", NAMES[1])
    made.accept(
        "slate", "freeze", "--candidates", EVIL, "--labels", NAMES[1], "--description", EVIL
    )
    events = made.write("o.csv", table(".csv", header, rows))
    made.accept("load", "outcomes", events, "--slate", made.slate)
    return made


COMMANDS = (
    ["report", "SLATE"],
    ["report", "SLATE", "--full"],
    ["slate", "show", "SLATE"],
    ["slate", "list"],
    ["sql", 'select drug_id, name, name as "a|b\x1b[31m" from drug'],
    ["sql", "select event_date, source, detail from outcome"],
)


def shown(bench: Bench, words: list[str], form: str) -> str:
    """Return what a command prints in a format."""
    given = [bench.slate if word == "SLATE" else word for word in words]
    return bench.accept(*given, "--format", form)


def stored_form(name: str) -> str:
    """Return a name as docs/metrics.md#folding stores it: without characters that are not seen."""
    unseen = {c for c in name if unicodedata.category(c) == "Cf" or (c < " " and not c.isspace())}
    return " ".join("".join(c for c in name if c not in unseen).split())


def test_names_are_stored_as_given_but_for_what_cannot_be_seen(hostile: Bench) -> None:
    stored = {name for (name,) in hostile.query("select name from drug")}
    assert stored == {stored_form(name) for name in NAMES}
    assert hostile.query("select count(*) from candidate") == [(len(NAMES) ** 2,)]
    assert hostile.accept("check")
    assert hostile.accept("slate", "verify")


@pytest.mark.parametrize("words", sampled(COMMANDS, 8))
@pytest.mark.parametrize("form", ["table", "markdown"])
def test_no_control_code_reaches_the_reader(hostile: Bench, words: list[str], form: str) -> None:
    printed = shown(hostile, words, form)
    codes = {c for c in printed if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"}
    assert codes == set()
    assert "script" in printed


@pytest.mark.parametrize("words", sampled(COMMANDS, 8))
@pytest.mark.parametrize("form", ["csv", "json"])
def test_no_control_code_reaches_the_terminal_of_a_pipe(
    hostile: Bench, words: list[str], form: str
) -> None:
    assert _obeyed(shown(hostile, words, form)) == set()


def _obeyed(text: str) -> set[str]:
    """The control characters of a text but tabs and line ends, which cells may have."""
    return {c for c in text if unicodedata.category(c) == "Cc" and c not in "\n\r\t"}


@pytest.mark.parametrize("words", sampled(COMMANDS, 8))
def test_no_name_breaks_markdown(hostile: Bench, words: list[str]) -> None:
    widths: list[list[int]] = [[]]
    for line in shown(hostile, words, "markdown").split("\n"):
        assert not re.search(r"(?<!\\)<script|(?<!\\)\[x\]", line)
        if line.startswith("|"):
            widths[-1].append(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)))
        else:
            assert words[0] != "sql" or line == ""
            widths.append([])
    tables = [found for found in widths if found]
    assert tables
    assert all(len(set(found)) == 1 for found in tables)


@pytest.mark.parametrize("words", sampled(COMMANDS, 8))
def test_no_cell_of_csv_is_a_formula(hostile: Bench, words: list[str]) -> None:
    rows = list(csv.reader(io.StringIO(shown(hostile, words, "csv"), newline="")))
    assert len({len(row) for row in rows}) == 1
    cells = [cell for row in rows for cell in row if cell[:1] in ("=", "+", "-", "@", "\t", "\r")]
    assert [cell for cell in cells if not re.fullmatch(r"-\d+(\.\d+)?(e[-+]\d+)?", cell)] == []


class Texts(HTMLParser):
    """The texts of a page, and the tags and attributes that contain them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def displayed(name: str) -> str:
    """A name as a page shows it: without control codes, and cut off if it is too long."""
    text = "".join(
        "\ufffd" if unicodedata.category(c) in ("Cc", "Cf") else c for c in stored_form(name)
    )
    return text if len(text) <= 200 else f"{text[:200]}… ({len(text):,} characters)"


def test_a_page_shows_names_as_text(hostile: Bench) -> None:
    page = hostile.accept("report", hostile.slate, "--format", "html")
    found = Texts(page)
    for name in NAMES:
        assert displayed(name) in found.texts, name
    assert not found.tags & {"script", "img", "object", "iframe"}
    assert not {name for name in found.attributes if name.startswith("on") or name == "style"}
    codes = {c for c in page if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"}
    assert codes == set()
    assert len(page.encode()) < 1_000_000


def test_a_browser_runs_nothing_of_a_name(
    hostile: Bench, tmp_path: Path, chromium: Browser
) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(hostile.accept("report", hostile.slate, "--format", "html"), encoding="utf-8")
    for width in (PHONE, DESKTOP):
        with visit(chromium, path, width=width) as visited:
            assert (visited.dialogs, visited.complaints) == ([], [])
            assert visited.requests == [path.as_uri()]
            assert visited.overflow <= 0
            assert visited.barriers() == []
            assert visited.page.title().startswith(f"Slate {hostile.slate[:8]}")


@pytest.fixture(scope="module")
def site(hostile: Bench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published site of that store."""
    folder = tmp_path_factory.mktemp("published") / "site"
    hostile.accept("publish", "-o", folder)
    return folder


def test_a_site_shows_names_as_text(site: Path) -> None:
    titles = set()
    for path in site.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        found = Texts(page)
        titles |= set(found.texts)
        own = r'<script (src="[a-z./]+" defer|type="application/ld\+json")>'
        assert page.count("<script") == len(re.findall(own, page))
        assert not found.tags & {"img", "object", "iframe", "style"}
        assert not {name for name in found.attributes if name.startswith("on") or name == "style"}
        assert not {c for c in page if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"}
        assert len(page.encode()) < 1_000_000
    assert {displayed(name) for name in NAMES} <= titles


def test_no_name_becomes_a_path_or_a_script_of_a_site(site: Path) -> None:
    paths = [path.relative_to(site).as_posix() for path in site.rglob("*")]
    assert [path for path in paths if not re.fullmatch(r"[a-z0-9._/-]+", path)] == []
    entities = (site / "assets" / "names.js").read_text(encoding="utf-8")
    assert not {c for c in entities if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"}
    listed = json.loads(entities.removeprefix("searchNames(").removesuffix(");\n"))
    assert {name for folder, _, name, _, _ in listed if folder in ("diseases", "drugs")} == {
        displayed(name) for name in NAMES
    }
    feed = ElementTree.parse(site / "feed.xml")  # noqa: S314 - our own file
    assert len(list(feed.iter("{http://www.w3.org/2005/Atom}entry"))) == len(NAMES)


def test_no_cell_of_a_published_csv_is_a_formula_or_a_code(hostile: Bench, site: Path) -> None:
    """The engine's mark is the one that rows.to_csv sets."""
    folder = site / "downloads" / hostile.slate
    for stem in ("predictions", "outcomes", "figures"):
        with (folder / f"{stem}.csv").open(encoding="utf-8", newline="") as handle:
            header, *rows = list(csv.reader(handle))
        assert _obeyed("".join(cell for row in rows for cell in row)) == set()
        cells = [cell for row in rows for cell in row if cell[:1] in tuple("=+-@\t\r")]
        assert [cell for cell in cells if not re.fullmatch(r"-\d+(\.\d+)?(e[-+]\d+)?", cell)] == []
        if stem != "figures":
            names = {row[header.index("drug_name")] for row in rows}
            wanted = to_csv(["drug_name"], [[stored_form(name)] for name in NAMES])
            assert names == {
                row[0] for row in list(csv.reader(io.StringIO(wanted, newline="")))[1:]
            }


def test_a_browser_runs_nothing_of_a_published_name(
    hostile: Bench, site: Path, chromium: Browser
) -> None:
    longest = max(site.glob("drugs/*.html"), key=lambda path: path.read_text().count("a" * 200))
    slate = site / "slates" / f"{hostile.slate}.html"
    audit = site / "slates" / str(hostile.slate) / "audit.html"
    for path in (site / "index.html", slate, audit, longest, site / "drugs" / "index.html"):
        for width in (PHONE, DESKTOP):
            with visit(chromium, path, width=width) as visited:
                page = visited.page
                page.fill("#query", "<script>")
                expect(page.locator("#found a bdi").first).to_have_text(NAMES[0])
                assert (visited.dialogs, visited.complaints) == ([], []), path
                assert all(address.startswith(site.as_uri()) for address in visited.requests)
                assert visited.overflow <= 0, path
                page.fill("#query", "aaaa")
                expect(page.locator("#found a").first).to_contain_text("(1,000 characters)")
                assert visited.overflow <= 0, path
    with visit(chromium, audit) as visited:
        visited.page.click("#verify-button")
        expect(visited.page.locator("#verify-result")).to_contain_text("Match: ")


@pytest.mark.parametrize("words", sampled(COMMANDS, 8))
def test_json_carries_names_unharmed(hostile: Bench, words: list[str]) -> None:
    printed = shown(hostile, words, "json")
    assert "\x1b" not in printed
    names: set[str] = set()

    def collect(value: object) -> None:
        if isinstance(value, str):
            names.add(value)
        elif isinstance(value, dict):
            collect(list(value.values()))
        elif isinstance(value, list):
            for item in value:
                collect(item)

    collect(json.loads(printed))
    kept = {stored_form(name) for name in NAMES}
    assert kept <= names or {EVIL, EVIL.strip()} & names


def test_an_export_carries_names_unharmed(hostile: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "exported"
    hostile.accept("slate", "export", hostile.slate, folder)
    other = Bench(tmp_path / "other.duckdb")
    other.accept("slate", "import", folder)
    other.accept("slate", "verify")
    for query in ("select name from drug order by name", "select source from outcome"):
        assert sorted(other.query(query)) == sorted(hostile.query(query))


def test_warnings_of_a_report_are_harmless(bench: Bench) -> None:
    columns = "slate_id, disease_name, drug_name, repurposing_score, rank"
    slate = TWINS[0].replace("469bb270", "569bb270")
    rows = ", ".join(f"('{slate}', '<script>', '[x](y) | {EVIL}', 0.5, {rank})" for rank in (1, 2))
    entry = {"slate_id": slate, "created_at": "2026-01-01"}
    folder = published(f"from (values {rows}) as t ({columns})", [entry])
    bench.accept("slate", "import", bench.write("twice", folder))
    printed = bench.accept("report", "569bb270", "--format", "markdown")
    warning = next(line for line in printed.splitlines() if "duplicate prediction" in line)
    assert not re.search(r"(?<!\\)[<\[|]", warning)


# Words that make a command print_error about, or report, what it was given.
ECHOES: list[list[str]] = [
    ["report", EVIL],
    ["report", "469bb270", "--as-of", EVIL],
    ["slate", "freeze", "--candidates", EVIL],
    ["slate", "freeze", "--candidates", "base", "--disease", EVIL],
    ["slate", "freeze", "--candidates", "base", "--plan", EVIL],
    ["slate", "import", EVIL],
    ["slate", "export", "469bb270-0000-4000-8000-000000000001", f"nowhere/{EVIL}"],
    ["load", "candidates", f"{EVIL}.csv", "--set", "a", "--model", "m"],
    ["load", "candidates", "cell.csv", "--set", "a", "--model", "m"],
    ["load", "candidates", "header.csv", "--set", "a", "--model", "m"],
    ["load", "candidates", "pair.csv", "--set", "a", "--model", "m"],
    ["load", "candidates", "fine.csv", "--set", f"\x1b[31m{EVIL}", "--model", "m"],
    ["load", "aliases", "alias.csv"],
    ["sql", f"select '{EVIL}'::integer"],
    ["sql", f"{EVIL}.sql"],
    ["view", EVIL],
    [EVIL],
]


@pytest.mark.parametrize("words", sampled(ECHOES, 5))
def test_no_message_sends_control_codes(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(bench.folder)
    header = ["disease_name", "drug_name", "score"]
    bench.write("cell.csv", table(".csv", header, [["A", "B", "\x1b[31m\u202e1"]]))
    bench.write("header.csv", table(".csv", [*header, "\x1b[31m"], [["A", "B", "1", ""]]))
    bench.write("pair.csv", table(".csv", header, [["A", "\x1b[31m", "1"]] * 2))
    bench.write("fine.csv", table(".csv", header, [["A", "B", "1"]]))
    alias = ["drug", "\x1b[31m", "synonym", "x"]
    bench.write("alias.csv", table(".csv", ["entity", "name", "kind", "value"], [alias]))
    done = bench.run(*words)
    assert done.output != ""
    assert "error: unexpected" not in done.output
    codes = {c for c in done.output if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"}
    assert codes == set()


def test_a_parquet_file_may_contain_any_name(bench: Bench) -> None:
    values = ", ".join("('A', '" + name.replace("'", "''") + "', 0.5)" for name in NAMES)
    query = f"from (values {values}) as t (disease_name, drug_name, score)"
    path = bench.write("names.parquet", parquet(query))
    bench.accept("load", "candidates", path, "--set", "new", "--model", "m")
    assert bench.query("select n_pairs from candidate_set where name = 'new'") == [(len(NAMES),)]
