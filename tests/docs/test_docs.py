"""Citations within the pages of docs/, and of those pages in the code, resolve."""

import re
from functools import cache
from pathlib import Path

import pytest
from support import ROOT, docs_module

from tracker import schema
from tracker.store import catalog, dictionary

DOCS = ROOT / "docs"
PUBLIC = ("prospective", "retrospective", "benchmarks")
SUFFIXES = (".py", ".sql", ".j2", ".js", ".md", ".toml", ".yml")


@cache
def pages() -> dict[str, str]:
    """Every page by its path below docs/, those that the build generates included."""
    written = {
        path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8")
        for path in DOCS.rglob("*.md")
    }
    generated: dict[str, str] = docs_module("generated_pages").pages()
    return {**written, **generated}


@cache
def anchors(page: str) -> frozenset[str]:
    """The anchors of a page, given ones and those made from its headings."""
    text = pages()[page]
    given = re.findall(r"\{[^}\n]*#([\w-]+)[^}\n]*\}", text)
    assert len(given) == len(set(given)), f"{page} has an anchor twice"
    made = [
        re.sub(r"[^\w\s-]", "", heading).strip().lower().replace(" ", "-")
        for heading in re.findall(r"^#+ ([^{\n]*)$", text, re.MULTILINE)
    ]
    return frozenset([*given, *made])


def citing_files() -> list[Path]:
    roots = [ROOT / name for name in ("sql", "tracker", "docs", "migrations", "fixtures", "tests")]
    files = [path for root in roots for path in root.rglob("*") if path.suffix in SUFFIXES]
    return [ROOT / "README.md", ROOT / "CHANGELOG.md", *files]


def cited() -> list[tuple[str, str, str]]:
    """Where, which page, which anchor: each citation of a page by its path."""
    found = []
    for path in citing_files():
        for page, anchor in re.findall(
            r"\bdocs/([\w/-]+\.md)(?:#([\w-]+))?", path.read_text(encoding="utf-8")
        ):
            found.append((path.relative_to(ROOT).as_posix(), page, anchor))
    return found


@pytest.mark.slow
def test_what_the_code_cites_is_there() -> None:
    citations = cited()
    assert len(citations) > 100
    assert [
        (where, page, anchor)
        for where, page, anchor in citations
        if page not in pages() or (anchor and anchor not in anchors(page))
    ] == []


@pytest.mark.slow
def test_links_between_pages_resolve() -> None:
    broken = []
    for page, text in pages().items():
        prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", prose):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            path = (DOCS / page).parent / name if name else DOCS / page
            other = path.resolve().relative_to(DOCS).as_posix()
            known = other in pages() or path.exists()
            if not known or (anchor and anchor not in anchors(other)):
                broken.append((page, target))
    assert broken == []


@pytest.mark.parametrize("section", PUBLIC)
def test_every_view_is_defined_in_the_contract(section: str) -> None:
    names = {view.name for view in catalog.read_views() if view.section == section}
    assert names
    assert names - anchors("metrics.md") == set()


def test_every_view_cites_its_definition() -> None:
    """A source is a place in these pages where the reader finds the rule, and may cite a work."""
    cited = {
        view.name: re.match(r"docs/([\w/-]+\.md)#([\w-]+)(?:; |$)", view.header["Source"])
        for view in catalog.read_views()
    }
    assert [
        name for name, place in cited.items() if place is None or place[2] not in anchors(place[1])
    ] == []


@pytest.mark.parametrize(
    "words", ["METRICS section", "METRICS.md", "DESIGN,", "DESIGN.md", 'issue "']
)
def test_nothing_cites_a_document_that_is_not_here(words: str) -> None:
    here = Path(__file__)
    assert [
        path.relative_to(ROOT).as_posix()
        for path in citing_files()
        if path != here and words in path.read_text(encoding="utf-8")
    ] == []


def test_files_that_pages_name_exist() -> None:
    """A path in code marks is one of the repository, so a module that moves is noticed here."""
    named = {
        (page, path)
        for page, text in pages().items()
        for path in re.findall(
            r"`((?:tracker|sql|tests|fixtures|migrations|\.github|\.ci)/[\w./-]*)`", text
        )
    }
    assert len(named) > 30
    assert [(page, path) for page, path in sorted(named) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", ["architecture.md", "changing.md"])
def test_files_named_without_their_folder_exist(page: str) -> None:
    """Those of a row are in a folder that the row names, or below it."""
    missing = []
    for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
        named = re.findall(r"`([\w./]+)`", line) if line.startswith("| ") else []
        files = [name for name in named if re.fullmatch(r"[\w/]+\.(py|sql|js)", name)]
        folders = {ROOT / name for name in named if name.endswith("/") and (ROOT / name).is_dir()}
        folders |= {(ROOT / name).parent for name in files if (ROOT / name).is_file()}
        missing += [
            (name, line[:60])
            for name in files
            if not (ROOT / name).is_file()
            and not any(next(folder.rglob(name), None) for folder in folders)
        ]
    assert missing == []


def test_constants_are_in_the_files_that_the_table_names() -> None:
    table = pages()["architecture.md"] + pages()["changing.md"]
    named = re.findall(r"`([A-Z_]{2,})` (?:in|of) `([\w/]+\.py)`", table)
    assert len(named) >= 6
    assert [
        (name, path)
        for name, path in named
        if not re.search(rf"^{name}\b.* = ", (ROOT / path).read_text(encoding="utf-8"), re.M)
    ] == []


def test_the_reference_has_every_view_table_and_command() -> None:
    views = catalog.read_views()
    overview = pages()["reference/sql.md"]
    listed = re.findall(r"\[`(\w+)`\]\((sql/[\w-]+\.md)#(\w+)\)", overview)
    assert sorted(name for name, _, _ in listed) == sorted(view.name for view in views)
    for name, path, anchor in listed:
        assert name == anchor in anchors(f"reference/{path}")
    assert set(schema.metadata.tables) <= anchors("reference/data-model.md")
    assert {"tracker-slate-freeze", "tracker-benchmark-submit"} <= anchors("reference/cli.md")


def test_the_reference_has_columns_and_examples() -> None:
    hit_rate = pages()["reference/sql/enrichment.md"].split("## tier_hit_rate ")[1].split("##")[0]
    assert hit_rate.count("| `hit_rate` | `DOUBLE` |") == 1
    # State of this name is kept in a table of another schema.
    outcome = pages()["reference/sql/enrichment.md"].split("## pair_outcome ")[1].split("##")[0]
    assert outcome.count("| `slate_id` |") == 1
    assert "](../../metrics.md#tier_hit_rate)" in hit_rate
    score = dictionary.columns()["score"]
    described = f"| `score` | `DOUBLE` | {score.meaning} | {score.unit} |"
    assert f"{described} no |" in pages()["reference/data-model.md"]
    assert "| `n_hits` | `BIGINT` |" in hit_rate
    assert dictionary.columns()["hit_rate"].meaning in hit_rate
    freeze = pages()["reference/cli.md"].split("{#tracker-slate-freeze}")[1].split("####")[0]
    assert "--min-score FLOAT" in freeze
    assert "tracker slate freeze --candidates whole" in freeze


def test_pages_load_nothing_from_elsewhere() -> None:
    settings = (ROOT / ".mkdocs.yml").read_text(encoding="utf-8")
    assert "  font: false\n" in settings
    assert not re.search(r"analytics|extra_javascript|https?:", settings)
    assert not [page for page, text in pages().items() if re.search(r"!\[[^]]*\]\(https?:", text)]
