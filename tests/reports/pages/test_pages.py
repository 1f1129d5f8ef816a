"""Pages of slates, evaluations and benchmarks: their content, and how a browser shows them."""

import base64
import hashlib
import html
import json
import re
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pytest
from browser import DESKTOP, PHONE, VIEWS, Theme, visit
from click.testing import CliRunner
from playwright.sync_api import Browser
from support import ROOT, WORLD, Outline, load_world_outcomes, ok, sampled

from tracker.cli import main
from tracker.reports.words import NOTHING

# Its pages take half a minute to make.
pytestmark = pytest.mark.slow

SLATE = "5c9f4a52"
SAMPLE_DAY = datetime(2026, 1, 31, 12, tzinfo=UTC)
SAMPLE = "report a07e --as-of 2026-01-31"
SAMPLE_PAGE = ROOT / "fixtures" / "sample_report.html"
SAMPLE_DOC = ROOT / "docs" / "guides" / "reports.md"
SAMPLE_BEGINS = "<!-- sample report -->\n```text\n"
_BENCHMARKS = ROOT / "fixtures" / "benchmarks"

# The pages by name, each with the command that makes it.
PAGES = {
    "slate": f"report {SLATE} --as-of 2026-01-31",
    "versus": f"report a07e --as-of 2026-01-31 --versus {SLATE}",
    "early": f"report {SLATE} --as-of 2025-03-03",
    "evaluation": "retrospective report 1",
    "regression": "benchmark score 1",
    "binary": "benchmark score 2",
    "ordinal": "benchmark score 3",
    "multilabel": "benchmark score 4",
    "leaderboard": "benchmark leaderboard regression",
    "models": "leaderboard",
    "comparison": f"compare a07e {SLATE}",
}
# The commands after which every page has something to show: slates with what was known of them
# day by day, then an evaluation and a submission to a benchmark of each kind.
_PREPARATION = (
    "load candidates WORLD/candidates.csv --set world --model fable-1",
    "load labels WORLD/labels.csv --set known",
    "timestamp trust WORLD/authority.pem --name demo",
    "slate import WORLD/spring_slate",
    "slate import WORLD/autumn_slate",
)
_FURTHER_PREPARATION = (
    "retrospective evaluate --candidates world --labels known",
    "retrospective loo --ranker popularity --candidates world --labels known --workers 1",
    "retrospective loo --ranker cf --candidates world --labels known --workers 1",
    "retrospective temporal --ranker cf --candidates world --labels known --cutoff 2015 "
    "--from 2016 --to 2024 --workers 1",
    "benchmark define regression --kind regression --truth KIND/truth.csv "
    "--targets KIND/targets.csv --fold-column fold",
    "benchmark submit regression KIND/linear.csv --submitter linear --track cv",
    "benchmark define binary --kind binary --truth KIND/truth.csv --targets KIND/targets.csv",
    "benchmark submit binary KIND/model.csv --submitter model --track test",
    "benchmark define ordinal --kind ordinal --truth KIND/truth.csv",
    "benchmark submit ordinal KIND/random.csv --submitter random --track test",
    "benchmark define multilabel --kind multilabel --truth KIND/truth.csv --labels KIND/labels.csv",
    "benchmark submit multilabel KIND/model.csv --submitter model --track test",
    "benchmark submit regression KIND/shuffled.csv --submitter shuffled --track cv",
)


def run(store: Path, words: str) -> str:
    """Run a command on a store and return what it printed."""
    kind = words.split()[2] if words.startswith("benchmark") else ""
    arguments = [
        word.replace("KIND", str(_BENCHMARKS / kind)).replace("WORLD", str(WORLD))
        for word in words.split()
    ]
    return ok(CliRunner().invoke(main, ["--db", str(store), *arguments])).stdout


def prepare(store: Path) -> None:
    """Make a store of the world's slates and outcomes; the samples are of SAMPLE_DAY."""
    for words in _PREPARATION:
        run(store, words)
    load_world_outcomes(store, SAMPLE_DAY)


