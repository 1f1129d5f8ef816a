"""What test modules share: where things lie, the command-line fixture's type, what a page holds."""

from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

from click.testing import Result

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data"
WORLD = ROOT / "fixtures" / "world"

# Runs a command on the test's store: tracker("load", "labels", path, "--set", "known").
Tracker = Callable[..., Result]


class Outline(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def ids(self) -> list[str]:
        return [str(found["id"]) for _, found in self.tags if "id" in found]

    @property
    def addresses(self) -> list[str]:
        return [
            str(found[name]) for _, found in self.tags for name in ("href", "src") if name in found
        ]
