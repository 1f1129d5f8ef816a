"""The picture of a report in README has the words that the demo's page has now.

    python tests/docs/test_image.py [DEMO]     makes it again, from a demo that is in a folder
                                               already, or one that it makes

The words are in the file beside the pixels, as PNG's text: a picture differs from one machine to
another by its fonts, its words do not.
"""

import re
import sys
import tempfile
from pathlib import Path

import pytest
from browser import started, visit
from click.testing import CliRunner
from PIL import Image, PngImagePlugin
from playwright.sync_api import Browser
from support import ROOT, ok

from tracker.cli import main

IMAGE = ROOT / "docs" / "report.png"
_KEY = "Words"
# The verdict, the headline figures and the lists that the slate is compared with.
_PARTS = "header, .verdict, .key-figures, #leak_alarm"
_WIDTH = 1_200


def words_of(chromium: Browser, page: Path, image: Path | None = None) -> str:
    """Return what the pictured part of a page says; draw it if an image is named."""
    with visit(chromium, page, width=_WIDTH) as visited:
        # The claims between them are as long as the rest.
        visited.page.evaluate(
            "document.querySelectorAll('.claims, details').forEach(one => one.remove())"
        )
        shown = visited.page.locator(_PARTS)
        text = " ".join(shown.all_inner_texts())
        if image is not None:
            end = shown.last.bounding_box()
            assert end is not None
            height = end["y"] + end["height"]
            clip = {"x": 0.0, "y": 0.0, "width": float(_WIDTH), "height": height}
            visited.page.screenshot(path=image, clip=clip, full_page=True)  # type: ignore[arg-type]
    # The day on which the demo ran.
    return re.sub(r"\d{4}-\d\d-\d\d\.", "DAY.", " ".join(text.split()))


@pytest.mark.slow
def test_the_picture_has_the_words_of_the_page(demo_registry: Path, chromium: Browser) -> None:
    with Image.open(IMAGE) as image:
        assert isinstance(image, PngImagePlugin.PngImageFile)
        assert image.text[_KEY] == words_of(chromium, demo_registry.parent / "report.html")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, started() as running:
        demo = Path(sys.argv[1] if len(sys.argv) > 1 else f"{folder}/demo")
        if len(sys.argv) == 1:
            ok(CliRunner().invoke(main, ["demo", "-o", str(demo)]))
        made = Path(folder) / "image.png"
        said = PngImagePlugin.PngInfo()
        said.add_itxt(_KEY, words_of(running, demo / "report.html", made))
        with Image.open(made) as pixels:
            pixels.convert("P", palette=Image.Palette.ADAPTIVE, colors=256).save(
                IMAGE, optimize=True, pnginfo=said
            )