@pytest.fixture(scope="module")
def world(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fictional world in a store, evaluated, with the benchmarks' fixtures."""
    store = Path(shutil.copy(empty_store, tmp_path_factory.mktemp("pages") / "store.duckdb"))
    prepare(store)
    for words in _FURTHER_PREPARATION:
        run(store, words)
    return store


@pytest.fixture(scope="module")
def pages(world: Path) -> dict[str, Path]:
    """Every page as a file, by name."""
    made = {}
    for name, words in PAGES.items():
        made[name] = world.parent / f"{name}.html"
        made[name].write_text(run(world, f"{words} --format html"), encoding="utf-8")
    return made


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_one_file_that_loads_nothing(name: str, pages: dict[str, Path]) -> None:
    text = pages[name].read_text(encoding="utf-8")
    outline = Outline(text)
    policy = next(
        str(meta["content"])
        for meta in outline.of("meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    )
    style = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style[0].encode()).digest()).decode()
    assert len(style) == 1
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert {tag for tag, _ in outline.tags}.isdisjoint(
        {"script", "link", "img", "iframe", "object", "embed", "form", "base", "use", "image"}
    )
    attributes = {name for _, found in outline.tags for name in found}
    assert not {name for name in attributes if name.startswith("on")}
    assert attributes.isdisjoint({"style", "src", "srcset", "action", "xlink:href"})
    links = [
        address
        for link in outline.of("a")
        if not (address := str(link["href"])).startswith("https://clinicaltrials.gov/study/NCT")
    ]
    ids = [str(found["id"]) for _, found in outline.tags if "id" in found]
    assert links
    assert {link.removeprefix("#") for link in links} <= set(ids)
    assert len(ids) == len(set(ids))


def test_a_page_of_hundreds_of_predictions_is_small(pages: dict[str, Path]) -> None:
    assert pages["slate"].stat().st_size < 500_000


@pytest.mark.parametrize("name", ["slate", "evaluation", "binary"])
def test_the_same_store_and_day_give_the_same_bytes(
    name: str, world: Path, pages: dict[str, Path]
) -> None:
    again = run(world, f"{PAGES[name]} --format html")
    assert again == pages[name].read_text(encoding="utf-8")


def test_the_committed_samples_are_current(world: Path) -> None:
    """The page in fixtures/, and the beginning of its Markdown in the guide."""
    assert SAMPLE_PAGE.read_text(encoding="utf-8") == run(world, f"{SAMPLE} --format html"), (
        "run: PYTHONPATH=tests/support python tests/reports/pages/test_pages.py"
    )
    guide = SAMPLE_DOC.read_text(encoding="utf-8")
    sample = guide.split(SAMPLE_BEGINS)[1].split("```\n")[0]
    assert sample == beginning(run(world, f"{SAMPLE} --format markdown"))


def beginning(printed: str) -> str:
    """Return a page's Markdown up to its first panel."""
    return printed.split("\n## Compared with its plan")[0].rstrip() + "\n"


@pytest.mark.parametrize(
    ("name", "n_charts"),
    [
        ("slate", 14),
        ("evaluation", 3),
        ("regression", 2),
        ("binary", 2),
        ("ordinal", 1),
        ("multilabel", 6),
        ("leaderboard", 2),
    ],
)
def test_every_chart_has_a_text_alternative_and_its_data(
    name: str, n_charts: int, pages: dict[str, Path]
) -> None:
    text = pages[name].read_text(encoding="utf-8")
    charts = Outline(text).of("svg")
    assert len(charts) == n_charts
    assert {chart["role"] for chart in charts} == {"img"}
    assert all(len(str(chart["aria-label"])) > 60 for chart in charts)
    drawn = re.findall(r'<section class="panel drawn".*?</section>', text, re.DOTALL)
    assert len(drawn) == n_charts
    for section in drawn:
        assert section.count("<svg") == 1
        assert section.index("</svg>") < section.index("<details>") < section.index("<tbody>")
        assert re.search(r'<h2 class="finding">[^<]+\.</h2>', section)


def test_the_slates_page_matches_the_views(world: Path, pages: dict[str, Path]) -> None:
    """The figures of the sentences and the alternatives are those of the json report."""
    report = json.loads(run(world, f"{PAGES['slate']} --format json"))["sections"]
    lead = {"evidence_window": "prospective", "population": "novel", "tier": "high"}

    def high(view: str) -> dict[str, float]:
        return next(row for row in report[view] if lead.items() <= row.items())

    rate, enrichment = high("tier_hit_rate"), high("enrichment_vs_matched")
    text = html.unescape(pages["slate"].read_text(encoding="utf-8"))
    assert (
        f"came true after the freeze {enrichment['enrichment_vs_matched']:.2f} times as often "
        f"as equally popular drugs: {rate['n_hits']} hits where "
        f"{enrichment['expected_hits']:.1f} were expected from {enrichment['n_other_hits']} "
        "of others." in text
    )
    assert f"high tier, prospective: {rate['hit_rate']:.1%} ({rate['n_hits']} of " in text
    for row in report["breadth_decile_hit_rate"]:
        if {**lead, "tier": None}.items() <= {**row, "tier": None}.items():
            pair = f"{row['hit_rate']:.1%} against {row['baseline_hit_rate']:.1%}"
            assert f"decile {row['breadth_decile']}: {pair}" in text
    n_prospective = sum(
        row["n_outcomes"] for row in report["outcome_count"] if row["timing"] == "prospective"
    )
    assert f"{n_prospective} of {sum(r['n_outcomes'] for r in report['outcome_count'])}" in text


def test_the_slates_page_answers_the_three_questions(pages: dict[str, Path]) -> None:
    text = html.unescape(pages["slate"].read_text(encoding="utf-8"))
    verdict = text[text.index('class="verdict too-early"') : text.index('class="key-figures"')]
    for part in ("Is it working?", "Inconclusive so far", "Confidence", "95% interval"):
        assert part in verdict
    assert "It does not prove that the drug works." in text
    assert f"tracker slate verify {SLATE}" in text
    assert re.search(r"<dt>SHA-256 of the slate</dt><dd>[0-9a-f]{64}</dd>", text)


def test_before_the_first_outcome_a_page_says_what_is_awaited(pages: dict[str, Path]) -> None:
    text = pages["early"].read_text(encoding="utf-8")
    figures = text[text.index('class="key-figures"') : text.index("What this page shows")]
    assert "predictions that wait for an outcome" in figures
    assert "the end of the horizon" in figures
    assert "hit rate" not in figures
    charts = [str(one["aria-label"]) for one in Outline(text).of("svg")]
    assert all(label.startswith("Dots, one row per source and kind.") for label in charts)
    assert 'id="tier_hit_rate"' not in text or text.index('id="tier_hit_rate"') > text.index(
        'id="tables"'
    )
    assert "</span> Too early to say by its plan</p>" in text
    assert "No hit is on record yet" in text


def test_every_prediction_is_listed_with_its_due_date_and_evidence(pages: dict[str, Path]) -> None:
    text = pages["slate"].read_text(encoding="utf-8")
    listing = text[text.index('id="predictions"') : text.index('id="part-figures"')]
    rows = re.findall(r"<tr>(<td.*?)</tr>", listing)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]
    header = re.findall(r"<th[^>]*>(.*?)</th>", listing)
    assert len(rows) == 720
    predictions = [dict(zip(header, row, strict=True)) for row in cells]
    assert {one["status"] for one in predictions} == {"open", "met", "monitored"}
    assert {one["due date"] for one in predictions} == {"2028-03-03", "2030-03-03", NOTHING}
    assert all(one["due date"] == NOTHING for one in predictions if one["status"] == "monitored")
    found = next(
        one
        for one in predictions
        if (one["disease"], one["drug"]) == ("Penrose retinopathy", "galyvudine")
    )
    assert "first trial seen (2025-04-16, prospective, ctgov, loaded " in found["evidence"]


