"""The shared parts of the pages of a site: frame, addresses, and links between them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from tracker.reports.pages import html
from tracker.reports.pages.html import Frame
from tracker.reports.pages.page import Link, Page, Panel
from tracker.rows import Rows
from tracker.version import VERSION

# A browser may load only the site's own scripts and styles.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'none'; base-uri 'none'; form-action 'none'"
)

# The page with SQL also runs DuckDB, in a worker that may load files of the site.
CONSOLE_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; "
    "style-src 'self'; img-src 'self' data:; connect-src 'self' blob:; base-uri 'none'; "
    "form-action 'none'"
)

ROWS_PER_PAGE = 500

Kind = Literal["disease", "drug"]

# The folder of the pages of each kind of entity.
FOLDERS: dict[Kind, str] = {"disease": "diseases", "drug": "drugs"}

_SCRIPTS = ("search.js", "tables.js", "charts.js")
_ASSETS = Path(__file__).parent / "assets"
_ASSET_NAMES = ("site.css", "icon.svg", "search.js", "tables.js", "charts.js", "verify.js")


@dataclass(frozen=True)
class Site:
    """What all pages of a site share: date, citation and targets of links.

    `log_id` identifies the store and its log; `entities` has, by kind, the id of each name that
    only one entity has.
    """

    as_of: str
    log_id: str
    navigation: tuple[tuple[str, str], ...]
    entities: Mapping[Kind, Mapping[str, int]] = field(default_factory=dict)

    def render(
        self,
        path: str,
        page: Page,
        *,
        scripts: Iterable[str] = (),
        slate: Mapping[str, Any] | None = None,
        part_address: str = "",
        pager: Iterable[tuple[int, str]] = (),
        policy: str = POLICY,
        console: Mapping[str, Any] | None = None,
        source: str = "",
        dataset: str = "",
    ) -> str:
        """Return a page of the site as HTML; `path` is its own, from which it links to others.

        `slate` is for the button that verifies the page's slate, `source` is the citation,
        `dataset` is JSON that describes the page to machines, and `part_address` is that of Frame.
        """
        frame = Frame(
            "site.html.j2",
            policy,
            "the downloads have all of them",
            root=root_of(path),
            navigation=self.navigation,
            scripts=(*_SCRIPTS, *scripts),
            part_address=part_address,
        )
        return html.framed(
            "site_page.html.j2",
            page,
            frame,
            slate=slate,
            pager=list(pager),
            console=console,
            source=source or f"log {self.log_id}",
            dataset=dataset,
            as_of=self.as_of[:10],
            version=VERSION,
        )

    def linked_page(self, path: str, page: Page) -> Page:
        """Return the page with the names of drugs and diseases in its tables as links."""

        def linked(panels: list[Panel]) -> list[Panel]:
            return [replace(one, table=self.linked(path, one.table)) for one in panels]

        return replace(
            page,
            panels=linked(page.panels),
            tables=linked(page.tables),
            listings=[replace(one, table=self.linked(path, one.table)) for one in page.listings],
        )

    def linked(self, path: str, rows: Rows) -> Rows:
        """Return rows with each name of a single entity as a link to its page."""
        columns = {
            index: kind
            for index, name in enumerate(rows.columns)
            for kind in FOLDERS
            if name == f"{kind}_name"
        }
        if not columns:
            return rows
        root = root_of(path)

        def cell(index: int, value: Any) -> Any:
            kind = columns.get(index)
            entity_id = self.entities.get(kind, {}).get(value) if kind else None
            if kind is None or entity_id is None:
                return value
            return Link(value, root + entity_path(kind, entity_id))

        return Rows(
            rows.columns,
            [tuple(cell(index, value) for index, value in enumerate(row)) for row in rows.values],
        )


def citation(slate_id: Any, sha256: str) -> str:
    """Return how pages cite a slate."""
    return f"slate {slate_id}, SHA-256 {sha256}"


def root_of(path: str) -> str:
    """Return the relative path from a page to the root of the site."""
    return "../" * path.count("/")


def assets() -> dict[str, str]:
    """Return the style sheet, scripts and icon that all sites share, by path."""
    own = {name: script(name) for name in _ASSET_NAMES}
    own["site.css"] = html.stylesheet() + own["site.css"]
    return {f"assets/{name}": text for name, text in own.items()}


def script(name: str) -> str:
    """Return the text of one of the package's assets."""
    return (_ASSETS / name).read_text(encoding="utf-8")


def entity_path(kind: Kind, entity_id: int, number: int = 1) -> str:
    """Return the path of an entity's page, or of part `number` of a long one."""
    return numbered(f"{FOLDERS[kind]}/{entity_id}", number)


def slate_path(slate_id: Any) -> str:
    """Return the path of a slate's page."""
    return f"slates/{slate_id}.html"


def part_path(slate_id: Any, name: str) -> str:
    """Return the path of a part of a slate's page."""
    return f"slates/{slate_id}/{name}.html"


def numbered(stem: str, number: int) -> str:
    """Return the path of part `number` of a list; the first has no number."""
    return f"{stem}.html" if number == 1 else f"{stem}-{number}.html"


def pager(stem: str, number: int, n_pages: int) -> list[tuple[int, str]]:
    """Return the numbers and addresses of a list's parts, none for a single part.

    Of many: the first, the last and those around this one, whose own address is empty.
    """
    if n_pages <= 1:
        return []
    name = stem.rpartition("/")[2]
    near = {1, n_pages, *range(max(1, number - 2), min(n_pages, number + 2) + 1)}
    return [(one, "" if one == number else numbered(name, one)) for one in sorted(near)]
