"""The published site: the same bytes each time, whole by its manifest, and as visitors meet it."""

import csv
import hashlib
import json
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from datetime import UTC, date, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from uuid import UUID

import duckdb
import pytest
from browser import PHONE, VIEWS, Theme, Visit, visit
from loopback import listening
from playwright.sync_api import Browser, expect
from support import ROOT, Outline, content, exited, ok, sampled, tracker_on
from worlds import complete, insert

import tracker
from tracker import schema, store
from tracker.extras.site import downloads
from tracker.extras.site.files import UNLISTED
from tracker.extras.site.layout import POLICY
from tracker.slates import checking
from tracker.store import statements

pytestmark = pytest.mark.slow

SPRING = "5c9f4a52-7b1e-4d8a-9f60-2e3c1d0b8a77"
AUTUMN = "a07e1f36-02cd-4b9b-8e14-5d6f7a8b9c01"
_BENCHMARK = ROOT / "fixtures" / "benchmarks" / "regression"
EN_DASH = "\N{EN DASH}"
# Where records and identifiers link to (tests/reports/pages/test_addresses.py).
SOURCES = (
    "https://clinicaltrials.gov/study/NCT",
    "https://www.ebi.ac.uk/chembl/explore/compound/",
    "https://www.accessdata.fda.gov/scripts/cder/daf/",
    "https://bioregistry.io/",
)
ATOM = "{http://www.w3.org/2005/Atom}"

# Changes to the demo's store so that every kind of page has something to show.
_PREPARATION = (
    "retrospective evaluate --candidates world --labels known",
    "retrospective evaluate --candidates world --labels known --positive-min-label 3",
    f"benchmark define regression --kind regression --truth {_BENCHMARK}/truth.csv "
    f"--targets {_BENCHMARK}/targets.csv --fold-column fold",
    f"benchmark submit regression {_BENCHMARK}/linear.csv --submitter linear --track cv",
    f"benchmark define awaited --kind regression --items {_BENCHMARK}/truth.csv "
    f"--targets {_BENCHMARK}/targets.csv",
)


def run(db: Path, *words: object) -> str:
    return ok(tracker_on(db)(*words)).stdout


