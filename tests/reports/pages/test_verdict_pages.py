"""Pages of slates in every state, of a backtest, and of slates without candidates or labels."""

import re
import shutil
from pathlib import Path

import pytest
from browser import DESKTOP, PHONE, VIEWS, Theme, visit
from playwright.sync_api import Browser
from support import ok, sampled, tracker_on

pytestmark = pytest.mark.slow

# The slates of the demo's registry, by the state that their plan assigns.
STATES = {
    "works": "4be1d0c2",
    "does-not-work": "9c27e5f8",
    "explained-by-popularity": "d58f3a16",
    "too-early": "e70b94d3",
}
_BACKTEST = "backtest run --ranker cf --from 2024-10-01 --every 3m --horizon 3m --top-k 20"
NAMES = (*STATES, "index", "backtest", "published")
VISITS = [(name, *view) for name in NAMES for view in VIEWS]


def run(db: Path, *words: object) -> None:
    ok(tracker_on(db)(*words))


@pytest.fixture(scope="module")
def site(published_registry: Path) -> Path:
    return published_registry


@pytest.fixture(scope="module")
def backtest(demo_registry: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("backtest") / "store.duckdb"
    shutil.copy(demo_registry, db)
    page = db.with_name("page.html")
    run(db, *_BACKTEST.split(), "--workers", "1", "--format", "html", "-o", page)
    return page


@pytest.fixture(scope="module")
def published(attacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a store with slates that came with neither candidates nor labels."""
    folder = tmp_path_factory.mktemp("published") / "site"
    run(attacked, "publish", "-o", folder)
    return folder


@pytest.fixture
def page(name: str, request: pytest.FixtureRequest) -> Path:
    """The page of this name; only what it needs is made."""
    if name == "backtest":
        return Path(request.getfixturevalue("backtest"))
    if name == "published":
        folder: Path = request.getfixturevalue("published") / "slates"
        return min(one for one in folder.glob("*.html") if "no candidate set" in one.read_text())
    site: Path = request.getfixturevalue("site")
    return site / "index.html" if name == "index" else one_page(site, STATES[name])


def one_page(site: Path, slate: str) -> Path:
    (found,) = (site / "slates").glob(f"{slate}*.html")
    return found


@pytest.mark.parametrize(("name", "width", "theme"), sampled(VISITS, 8, slow=True))
def test_a_visitor_meets_no_fault(
    name: str, width: int, theme: Theme, page: Path, chromium: Browser
) -> None:
    with visit(chromium, page, width=width, theme=theme) as visited:
        assert visited.faults() == [], name


@pytest.mark.parametrize("name", sampled(NAMES, 3, slow=True))
def test_print_cuts_nothing_off(name: str, page: Path, chromium: Browser) -> None:
    with visit(chromium, page, theme="dark") as visited:
        assert visited.print_faults() == [], name


@pytest.mark.parametrize("name", sampled(reversed(NAMES), 7, slow=True))
def test_the_keyboard_reaches_every_control(name: str, page: Path, chromium: Browser) -> None:
    with visit(chromium, page) as visited:
        assert visited.keyboard_faults() == [], name


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_a_slates_verdict_and_its_interval_are_seen_first(
    width: int, site: Path, chromium: Browser
) -> None:
    """Without scrolling: the state by word and shape, the ratio, and the interval or why none."""
    for state, slate in STATES.items():
        with visit(chromium, one_page(site, slate), width=width) as visited:
            box = visited.page.locator(f".verdict.{state}").bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= 900, (state, box)
            text = visited.page.inner_text(".verdict")
            assert re.search(r"\d\.\d\d times as often as equally popular drugs", text), state
            assert re.search(r"95% interval, [\d.]+ to [\d.]+ times|there is no interval", text)


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_the_index_names_what_works_and_its_interval_first(
    width: int, site: Path, chromium: Browser
) -> None:
    with visit(chromium, site / "index.html", width=width) as visited:
        box = visited.page.locator(".verdict").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900, box
        assert (
            "Met its plan: lodestar-1, 2024-09-02, with 2.58 times the hits of equally popular "
            "drugs (95% interval 1.85 to 3.61)." in visited.page.inner_text(".verdict")
        )
