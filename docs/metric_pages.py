"""Shows docs/metrics.md, the contract in one file, as a page for each family of metrics.

MkDocs calls the functions as hooks. The file keeps its address and its anchors, which the headers
of sql/ cite; on the site a link to one of them leads to the page that has it.
"""

import posixpath
import re
from collections.abc import Mapping
from typing import Any

CONTRACT = "metrics.md"
# Of each page its path, its title and the anchor of its first section, in the order of the file.
FAMILIES = (
    ("metrics/slates.md", "Slates, windows and horizons", "prospective"),
    ("metrics/enrichment.md", "Hit rates and enrichment", "pair_outcome"),
    ("metrics/parts.md", "Parts, lists and baselines", "hits_by_month"),
    ("metrics/scores.md", "Scores and probabilities", "precision_proxy"),
    ("metrics/time.md", "Time to event", "time_to_event"),
    ("metrics/diseases.md", "Diseases and drugs", "disease_performance"),
    ("metrics/falsification.md", "Falsification criteria", "falsification-criteria"),
    ("metrics/overview.md", "What a report counts", "known_at_freeze"),
    ("metrics/comparisons.md", "Slates and models compared", "comparisons"),
    ("metrics/freeze.md", "At the freeze, and for audits", "freeze_expectation"),
    ("metrics/events.md", "Events", "detection"),
    ("metrics/outcomes.md", "Outcomes", "outcome"),
    ("metrics/matching.md", "Matching", "matching"),
    ("metrics/backtests.md", "Backtests", "backtests"),
    ("metrics/retrospective.md", "Retrospective metrics", "retrospective"),
    ("metrics/benchmarks.md", "Benchmarks", "benchmarks"),
    ("metrics/uncertainty.md", "Uncertainty and the scoreboard", "uncertainty"),
)
# What follows the families stays with the general rules.
_LAST = "references"
_ANCHOR = re.compile(r"\{#([\w-]+)\}")
_HEADING = re.compile(r"^#+ (.*) \{#([\w-]+)\}$", re.MULTILINE)
_LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]*)(?:#([\w-]+))?\)")


def topic(contract: str, anchor: str) -> tuple[str, str]:
    """Return the name in paths, and the title, of the family of a section of the contract.

    Supporting views are a topic of their own.
    """
    place = contract.index(f"{{#{anchor}}}")
    *_, (title, last) = _HEADING.findall(contract[: contract.index("\n", place)])
    if last.startswith("supporting-"):
        return last, title
    starts = [contract.index(_heading(contract, first)) for _, _, first in FAMILIES]
    path, title, _ = FAMILIES[max(sum(start <= place for start in starts) - 1, 0)]
    return posixpath.splitext(posixpath.basename(path))[0], title


def on_files(files: Any, config: Any) -> Any:
    """Put a page for each family in place of the sections, and a list of them."""
    from mkdocs.structure.files import File

    contract = files.get_file_from_path(CONTRACT)
    made = pages(contract.content_string)
    files.remove(contract)
    for path, content in made.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links to sections of the contract lead to the pages that have them."""
    return linked(markdown, page.file.src_uri, _places)


# The page that has each anchor of the contract, once `pages` has made them.
_places: dict[str, str] = {}


def pages(contract: str) -> dict[str, str]:
    """Return the pages by path: the contract's without the families, and one of each of them."""
    starts = {anchor: contract.index(_heading(contract, anchor)) for _, _, anchor in FAMILIES}
    last = contract.index(_heading(contract, _LAST))
    ends = [*list(starts.values())[1:], last]
    made = {
        path: _page(title, anchor, contract[starts[anchor] : end])
        for (path, title, anchor), end in zip(FAMILIES, ends, strict=True)
    }
    first = starts[FAMILIES[0][2]]
    listed = "".join(f"- [{title}]({path})\n" for path, title, _ in FAMILIES)
    made[CONTRACT] = f"{contract[:first]}## Families of metrics\n\n{listed}\n{contract[last:]}"
    _places.update(
        {anchor: path for path, content in made.items() for anchor in _ANCHOR.findall(content)}
    )
    return {
        path: linked(content, CONTRACT, _places, shown_at=path) for path, content in made.items()
    }


def _page(title: str, anchor: str, sections: str) -> str:
    """Return a family under its title, which takes the place of a chapter's; headings move up."""
    chapter, rest = sections.split("\n", 1)
    is_chapter = chapter.startswith("## ")
    heading = f"# {title} {{#{anchor}}}" if is_chapter else f"# {title}"
    moved = re.sub("^#(##)", r"\1", rest if is_chapter else sections, flags=re.MULTILINE)
    return f"{heading}\n\n{moved}"


def _heading(contract: str, anchor: str) -> str:
    """Return the line of the heading with an anchor; raises ValueError where there is none."""
    found = re.search(rf"^#+ .*\{{#{re.escape(anchor)}\}}$", contract, re.MULTILINE)
    if found is None:
        raise ValueError(f"docs/metrics.md has no heading {{#{anchor}}}")
    return found[0]


def linked(text: str, source: str, places: Mapping[str, str], shown_at: str = "") -> str:
    """Return Markdown of the file `source`, shown at another path, with links that lead there."""
    shown_at = shown_at or source
    folder = posixpath.dirname(source)

    def link(found: re.Match[str]) -> str:
        path, anchor = found[1], found[2]
        target = posixpath.normpath(posixpath.join(folder, path)) if path else source
        if target == CONTRACT and anchor in places:
            target = places[anchor]
        if target == shown_at and anchor:
            return f"](#{anchor})"
        relative = posixpath.relpath(target, posixpath.dirname(shown_at) or ".")
        return f"]({relative}{f'#{anchor}' if anchor else ''})"

    return _LINK.sub(link, text)