def test_a_long_slate_lists_its_best_ranks(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracker.reports.listing.MOST_PREDICTIONS", 24)
    text = run(world, f"{PAGES['slate']} --format html")
    listing = text[text.index('id="predictions"') : text.index('id="part-figures"')]
    ranks = re.findall(r"<tr><td>(\d+)</td>", listing)
    assert ranks == ["1"] * 12 + ["2"] * 12
    assert "696 predictions of lower rank left out" in listing


def test_a_truncated_table_is_marked(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracker.reports.pages.html._MOST_ROWS", 5)
    text = run(world, f"{PAGES['slate']} --format html")
    assert "The first 5 of 12 rows; --format csv has all of them." in text


def test_markdown_has_the_same_content_and_is_well_formed(world: Path) -> None:
    for name in ("slate", "versus", "evaluation"):
        printed = run(world, f"{PAGES[name]} --format markdown")
        lines = printed.splitlines()
        assert lines[0].startswith("# ")
        widths: list[set[int]] = [set()]
        for line in lines:
            if line.startswith("|"):
                widths[-1].add(line.replace("\\|", "").count("|"))
            else:
                widths.append(set())
        assert all(len(width) <= 1 for width in widths)
        assert "## How to check this report" in lines
        assert "<" not in re.sub(r"\\<", "", printed)
    slate = run(world, f"{PAGES['slate']} --format markdown")
    assert "**Too early to say by its plan.**" in slate
    assert "Inconclusive so far: not told from popularity." in slate
    sections = json.loads(run(world, f"{PAGES['slate']} --format json"))["sections"]
    lead = {"evidence_window": "prospective", "population": "novel", "tier": "high"}
    high = next(row for row in sections["enrichment_vs_matched"] if lead.items() <= row.items())
    assert f"{high['n_hits']} hits where {high['expected_hits']:.1f} were expected" in slate


# Each page in each window.
VISITS: list[tuple[str, int, Theme]] = [(name, *view) for name in PAGES for view in VIEWS]


@pytest.mark.parametrize(("name", "width", "theme"), sampled(VISITS, 16))
def test_a_visitor_meets_no_error(
    name: str, width: int, theme: Theme, pages: dict[str, Path], chromium: Browser
) -> None:
    with visit(chromium, pages[name], width=width, theme=theme) as visited:
        assert visited.faults() == []
        assert visited.requests == [pages[name].resolve().as_uri()]


@pytest.mark.parametrize("name", sampled(PAGES, 8))
def test_the_keyboard_reaches_every_control(
    name: str, pages: dict[str, Path], chromium: Browser
) -> None:
    with visit(chromium, pages[name]) as visited:
        assert visited.keyboard_faults() == []
        visited.unfold()
        assert visited.keyboard_faults() == []


@pytest.mark.parametrize("name", sampled(PAGES, 8))
def test_print_cuts_nothing_off(name: str, pages: dict[str, Path], chromium: Browser) -> None:
    with visit(chromium, pages[name], theme="dark") as visited:
        assert visited.print_faults() == []


# The luminance of a CSS colour after WCAG 2, and the contrast of two colours.
_CONTRAST = """
const luminance = colour => {
  const parts = colour.match(/[\\d.]+/g).slice(0, 3).map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
};
const contrast = (one, other) => {
  const [dark, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
};
const ground = getComputedStyle(document.body).backgroundColor;
"""


@pytest.mark.parametrize("media", ["screen", "print"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_charts_are_visible_in_both_themes_and_in_print(
    theme: Theme, media: Literal["screen", "print"], pages: dict[str, Path], chromium: Browser
) -> None:
    with visit(chromium, pages["slate"], theme=theme) as visited:
        visited.page.emulate_media(media=media)
        ground = visited.page.evaluate("getComputedStyle(document.body).backgroundColor")
        is_dark = theme == "dark" and media == "screen"
        assert ground == ("rgb(17, 22, 27)" if is_dark else "rgb(255, 255, 255)")
        faint = visited.page.evaluate(
            f"""() => {{ {_CONTRAST}
            const words = Array.from(document.querySelectorAll('svg text'))
              .filter(text => !text.getAttribute('stroke'))
              .map(text => contrast(getComputedStyle(text).fill, ground));
            const marks = Array.from(document.querySelectorAll('svg [fill^="var(--series"]'))
              .map(mark => contrast(getComputedStyle(mark).fill, ground));
            return [words.length, marks.length, Math.min(...words), Math.min(...marks)]; }}"""
        )
    n_words, n_marks, faintest_word, faintest_mark = faint
    assert min(n_words, n_marks) > 20
    assert faintest_word > 4.5
    assert faintest_mark > 3


_MISPLACED = """() => {
  const found = [];
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect();
    const words = Array.from(svg.querySelectorAll('text'))
      // A halo is drawn under the same words; a label that an axis has no room for is invisible.
      .filter(text => text.textContent && text.getAttribute('stroke') === null
        && text.getAttribute('opacity') !== '0')
      .map(text => [text.textContent, text.getBoundingClientRect()]);
    for (const [text, box] of words) {
      if (box.left < frame.left - 4 || box.right > frame.right + 4 ||
          box.top < frame.top - 4 || box.bottom > frame.bottom + 4)
        found.push(`cut off: ${text}`);
    }
    words.forEach(([one, a], at) => words.slice(at + 1).forEach(([other, b]) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 2 && high > 4) found.push(`overlapping: ${one} and ${other}`);
    }));
  }
  return found;
}"""


@pytest.mark.parametrize("name", sampled(list(PAGES), 4))
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_no_word_of_a_chart_is_cut_off_or_hidden(
    name: str, width: int, pages: dict[str, Path], chromium: Browser
) -> None:
    with visit(chromium, pages[name], width=width) as visited:
        assert visited.page.evaluate(_MISPLACED) == []
        smallest = visited.page.evaluate(
            "Math.min(99, ...Array.from(document.querySelectorAll('svg text'), text => "
            "parseFloat(getComputedStyle(text).fontSize) * "
            "text.ownerSVGElement.getBoundingClientRect().width / "
            "text.ownerSVGElement.viewBox.baseVal.width))"
        )
    assert smallest > 9.5


def test_the_keyboard_reaches_links_tables_and_data(
    pages: dict[str, Path], chromium: Browser
) -> None:
    with visit(chromium, pages["slate"]) as visited:
        page = visited.page
        reached = []
        for _ in range(30):
            page.keyboard.press("Tab")
            reached.append(page.evaluate("document.activeElement.outerHTML.slice(0, 60)"))
            if reached[-1].startswith("<summary"):
                break
        assert any('href="#checks"' in element for element in reached)
        assert not page.evaluate("document.activeElement.parentElement.open")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.parentElement.open")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.getAttribute('role')") == "region"
        # What is folded is unfolded by the link to it.
        assert not page.evaluate("document.querySelector('#part-audit').open")
        page.get_by_role("link", name="How to check this page").press("Enter")
        assert page.evaluate("document.querySelector('#part-audit').open")
        assert page.evaluate(
            "document.querySelector('#checks').getBoundingClientRect().top"
        ) < page.evaluate("innerHeight")


def test_print_shows_no_appendix_and_breaks_no_word(
    pages: dict[str, Path], chromium: Browser
) -> None:
    with visit(chromium, pages["slate"], theme="dark") as visited:
        assert visited.print_faults() == []
        assert not visited.page.get_by_role("navigation").is_visible()
        assert not visited.page.locator("#predictions, #tables, #chain").first.is_visible()
        assert visited.page.locator(".printed").is_visible()
        assert visited.page.evaluate(_BROKEN_WORDS) == []


# The short words of the plan's table that a line break divides.
_BROKEN_WORDS = """() => [...document.querySelectorAll('#assessment :is(th, td)')]
  .filter(cell => /^\\w{1,10}$/.test(cell.textContent.trim()))
  .filter(cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return new Set([...range.getClientRects()].map(one => Math.round(one.top))).size > 1;
  }).map(cell => cell.textContent)"""


@pytest.mark.parametrize("name", ["slate", "versus", "early"])
def test_a_slates_print_has_at_most_six_pages(
    name: str, pages: dict[str, Path], chromium: Browser
) -> None:
    with visit(chromium, pages[name]) as visited:
        printed = visited.page.pdf(format="A4")
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 6


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "store.duckdb"
        prepare(made)
        SAMPLE_PAGE.write_text(run(made, f"{SAMPLE} --format html"), encoding="utf-8")
        head, rest = SAMPLE_DOC.read_text(encoding="utf-8").split(SAMPLE_BEGINS)
        tail = rest.split("```\n", 1)[1]
        text = beginning(run(made, f"{SAMPLE} --format markdown"))
        SAMPLE_DOC.write_text(f"{head}{SAMPLE_BEGINS}{text}```\n{tail}", encoding="utf-8")
