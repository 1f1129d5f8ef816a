"""Opens pages in Debian's Chromium, headless, and reports what a visitor would meet.

Every test that visits needs the fixture `chromium` (conftest.py), which skips where there is none.
"""

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

Theme = Literal["light", "dark"]

EXECUTABLE = shutil.which("chromium")
PHONE, TABLET, DESKTOP = 360, 768, 1440

# The windows in which every kind of page is looked at.
VIEWS: tuple[tuple[int, Theme], ...] = (
    (PHONE, "light"),
    (DESKTOP, "dark"),
    (TABLET, "light"),
    (PHONE, "dark"),
    (DESKTOP, "light"),
    (TABLET, "dark"),
)

# Nothing that a browser does unasked; playwright gives each start a fresh profile.
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


# A4 less the margins of the style, at 96 pixels to the inch.
_PAPER = round((210 - 2 * 14) / 25.4 * 96)

# Number the controls that a visitor sees, in the order of the page; return how many there are.
_CONTROLS = """() => {
  const all = "a[href], button, input, textarea, select, summary, [tabindex='0']";
  const seen = [...document.querySelectorAll(all)].filter((one) => one.checkVisibility({
    visibilityProperty: true }) && !one.disabled && one.tabIndex >= 0);
  seen.forEach((one, at) => { one.controlNumber = at; });
  return seen.length;
}"""

# Which control has the focus, null outside the page, and what is wrong with it.
_FOCUSED = """() => {
  const one = document.activeElement;
  if (!one || one === document.body || one === document.documentElement) return [null, ""];
  const name = one.outerHTML.slice(0, 90);
  const style = getComputedStyle(one);
  if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2)
    return [one.controlNumber, `no visible focus: ${name}`];
  // The first line of what may be broken over several, of which the middle may be empty.
  const box = one.getClientRects()[0];
  const x = box.left + Math.min(box.width, innerWidth) / 2;
  const y = box.top + Math.min(box.height / 2, 8);
  const top = document.elementFromPoint(x, y);
  const isSeen = top && (one.contains(top) || top.contains(one));
  return [one.controlNumber, isSeen ? "" : `hidden behind something: ${name}`];
}"""

# The tables that scroll within themselves, which paper cannot.
_CUT_OFF = """() => [...document.querySelectorAll(".scroll")]
  .filter((box) => box.checkVisibility())
  .filter((box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1)
  .map((box) => `cut off: ${box.getAttribute("aria-label")}`)"""


@dataclass
class Visit:
    """An open page with what happened on it: addresses asked for, complaints, dialogs."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    @property
    def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        root = "document.documentElement"
        return int(self.page.evaluate(f"{root}.scrollWidth - {root}.clientWidth"))

    def verified(self) -> str:
        """Press the button of a slate's page that verifies it; return what it says."""
        self.page.click("#verify-button")
        self.page.wait_for_selector("#verify-result.match, #verify-result.mismatch")
        return self.page.inner_text("#verify-result")

    def barriers(self) -> list[str]:
        """Return axe-core's violations of whatever impact, a line each."""
        # Preloading asks for style sheets again, which a page's policy rightly forbids.
        done = Axe().run(self.page, options={"preload": False, "resultTypes": ["violations"]})
        found: Sequence[dict[str, Any]] = done.response["violations"]
        return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}" for one in found]

    def faults(self) -> list[str]:
        """Return what is wrong in this window: width, barriers, complaints; with all unfolded."""
        wide = ["the page is too wide"] if self.overflow > 0 else []
        self.unfold()
        wide += ["the unfolded page is too wide"] if self.overflow > 0 else []
        self.shorten()
        return [*wide, *self.barriers(), *self.complaints]

    def unfold(self) -> None:
        """Show what a visitor can unfold."""
        self.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")

    def shorten(self) -> None:
        """Leave the first rows of each table: hundreds are alike, and take minutes to check."""
        self.page.evaluate(
            "document.querySelectorAll('tbody').forEach("
            "body => [...body.rows].slice(20).forEach(row => row.remove()))"
        )

    def keyboard_faults(self) -> list[str]:
        """Walk through the page with Tab, and back; return what a visitor without mouse misses.

        Every control must be reached in the order of the page, show that it has the focus, not be
        hidden behind something, and be left again.
        """
        self.shorten()
        n_controls = int(self.page.evaluate(_CONTROLS))
        # Chromium goes on from what had the focus last, and round: to the first control at last.
        for _ in range(2 * n_controls):
            self.page.keyboard.press("Tab")
            if self.page.evaluate(_FOCUSED)[0] == 0:
                break
        faults = []
        for key, order in (
            ("Tab", range(1, n_controls)),
            ("Shift+Tab", range(n_controls - 2, -1, -1)),
        ):
            walked = []
            for _ in order:
                self.page.keyboard.press(key)
                at, fault = self.page.evaluate(_FOCUSED)
                walked.append(at)
                faults += [f"{key}: {fault}"] if fault else []
            if walked != list(order):
                faults.append(f"{key}: {walked} where {n_controls} are")
        return faults

    def print_faults(self) -> list[str]:
        """Return what is wrong on paper, A4 less its margins: width, and what is cut off."""
        self.page.set_viewport_size({"width": _PAPER, "height": 900})
        self.page.emulate_media(media="print")
        wide = [f"{self.overflow} pixels too wide"] if self.overflow > 0 else []
        return [*wide, *self.page.evaluate(_CUT_OFF), *self.complaints]


@contextlib.contextmanager
def started() -> Iterator[Browser]:
    """Start Chromium; the caller has seen to it that there is one."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=EXECUTABLE, args=list(_FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def visit(
    browser: Browser, place: Path | str, *, width: int = DESKTOP, theme: Theme = "light"
) -> Iterator[Visit]:
    """Open a file or an address as a visitor would, at a window's width and in a theme."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=theme, reduced_motion="reduce"
    )
    try:
        page = context.new_page()
        opened = Visit(page)
        page.on("request", lambda request: opened.requests.append(request.url))
        page.on("pageerror", lambda error: opened.complaints.append(str(error)))
        page.on(
            "console",
            lambda message: (
                opened.complaints.append(message.text)
                if message.type in ("error", "warning")
                else None
            ),
        )
        page.on("dialog", lambda dialog: opened.dialogs.append(dialog.message))
        page.goto(place if isinstance(place, str) else place.resolve().as_uri())
        yield opened
    finally:
        context.close()