@pytest.fixture(scope="module")
def db(demo_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's store, evaluated, with a benchmark that has truth and one that awaits it."""
    path = Path(shutil.copy(demo_store, tmp_path_factory.mktemp("site") / "demo.duckdb"))
    for words in _PREPARATION:
        run(path, *words.split())
    return path


@pytest.fixture(scope="module")
def site(db: Path) -> Path:
    """The site of that store."""
    run(db, "publish", "-o", db.parent / "site")
    return db.parent / "site"


def test_the_same_store_yields_the_same_bytes(db: Path, site: Path, tmp_path: Path) -> None:
    """Published once more, over a copy of what was published before."""
    shutil.copytree(site, tmp_path / "again")
    run(db, "publish", "-o", tmp_path / "again")
    before = content(site)
    assert content(tmp_path / "again") == before
    assert len(before) > 100


def test_a_site_describes_the_last_instant_of_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A due date that has passed since, but had not when the store was last written, is ahead."""
    db = tmp_path / "store.duckdb"
    written = datetime(2022, 5, 1, tzinfo=UTC)
    slate_id = UUID(int=1)
    slate = {"slate_id": slate_id, "frozen_on": date(2020, 1, 1)}
    pair = {"slate_id": slate_id, "disease_id": 1, "drug_id": 1, "criterion_horizon_years": 3}
    world = complete(
        {
            "slate": [slate | {"created_at": written, "recorded_at": written}],
            "prediction": [pair],
        }
    )
    with store.writer(db, run_checks=False) as connection:
        insert(connection, world)
    # The store has no more than the rows of which this is a test.
    monkeypatch.setattr(checking, "require_sound", lambda *_: None)
    run(db, "publish", "-o", tmp_path / "site")
    outline = Outline((tmp_path / "site" / "diseases" / "1.html").read_text(encoding="utf-8"))
    assert {"2023-01-01", "open"} <= set(outline.texts)
    assert "falsified" not in outline.texts
    assert "As known on 2022-05-01." in (tmp_path / "site" / "index.html").read_text()


def test_the_manifest_lists_every_file(site: Path) -> None:
    manifest = json.loads((site / "manifest.json").read_text(encoding="utf-8"))
    found = content(site)
    for name in UNLISTED:
        del found[name]
    assert manifest["files"] == {
        path: {"sha256": hashlib.sha256(given).hexdigest(), "bytes": len(given)}
        for path, given in found.items()
    }
    package = json.loads(found["datapackage.json"])
    described = {one["path"]: (one["hash"], one["bytes"]) for one in package["resources"]}
    assert described == {
        path: (f"sha256:{one['sha256']}", one["bytes"])
        for path, one in manifest["files"].items()
        if path.startswith("downloads/") and not path.endswith((".html", ".py"))
    }
    names = [one["name"] for one in package["resources"]]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in names)


def test_the_croissant_dataset_has_the_tables_of_the_package(site: Path) -> None:
    """The files with their hashes, and a record set with the columns of each Parquet file."""
    package = json.loads((site / "datapackage.json").read_text(encoding="utf-8"))
    dataset = json.loads((site / "croissant.json").read_text(encoding="utf-8"))
    assert dataset["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    files = {one["@id"]: one for one in dataset["distribution"]}
    assert len(files) == len(package["resources"]) > 10
    for one in files.values():
        given = (site / one["contentUrl"]).read_bytes()
        assert hashlib.sha256(given).hexdigest() == one["sha256"]
        assert one["contentSize"] == f"{len(given)} B"
    assert len(dataset["recordSet"]) == sum("schema" in one for one in package["resources"]) > 3
    for records in dataset["recordSet"]:
        (source,) = {one["source"]["fileObject"]["@id"] for one in records["field"]}
        path = site / files[source]["contentUrl"]
        columns = duckdb.read_parquet(str(path)).columns
        assert [one["source"]["extract"]["column"] for one in records["field"]] == columns
    # Every short name is one of the vocabulary, and every identifier is used once.
    context = dataset["@context"]
    assert {"recordSet", "field", "fileObject", "extract", "column"} <= context.keys()
    identifiers = [*files, *(one["@id"] for one in dataset["recordSet"])]
    assert len(identifiers) == len(set(identifiers))


def test_a_slate_is_described_as_a_dataset(site: Path) -> None:
    page = site / "slates" / f"{SPRING}.html"
    text = page.read_text(encoding="utf-8")
    (described,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', text)
    dataset = json.loads(described)
    manifest = json.loads((site / "downloads" / SPRING / "manifest.json").read_text())
    assert dataset["@type"] == "Dataset"
    assert dataset["identifier"] == f"sha256:{manifest['content_sha256']}"
    assert len(dataset["distribution"]) > 4
    for one in dataset["distribution"]:
        given = (page.parent / one["contentUrl"]).read_bytes()
        assert hashlib.sha256(given).hexdigest() == one["sha256"]


def test_every_other_link_stays_in_the_site_and_leads_somewhere(site: Path) -> None:
    check_links(site)


def check_links(site: Path) -> None:
    """Check that each page is under the policy, and each link leads to a file, or a source."""
    pages = {path: Outline(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    assert len(pages) > 90
    for path, outline in pages.items():
        assert len(outline.ids) == len(set(outline.ids)), path
        assert not [name for _, found in outline.tags for name in found
                    if name.startswith("on") or name == "style"]  # fmt: skip
        policies = [
            found["content"]
            for tag, found in outline.tags
            if tag == "meta" and found.get("http-equiv") == "Content-Security-Policy"
        ]
        assert policies == [POLICY]
        assert not {tag for tag, _ in outline.tags} & {"style", "iframe", "object", "base", "form"}
        assert all(
            "src" in found or found["type"] == "application/ld+json"
            for tag, found in outline.tags
            if tag == "script"
        )
        for address in outline.addresses:
            if address.startswith(SOURCES):
                continue
            parts = urlsplit(address)
            assert not parts.scheme, address
            assert not parts.netloc, address
            assert not address.startswith("/"), address
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_relative_to(site.resolve()), address
            assert target.is_file(), (path, address)
            if parts.fragment:
                assert parts.fragment in pages[target].ids, (path, address)


@pytest.mark.parametrize("kind", ["stranger", "guest", "file", "nowhere"])
def test_a_folder_that_is_not_a_site_is_not_replaced(
    kind: str, db: Path, site: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    if kind == "stranger":
        folder.mkdir()
        (folder / "thesis.txt").write_text("years of work")
    if kind == "guest":
        shutil.copytree(site, folder)
        (folder / "slates" / "thesis.txt").write_text("years of work")
    if kind == "file":
        folder.write_text("years of work")
    if kind == "nowhere":
        folder = folder / "deeper"
    before = content(tmp_path)
    done = exited(3, tracker_on(db)("publish", "-o", folder))
    assert "error: " in done.output
    assert content(tmp_path) == before


def test_a_site_is_unchanged_when_publishing_fails(
    db: Path, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    shutil.copytree(site, folder)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(downloads, "write_slate", fail)
    done = exited(1, tracker_on(db)("publish", "-o", folder))
    assert "No space left on device" in done.output
    assert content(folder) == content(site)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_empty_store_has_nothing_to_publish(tmp_path: Path) -> None:
    db = tmp_path / "store.duckdb"
    run(db, "init")
    done = tracker_on(db)("publish", "-o", tmp_path / "out")
    assert (done.exit_code, "no slate" in done.output) == (3, True)
    assert not (tmp_path / "out").exists()


def test_a_benchmark_is_published_without_a_slate(tmp_path: Path, chromium: Browser) -> None:
    db = tmp_path / "store.duckdb"
    for words in _PREPARATION[2:]:
        run(db, *words.split())
    run(db, "publish", "-o", tmp_path / "site")
    with visit(chromium, tmp_path / "site" / "index.html") as visited:
        page = visited.page
        assert "0 slates" in page.inner_text(".subtitle")
        assert "No slate has been frozen yet." in page.inner_text("#slates")
        assert page.locator(".verdict").count() == page.locator("#verdicts").count() == 0
        page.get_by_role("link", name="regression").first.click()
        assert "/benchmarks/" in page.url
        assert visited.complaints == []


# The words of each state on the index, with the shapes that go with them in text and chart.
_GLYPHS = {
    "works": "\N{BLACK CIRCLE}",
    "does not work": "\N{BLACK SQUARE}",
    "explained by popularity": "\N{BLACK DIAMOND}",
    "too early": "\N{BLACK UP-POINTING TRIANGLE}",
}


def test_the_index_begins_with_the_verdicts(
    demo_registry: Path, tmp_path: Path, chromium: Browser
) -> None:
    """Of the demo's four slates, one of each state, told apart by shape; the table begins above."""
    run(demo_registry, "publish", "-o", tmp_path / "site")
    assessed = {
        one["slate_id"]: one["overall"]
        for one in [
            json.loads(run(demo_registry, "assess", path.stem, "--format", "json"))["slate"]
            for path in (tmp_path / "site" / "slates").glob("*.html")
        ]
    }
    with visit(chromium, tmp_path / "site" / "index.html") as visited:
        page = visited.page
        assert page.inner_text(".verdict .word") == (
            "Of 4 slates, 1 works, 1 does not work, 1 is explained by popularity and 1 is too "
            "early to judge"
        )
        chart = page.locator("#verdicts svg")
        first = page.locator("#slates tbody tr").first.bounding_box()
        assert first is not None
        # It is seen without scrolling.
        assert first["y"] + first["height"] < 900
        shown = {
            page.locator(f"{one} td:nth-child(1) a").get_attribute("href"): page.inner_text(
                f"{one} td:nth-child(3)"
            )
            for one in [f"#slates tbody tr:nth-child({number})" for number in range(1, 5)]
        }
        assert len(shown) == len(assessed) == 4
        for slate_id, state in assessed.items():
            word = shown[f"slates/{slate_id}.html"]
            assert word.lower().startswith(f"{_GLYPHS[state]} {state}")
        words = chart.text_content() or ""
        assert all(state in words for state in _GLYPHS)
        # Dots alone are marks of a single closed shape, drawn after arrows; a rule is a line.
        dots = page.eval_on_selector_all(
            "#verdicts svg :is(path, circle)[fill^='var(--series']",
            "found => found.map(one => [one.getAttribute('d'), one.getAttribute('fill')])",
        )
        shape_of = {colour: shape for shape, colour in dots}
        assert len(set(shape_of.values())) == len(shape_of) == 4
        order = page.eval_on_selector_all("main section[id]", "found => found.map(one => one.id)")
        assert order == [
            "slates",
            "verdicts",
            "parts",
            "models",
            "hits_over_time",
            "scoreboard",
            "register",
            "checks",
        ]
        # What is below the chart is folded, and unfolded by a link to it.
        assert page.locator("#parts section:visible").count() == 0
        assert page.locator("#hits_over_time svg").count() == 4
        page.get_by_role("link", name="How to check this page").click()
        assert page.inner_text("#parts section:visible").startswith("How to check this page")
        cells = page.locator("#slates tbody tr").first.locator("td").all_inner_texts()
        assert len(cells) == 7
        assert re.fullmatch(rf"[\d.]+ \([\d.]+{EN_DASH}[\d.]+\)", cells[3])
        assert re.fullmatch(r"[\d,]+ of [\d,]+, [\d.]+ expected", cells[4])
        assert re.fullmatch(r"2024-09-02 \(date proved\) to 2025-09-02", cells[5])
        assert cells[6] == "2025-09-15"
        hits = page.locator("#models tbody tr").first
        drawn = hits.locator("svg.dumbbell").get_attribute("aria-label") or ""
        n_hits = (hits.locator("td").nth(3).text_content() or "").split()[0]
        assert drawn.startswith(f"{n_hits} where ")
        assert visited.overflow <= 0
        page.set_viewport_size({"width": 1200, "height": 900})
        box = page.locator("#slates .scroll")
        assert box.evaluate("one => one.scrollWidth - one.clientWidth") <= 0


def test_published_figures_stay(db: Path, site: Path, tmp_path: Path) -> None:
    later = tmp_path / "later.duckdb"
    shutil.copy(db, later)
    run(later, "scoreboard", SPRING, "--record")
    run(later, "publish", "-o", tmp_path / "out")
    before, after = (
        (folder / "downloads" / "scoreboard.csv").read_text() for folder in (site, tmp_path / "out")
    )
    assert after.startswith(before)
    assert len(after) > len(before) > 1_000


def test_downloads_are_an_export_that_verifies(site: Path, tmp_path: Path) -> None:
    db = tmp_path / "store.duckdb"
    for folder in sorted((site / "downloads").iterdir()):
        if folder.is_dir():
            run(db, "slate", "import", folder)
    assert run(db, "slate", "verify").count("as frozen") == 3
    folder = site / "downloads" / SPRING
    for stem in ("predictions", "outcomes"):
        parquet = duckdb.read_parquet(str(folder / f"{stem}.parquet")).fetchall()
        with (folder / f"{stem}.csv").open(encoding="utf-8", newline="") as handle:
            header, *rows = list(csv.reader(handle))
        assert header == duckdb.read_parquet(str(folder / f"{stem}.parquet")).columns
        assert len(rows) == len(parquet) > 0
        assert [row[0] for row in rows] == [row[0] for row in parquet]


def test_the_published_rows_are_the_canonical_bytes(site: Path) -> None:
    folder = site / "slates" / SPRING
    header = re.fullmatch(r"slateRows\(0, (.*)\);\n", (folder / "rows-0.js").read_text())
    rows = re.fullmatch(r"slateRows\(1, (.*)\);\n", (folder / "rows-1.js").read_text(), re.DOTALL)
    assert header is not None
    assert rows is not None
    lines = [f"{line}\n" for line in json.loads(rows[1])]
    digest = hashlib.sha256((json.loads(header[1]) + "".join(lines)).encode()).hexdigest()
    manifest = json.loads((site / "downloads" / SPRING / "manifest.json").read_text())
    assert digest == manifest["content_sha256"]
    assert sorted(path.name for path in folder.iterdir()) == [
        "audit.html",
        "figures.html",
        "predictions.html",
        "rows-0.js",
        "rows-1.js",
        "rows-log.js",
    ]


def test_long_lists_are_parted(
    db: Path, tmp_path: Path, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tracker.extras.site.entity_pages.ROWS_PER_PAGE", 7)
    monkeypatch.setattr("tracker.extras.site.slate_pages._ROWS_PER_FILE", 100)
    site = tmp_path / "site"
    run(db, "publish", "-o", site)
    check_links(site)
    assert len(list((site / "slates" / SPRING).glob("*.js"))) == 2 + 8
    names = []
    for number in range(1, 13):
        path = site / "drugs" / ("index.html" if number == 1 else f"index-{number}.html")
        names += re.findall(r"<tr><td[^>]*><a[^>]*>(.*?)</a>", path.read_text())
    assert len(names) == len(set(names)) == 80
    rows = 0
    for path in site.glob("diseases/1*.html"):
        if re.fullmatch(r"1(-\d+)?\.html", path.name):
            rows += len(re.findall(r'<a href="\.\./drugs/\d+\.html"', path.read_text()))
    assert rows == 130
    with visit(chromium, audit_of(site, SPRING)) as visited:
        assert "The 720 published rows" in verdict(visited)[0]
    with visit(chromium, site / "drugs" / "index.html") as visited:
        visited.page.click(".pager a:has-text('2')")
        assert visited.page.url.endswith("/drugs/index-2.html")
        assert visited.page.inner_text("[aria-current]") == "2"
        assert visited.barriers() == []


def test_pages_of_entities_match_the_views(db: Path, site: Path) -> None:
    with duckdb.connect(str(db), read_only=True) as connection:
        entities = connection.execute(statements.find("listed_entity").select).fetchall()
        evidence = connection.execute(
            "select drug_id, any_value(evidence) as shown from prediction_card "
            "group by drug_id having shown is not null limit 5"
        ).fetchall()
    assert len(entities) > 80
    for kind, entity_id, name, _, _, n_predictions, n_hits in entities:
        folder = {"disease": "diseases", "drug": "drugs"}[kind]
        outline = Outline((site / folder / f"{entity_id}.html").read_text(encoding="utf-8"))
        assert name in outline.texts
        assert {f"{n_predictions:,}", f"{n_hits:,}"} <= set(outline.texts)
        rows = sum(tag == "tr" for tag, _ in outline.tags)
        assert rows > n_predictions
    for drug_id, shown in evidence:
        page = Outline((site / "drugs" / f"{drug_id}.html").read_text())
        assert shown in "".join(page.texts)


def test_the_feed_has_the_newest_outcomes(db: Path, site: Path) -> None:
    root = ET.parse(site / "feed.xml").getroot()  # noqa: S314 - our own file
    entries = root.findall(f"{ATOM}entry")
    with duckdb.connect(str(db), read_only=True) as connection:
        (n_outcomes,) = connection.execute(
            "select count(*) from outcome "
            "semi join prediction using (slate_id, disease_id, drug_id)"
        ).fetchone() or (0,)
    assert len(entries) == min(100, n_outcomes) > 10
    updated = [str(entry.findtext(f"{ATOM}updated")) for entry in entries]
    assert updated == sorted(updated, reverse=True)
    identifiers = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(set(identifiers)) == len(identifiers)
    for link in root.iter(f"{ATOM}link"):
        assert (site / link.attrib["href"]).is_file()


def test_the_order_of_the_feed_is_total(db: Path) -> None:
    """Neither the instant of recording nor an event tells entries apart: slates share events."""
    with store.reader(db) as connection:
        rows = statements.run(connection, "feed_outcome", {"most": 10_000}).all()
        named = {
            (one.slate_id, one.disease_id, one.drug_id): one
            for one in connection.execute(schema.prediction.select())
        }
    places = [
        (
            -row.recorded_at.timestamp(),
            -row.event_date.toordinal() if row.event_date else 0,
            named[row.slate_id, row.disease_id, row.drug_id].disease_identifier,
            named[row.slate_id, row.disease_id, row.drug_id].drug_identifier,
            row.outcome_type,
            (row.record is None, row.record),
            -row.outcome_id,
            row.slate_id,
        )
        for row in rows
    ]
    assert places == sorted(places)
    assert len({place[0] for place in places}) < len(set(places)) == len(places)


# As a visitor meets it


KINDS = (
    "index",
    "slate",
    "predictions",
    "figures",
    "audit",
    "disease",
    "drug",
    "drugs",
    "diseases",
    "downloads",
    "evaluation",
    "benchmark",
    "awaited",
    "submission",
)


def audit_of(site: Path, slate_id: str) -> Path:
    """Return the page of a slate that has the button to verify it."""
    return site / "slates" / slate_id / "audit.html"


def pages_of(site: Path) -> dict[str, Path]:
    return {
        "index": site / "index.html",
        "slate": site / "slates" / f"{AUTUMN}.html",
        **{
            name: site / "slates" / AUTUMN / f"{name}.html"
            for name in ("predictions", "figures", "audit")
        },
        "disease": site / "diseases" / "1.html",
        "drug": site / "drugs" / "12.html",
        "drugs": site / "drugs" / "index.html",
        "diseases": site / "diseases" / "index.html",
        "downloads": site / "downloads" / "index.html",
        "evaluation": site / "evaluations" / "1.html",
        "benchmark": site / "benchmarks" / "1.html",
        "awaited": site / "benchmarks" / "2.html",
        "submission": site / "submissions" / "1.html",
    }


@pytest.mark.parametrize(("width", "theme"), sampled(VIEWS, 3, slow=True))
def test_pages_are_quiet_and_accessible(
    width: int, theme: Theme, site: Path, chromium: Browser
) -> None:
    for name, path in pages_of(site).items():
        with visit(chromium, path, width=width, theme=theme) as visited:
            assert visited.faults() == [], name
            assert all(address.startswith(site.as_uri()) for address in visited.requests), name


@pytest.mark.parametrize("name", sampled(KINDS, 4, slow=True))
def test_the_keyboard_reaches_every_control(name: str, site: Path, chromium: Browser) -> None:
    with visit(chromium, pages_of(site)[name]) as visited:
        assert visited.keyboard_faults() == []


@pytest.mark.parametrize("name", sampled(KINDS, 4, slow=True))
def test_print_cuts_nothing_off(name: str, site: Path, chromium: Browser) -> None:
    with visit(chromium, pages_of(site)[name], theme="dark") as visited:
        assert visited.print_faults() == []


def test_every_page_says_how_to_cite_it(site: Path) -> None:
    """Title, slate and hash or else the store's log, the date of what is known, and the version."""
    log_id = json.loads((site / "downloads" / "head.json").read_text(encoding="utf-8"))["log_id"]
    as_of = json.loads((site / "manifest.json").read_text(encoding="utf-8"))["as_of"][:10]
    register = json.loads((site / "downloads" / "register.json").read_text(encoding="utf-8"))
    sources = {
        f"slates/{one['slate_id']}.html": (
            f"slate {one['slate_id']}, SHA-256 {one['content_sha256']}"
        )
        for one in register["slates"]
    }
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 100
    for path in pages:
        text = path.read_text(encoding="utf-8")
        title = re.findall(r"<title>(.*?)</title>", text)[0]
        # The pages behind that of a slate are in a folder of its name.
        is_behind = path.parent.parent.name == "slates"
        own = path.parent.with_suffix(".html") if is_behind else path
        source = sources.get(own.relative_to(site).as_posix(), f"log {log_id}")
        wanted = (
            f"Cite this page: “{title}”, {source}. As known on {as_of}, published with tracker "
            f"{tracker.__version__}."
        )
        assert re.findall(r'<p class="cite">(.*?)</p>', text) == [wanted], path


# What a visitor reads to the end, in pixels by the width of the window.
_LONGEST = {1440: 4_500, 375: 9_000}


def test_pages_of_slates_are_small(site: Path) -> None:
    assert all(path.stat().st_size < 350_000 for path in site.rglob("slates/**/*.html"))
    assert all(path.stat().st_size < 500_000 for path in site.rglob("*.html"))


@pytest.mark.parametrize("width", _LONGEST)
def test_pages_of_slates_are_short(width: int, site: Path, chromium: Browser) -> None:
    for slate_id in (SPRING, AUTUMN):
        with visit(chromium, site / "slates" / f"{slate_id}.html", width=width) as visited:
            height = visited.page.evaluate("document.documentElement.scrollHeight")
            assert 1_000 < height <= _LONGEST[width], slate_id


def test_the_pages_behind_a_slate_lead_back_to_it(site: Path, chromium: Browser) -> None:
    with visit(chromium, site / "slates" / f"{SPRING}.html") as visited:
        page = visited.page
        title = page.inner_text("h1")
        for name in ("Every prediction", "Further figures", "Evidence and checks"):
            page.click(f"#parts a:has-text('{name}')")
            assert page.inner_text("h1") == f"{name}: slate {SPRING[:8]}"
            page.click(f".kicker a:has-text('{title}')")
            assert page.url.endswith(f"/slates/{SPRING}.html")
        # As the verdict leads to them.
        page.click(".verdict a:has-text('How to check this page')")
        # A script shows it once the page has loaded.
        page.locator("#verify-button").wait_for(state="visible", timeout=10_000)


# The cells of a page's tables whose label is not the heading of their column, and how many fit.
_LABELS = """() => {
  document.querySelectorAll('details').forEach(one => { one.open = true; });
  let n = 0;
  const wrong = [];
  for (const table of document.querySelectorAll('table.cards')) {
    const headings = [...table.tHead.rows[0].cells].map(one => one.textContent.trim());
    for (const row of table.tBodies[0].rows)
      [...row.cells].forEach((cell, at) => {
        n += 1;
        const shown = getComputedStyle(cell, '::before').content;
        if (shown !== JSON.stringify(headings[at])) wrong.push(`${headings[at]}: ${shown}`);
      });
    const box = table.parentElement;
    if (box.scrollWidth > box.clientWidth) wrong.push(`too wide: ${headings}`);
  }
  return [n, wrong];
}"""


def test_wide_tables_are_cards_on_a_phone(site: Path, chromium: Browser) -> None:
    """Each cell is under the name of its column, and nothing has to be scrolled sideways."""
    for name, path in pages_of(site).items():
        with visit(chromium, path, width=PHONE) as visited:
            n, wrong = visited.page.evaluate(_LABELS)
            assert wrong == [], name
            # The list of downloads is narrow, and a benchmark without truth has none.
            assert (n > 0) == (name not in ("downloads", "awaited")), name
            assert visited.page.locator(".cards thead:visible").count() == 0
    with visit(chromium, site / "slates" / AUTUMN / "predictions.html") as visited:
        assert visited.page.locator("#predictions thead").is_visible()
        cell = visited.page.locator("#predictions td").first
        assert cell.evaluate("one => getComputedStyle(one, '::before').content") == "none"


def search(visited: Visit, words: str) -> list[str]:
    """Type into the search by keyboard only and return what is found."""
    page = visited.page
    page.focus(".skip")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "query":
            break
    page.keyboard.type(words)
    expect(page.locator("#found-count")).to_have_text(re.compile("found"), timeout=30_000)
    return [link.inner_text() for link in page.query_selector_all("#found a")]


def test_search_finds_a_drug_by_keyboard(site: Path, chromium: Browser) -> None:
    with visit(chromium, site / "slates" / f"{SPRING}.html") as visited:
        found = search(visited, "BELANTR")
        assert found[0].startswith("belantrine drug")
        visited.page.keyboard.press("ArrowDown")
        visited.page.keyboard.press("Enter")
        visited.page.wait_for_url("**/drugs/*.html")
        assert visited.page.inner_text("h1") == "belantrine"
        assert search(visited, "no such thing") == []
        visited.page.keyboard.press("Escape")
        assert visited.page.input_value("#query") == ""
        assert search(visited, "sable")[0].startswith("Sable lung disease")
        visited.page.keyboard.press("Escape")
        # A slate by a word of its description, and the slates of a model.
        assert search(visited, "spring")[0].startswith("Slate 5c9f4a52: The spring slate")
        visited.page.keyboard.press("Escape")
        assert len([one for one in search(visited, "fable-1") if " slate fable-1" in one]) == 3
        visited.page.keyboard.press("Escape")
        assert search(visited, "regression")[0].endswith(" benchmark")
        assert visited.complaints == []
        assert all(address.startswith(site.as_uri()) for address in visited.requests)


def test_search_finds_a_drug_by_an_alias(
    demo_store: Path, tmp_path: Path, chromium: Browser
) -> None:
    db = Path(shutil.copy(demo_store, tmp_path / "demo.duckdb"))
    file = tmp_path / "aliases.csv"
    file.write_text("entity,name,kind,value\ndrug,belantrine,synonym,Bélaphane <b>9</b>\n")
    run(db, "load", "aliases", file)
    run(db, "publish", "-o", tmp_path / "site")
    with visit(chromium, tmp_path / "site" / "index.html") as visited:
        (found,) = search(visited, "belaphane")
        assert found == "belantrine drug, also bélaphane <b>9</b>"
        visited.page.keyboard.press("Enter")
        visited.page.wait_for_url("**/drugs/*.html")
        assert visited.page.inner_text("h1") == "belantrine"
        assert visited.complaints == []


def test_tables_sort_by_keyboard(site: Path, chromium: Browser) -> None:
    with visit(chromium, site / "diseases" / "index.html") as visited:
        page = visited.page

        def column(number: int) -> list[str]:
            cells = page.query_selector_all(f"tbody td:nth-child({number})")
            return [cell.inner_text() for cell in cells]

        before = column(1)
        assert before == sorted(before, key=str.lower)
        page.focus("th:nth-child(5) button")
        page.keyboard.press("Enter")
        hits = [int(text) for text in column(5)]
        assert hits == sorted(hits)
        assert column(1) != before
        page.keyboard.press("Enter")
        assert [int(text) for text in column(5)] == sorted(hits, reverse=True)
        assert page.get_attribute("th:nth-child(5)", "aria-sort") == "descending"
        page.focus("th:nth-child(1) button")
        page.keyboard.press("Enter")
        assert column(1) == before
        assert visited.complaints == []


def test_a_chart_can_be_taken_along(site: Path, chromium: Browser, tmp_path: Path) -> None:
    """As SVG and PNG without the page's style sheet, its table as CSV, and a link to it."""
    with visit(chromium, site / "slates" / f"{SPRING}.html", theme="dark") as visited:
        page = visited.page
        section = page.locator("#hits_by_month")
        taken = {}
        for form in ("SVG", "PNG", "CSV"):
            with page.expect_download() as caught:
                section.get_by_role("button", name=f"{form} of:").press("Enter")
            assert caught.value.suggested_filename == f"{SPRING[:8]}-hits_by_month.{form.lower()}"
            caught.value.save_as(tmp_path / form)
            taken[form] = (tmp_path / form).read_bytes()
        drawing = ET.fromstring(taken["SVG"].decode())  # noqa: S314 - our own file
        assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
        assert b"var(" not in taken["SVG"]
        # A picture of 1,600 pixels that has more than one colour.
        assert taken["PNG"].startswith(b"\x89PNG")
        assert int.from_bytes(taken["PNG"][16:20], "big") == 1_600
        assert len(taken["PNG"]) > 20_000
        header, *rows = csv.reader(taken["CSV"].decode().splitlines())
        shown = section.locator("thead th").all_text_contents()
        assert header == [text.strip() for text in shown]
        assert len(rows) == section.locator("tbody tr").count() > 3
        assert all(one != EN_DASH for row in rows for one in row)
        section.get_by_role("link", name="Link to:").click()
        assert page.url.endswith(f"/slates/{SPRING}.html#hits_by_month")
        assert visited.complaints == []


def test_empty_cells_sort_last(site: Path, chromium: Browser) -> None:
    with visit(chromium, site / "slates" / SPRING / "predictions.html") as visited:
        page = visited.page
        heading = "#predictions th:nth-child(6)"
        for _ in range(2):
            page.click(f"{heading} button")
            cells = page.query_selector_all("#predictions tbody td:nth-child(6)")
            dates = [cell.inner_text() for cell in cells]
            known = [text for text in dates if text != EN_DASH]
            is_down = page.get_attribute(heading, "aria-sort") == "descending"
            assert dates[: len(known)] == sorted(known, reverse=is_down)
            assert 0 < len(known) < len(dates)


def verdict(visited: Visit) -> tuple[str, str]:
    """Press the button and return its message, and whether it is green or red."""
    page = visited.page
    page.focus("#verify-button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#verify-result.match, #verify-result.mismatch")
    shown = str(page.evaluate("getComputedStyle(document.getElementById('verify-result')).color"))
    red, green, _ = (int(part) for part in re.findall(r"\d+", shown)[:3])
    return page.inner_text("#verify-result"), "red" if red > green else "green"


def test_an_unaltered_slate_verifies(site: Path, chromium: Browser) -> None:
    pages = sorted((site / "slates").glob("*/audit.html"))
    assert len(pages) == 3
    for path in pages:
        with visit(chromium, path) as visited:
            message, colour = verdict(visited)
            assert message.startswith("Match: "), message
            assert colour == "green"
            assert visited.complaints == []


def test_missing_rows_are_reported(site: Path, tmp_path: Path, chromium: Browser) -> None:
    shutil.copytree(site / "assets", tmp_path / "assets")
    shutil.copytree(site / "slates", tmp_path / "slates")
    (tmp_path / "slates" / SPRING / "rows-1.js").unlink()
    with visit(chromium, audit_of(tmp_path, SPRING)) as visited:
        message, colour = verdict(visited)
        assert message == "Not verified: rows-1.js cannot be loaded."
        assert colour == "red"


def test_the_page_reports_when_no_hash_can_be_computed(site: Path, chromium: Browser) -> None:
    """As on a page from a server without https, where browsers offer no cryptography."""
    with visit(chromium, audit_of(site, SPRING)) as visited:
        visited.page.add_init_script("Object.defineProperty(crypto, 'subtle', {value: undefined})")
        visited.page.reload()
        assert "only on pages from https, localhost" in visited.page.inner_text("#verify-result")
        assert not visited.page.is_visible("#verify-button")
        assert visited.complaints == []


@pytest.fixture
def served(site: Path, tmp_path: Path) -> Iterator[str]:
    """The address of the site in a sub-folder of a web server."""
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "path").symlink_to(site)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    handler = partial(Quiet, directory=str(tmp_path))
    with listening(handler) as address:
        yield f"{address}/some/path/"


def test_a_site_works_under_any_path_of_a_server(
    served: str, site: Path, chromium: Browser
) -> None:
    with visit(chromium, site / "index.html") as visited:
        visited.page.goto(urljoin(served, f"slates/{SPRING}/audit.html"))
        assert verdict(visited)[1] == "green"
        assert search(visited, "belantrine")[0].startswith("belantrine")
        assert visited.complaints == []
        # The page that was left may still have asked for its icon, as a file.
        asked = [one for one in visited.requests if not one.startswith(site.as_uri())]
        assert len(asked) > 5
        assert all(address.startswith(served) for address in asked)


def test_pages_are_read_without_script(site: Path, chromium: Browser) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(audit_of(site, SPRING).as_uri())
    assert page.locator("#verify-button").is_hidden()
    page.goto((site / "slates" / SPRING / "predictions.html").as_uri())
    assert page.locator("#predictions tbody tr").count() == 720
    assert page.locator("#search").is_hidden()
    page.click("#predictions tbody tr:first-child td:nth-child(3) a")
    assert "/drugs/" in page.url
    context.close()
