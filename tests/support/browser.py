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
PHONE, DESKTOP = 360, 1440

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

    def barriers(self) -> list[str]:
        """Return axe-core's serious and critical violations, a line each."""
        # Preloading asks for style sheets again, which a page's policy rightly forbids.
        done = Axe().run(self.page, options={"preload": False, "resultTypes": ["violations"]})
        found: Sequence[dict[str, Any]] = done.response["violations"]
        return [
            f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]


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
