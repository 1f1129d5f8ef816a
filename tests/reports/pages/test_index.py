"""The index of a site as a visitor sees it: how long it is, what is cut, and its filter."""

from pathlib import Path

import pytest
from browser import Theme, Visit, visit
from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

# The most pixels that the index of the demo's registry is high, by the width of the window.
HEIGHTS = {1440: 2_500, 768: 3_300, 375: 4_500}
THEMES: tuple[Theme, ...] = ("light", "dark")

# What is wrong with the boxes that a visitor sees: one beyond the window that no box scrolls to, a
# text that its box cuts, and texts of a drawing beyond its edge or on each other.
_MISPLACED = """() => {
  const seen = [...document.querySelectorAll("body *")].filter(
    (one) => one.checkVisibility({ opacityProperty: true }) && !one.matches(".skip"));
  const boxes = new Map(seen.map((one) => [one, one.getBoundingClientRect()]));
  const named = (one) => `${one.tagName} ${one.textContent.trim().slice(0, 40)}`;
  const isIn = (box, around) => box.left >= around.left - 1 && box.right <= around.right + 1;
  const isOn = (one, other) => one.left + 1 < other.right && other.left + 1 < one.right
    && one.top + 1 < other.bottom && other.top + 1 < one.bottom;
  const screen = { left: 0, right: document.documentElement.clientWidth };
  const found = [];
  for (const [one, box] of boxes) {
    if (!isIn(box, screen) && !one.closest(".scroll"))
      found.push(`beyond the window: ${named(one)}`);
    const style = getComputedStyle(one);
    if (["hidden", "clip"].includes(style.overflowX) && style.clipPath === "none"
        && one.scrollWidth > one.clientWidth + 1)
      found.push(`cut: ${named(one)}`);
  }
  for (const chart of seen.filter((one) => one.matches("svg.chart"))) {
    const texts = seen.filter((one) => one.matches("text") && chart.contains(one));
    for (const [at, one] of texts.entries()) {
      if (!isIn(boxes.get(one), boxes.get(chart)))
        found.push(`beyond its drawing: ${named(one)}`);
      // A halo is the same text below.
      for (const other of texts.slice(at + 1))
        if (one.textContent !== other.textContent && isOn(boxes.get(one), boxes.get(other)))
          found.push(`on each other: ${named(one)}, ${named(other)}`);
    }
  }
  return found;
}"""


@pytest.fixture
def index(published_registry: Path) -> Path:
    return published_registry / "index.html"


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", HEIGHTS)
def test_the_index_is_short_and_nothing_is_cut(
    width: int, theme: Theme, index: Path, chromium: Browser
) -> None:
    with visit(chromium, index, width=width, theme=theme) as visited:
        assert visited.page.evaluate("document.documentElement.scrollHeight") <= HEIGHTS[width]
        # The one table is seen whole; those behind the page may scroll.
        assert visited.page.locator("#slates .scroll").evaluate(
            "box => [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight]"
        ) == [0, 0]
        assert visited.page.evaluate(_MISPLACED) == []
        assert visited.faults() == []
        assert visited.page.evaluate(_MISPLACED) == []


def shown(visited: Visit) -> list[str]:
    """Return the models of the slates that are seen, and how many the filter says there are."""
    rows = visited.page.locator("#slates tbody tr:visible")
    return [
        *rows.locator("td:nth-child(2)").all_inner_texts(),
        visited.page.inner_text(".filter [role=status]"),
    ]


ALL = ["lodestar-1", "mirage-1", "almanac-1", "lodestar-1", ""]
OF_LODESTAR = ["lodestar-1", "lodestar-1", "2 of 4 slates"]


@pytest.mark.parametrize("width", [1440, 375])
def test_the_filter_leaves_the_slates_with_these_words(
    width: int, index: Path, chromium: Browser
) -> None:
    with visit(chromium, index, width=width) as visited:
        field = visited.page.get_by_label("Filter the slates")
        assert shown(visited) == ALL
        for words, found in (
            ("DOES NOT WORK", ["mirage-1", "1 of 4 slates"]),
            ("lodestar", OF_LODESTAR),
            ("no such slate", ["0 of 4 slates"]),
            (" ", ALL),
        ):
            field.fill(words)
            assert shown(visited) == found
        assert visited.complaints == []


def test_a_model_leads_to_its_slates(index: Path, chromium: Browser) -> None:
    with visit(chromium, index) as visited:
        visited.page.get_by_text("Models compared").first.click()
        visited.page.locator("#models").get_by_role("link", name="lodestar-1").press("Enter")
        assert visited.page.url.endswith("#slates")
        assert shown(visited) == OF_LODESTAR


def test_a_model_whose_name_begins_others_leads_to_its_own(index: Path, chromium: Browser) -> None:
    with visit(chromium, index) as visited:
        visited.page.locator("#slates tbody tr:last-child td:nth-child(2) a").evaluate(
            "link => { link.textContent = 'lodestar-11'; }"
        )
        visited.page.locator("#slates").get_by_role("link", name="lodestar-1").first.click()
        assert shown(visited) == ["lodestar-1", "1 of 4 slates"]


def test_without_scripts_every_slate_and_part_is_there(index: Path, chromium: Browser) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(index.as_uri())
    assert page.locator("#slates tbody tr:visible").count() == 4
    assert page.locator(".filter").count() == 0
    page.get_by_text("Register of slates").first.click()
    assert page.locator("#register tbody tr:visible").count() == 4
    context.close()


def test_a_hash_is_short_and_whole_in_its_tooltip(index: Path, chromium: Browser) -> None:
    with visit(chromium, index) as visited:
        visited.unfold()
        hashes = visited.page.locator("#register td code")
        assert hashes.count() == 4
        for one in hashes.all():
            whole = one.get_attribute("title") or ""
            assert (len(whole), one.inner_text()) == (64, whole[:12])
