"""The contract in one file becomes a page for each family: no section is lost, every link leads."""

import re
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support import ROOT

# docs/ is no package: MkDocs loads its hooks by their paths.
metric_pages: Any = SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "metric_pages.py")))
CONTRACT = (ROOT / "docs" / metric_pages.CONTRACT).read_text(encoding="utf-8")
PAGES = metric_pages.pages(CONTRACT)


def words(text: str) -> list[str]:
    """Return the words of Markdown without headings and without the targets of links."""
    without = re.sub(r"^#+ .*$", "", text, flags=re.MULTILINE)
    return re.findall(r"\w+", re.sub(r"\]\([^)]*\)", "", without))


def test_every_word_is_on_one_page() -> None:
    families = [PAGES[path] for path, _, _ in metric_pages.FAMILIES]
    general, _, rest = PAGES[metric_pages.CONTRACT].partition("## Families of metrics")
    last = rest[rest.index("## References") :]
    assert words("\n".join([general, *families, last])) == words(CONTRACT)


def test_every_anchor_is_on_one_page() -> None:
    anchors = [one for page in PAGES.values() for one in re.findall(r"\{#([\w-]+)\}", page)]
    assert sorted(anchors) == sorted(re.findall(r"\{#([\w-]+)\}", CONTRACT))


def test_links_lead_to_the_page_that_has_the_section() -> None:
    text = "See [x](../metrics.md#survival_curve), [y](../metrics.md#tie-order), [z](plans.md)."
    places = {"survival_curve": "metrics/time.md", "tie-order": "metrics.md"}
    assert metric_pages.linked(text, "guides/reports.md", places) == (
        "See [x](../metrics/time.md#survival_curve), [y](../metrics.md#tie-order), [z](plans.md)."
    )


def test_links_of_a_family_are_from_its_own_folder() -> None:
    text = "[a](#survival_curve) [b](#tie-order) [c](guides/plans.md) [d](https://example.org/#x)"
    places = {"survival_curve": "metrics/time.md", "tie-order": "metrics.md"}
    assert metric_pages.linked(text, "metrics.md", places, shown_at="metrics/time.md") == (
        "[a](#survival_curve) [b](../metrics.md#tie-order) [c](../guides/plans.md) "
        "[d](https://example.org/#x)"
    )


def test_a_family_whose_section_is_gone_is_an_error() -> None:
    with pytest.raises(ValueError, match="has no heading"):
        metric_pages.pages(CONTRACT.replace("{#time_to_event}", "{#time-to-event}"))


def test_no_page_is_longer_than_a_fifth_of_the_contract() -> None:
    assert max(map(len, PAGES.values())) < len(CONTRACT) / 5
    assert all(Path(path).suffix == ".md" for path in PAGES)
