"""Reads sql/: files of one SELECT and a header; orders and describes the views.

A file's stem is its view's name. The build order is found by parsing each SELECT for the views
it reads, so no list is kept by hand.
"""

import functools
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from tracker import resources
from tracker.errors import TrackerError
from tracker.store import parsing
from tracker.store.parsing import Parsed

CHECKS = "checks"
# The schema in which people find the results, without the steps that these are computed by.
RESULTS = "results"
# The tables that results refer to by number, which the schema has as well.
REFERRED_TO = ("slate", "disease", "drug", "prediction")
# The schema of the tables that keep rows of views, and the one that says what they were made from.
STATE = "state"
MADE_FROM = "made_from"
# Kept rows are those of now: a client that asks for those of another instant gets an error, even
# where no row is kept.
_IS_NOW = (
    "(select if(getvariable('as_of') is null and getvariable('dates') is distinct from 'claimed' "
    "and getvariable('state') is null, true, error('{} keeps the rows of now: "
    "''tracker sql --as-of'' computes those of another instant')))"
)


# The topics of results, in the order in which they are listed.
TOPICS = (
    "Verdict and overview",
    "Hits, pair by pair",
    "Hit rates and enrichment",
    "Lists and baselines",
    "Scores and probabilities",
    "Time to event",
    "Diseases and drugs",
    "Criteria",
    "At the freeze",
    "Evidence and matching",
    "Estimates and the scoreboard",
    "Comparisons and models",
    "Rounds",
    "Retrospective",
    "Backtests",
    "Benchmarks",
)


@dataclass(frozen=True)
class View:
    """One file of sql/: `header` maps the header's keys (Title, Formula, ...) to their text."""

    name: str
    section: str
    header: dict[str, str]
    select: str
    sha256: str

    @property
    def grain(self) -> list[str]:
        """The columns whose values together identify a row."""
        return [column.strip() for column in self.header["Grain"].split(",")]

    @property
    def topic(self) -> str | None:
        """The topic under which a result is listed, None for a step."""
        return self.header.get("Result")

    @property
    def stored(self) -> str | None:
        """When the rows kept of it change: 'freeze' or 'evidence', None where none are kept."""
        return self.header["Stored"].partition(",")[0] if "Stored" in self.header else None

    @property
    def spans_slates(self) -> bool:
        """Whether rows of one slate depend on those of others."""
        return self.header.get("Stored", "").endswith(", over all slates")

    @property
    def installed(self) -> str:
        """The SELECT of the view in a store, which reads the rows that are kept."""
        if self.stored is None:
            return self.select
        return f"from {STATE}.{self.name} where {_IS_NOW.format(self.name)}"

    @property
    def built_from(self) -> str:
        """The hash of the view in a store: of its file, and of how it reads kept rows."""
        if self.stored is None:
            return self.sha256
        return hashlib.sha256(f"{self.sha256}\n{self.installed}".encode()).hexdigest()

    @property
    def is_recursive(self) -> bool:
        """Whether a part of it reads itself, so that all its rows are computed whoever asks."""
        return "\nwith recursive " in self.select

    @property
    def comment(self) -> str:
        """The header as the comment stored with the view."""
        return "\n".join(f"{key}: {value}" for key, value in self.header.items())


def read_views(root: Path | None = None) -> list[View]:
    """Return the views of sql/, or of another folder, by section and name; checks are none."""
    return [
        view for view in _read_files(root or resources.directory("sql")) if view.section != CHECKS
    ]


def listed(wanted: str = "", *, with_steps: bool = False) -> list[View]:
    """Return the results by topic, then steps if asked: those named, titled or about `wanted`."""
    order = {topic: place for place, topic in enumerate(TOPICS)}
    text = wanted.casefold()
    found = [
        view
        for view in read_views()
        if (with_steps or view.topic)
        and text in f"{view.name}\n{view.header['Title']}\n{view.topic}".casefold()
    ]
    return sorted(found, key=lambda view: order.get(view.topic or "", len(order)))


def read_checks() -> list[View]:
    """Return the checks, SELECTs whose rows are violations."""
    return [view for view in _read_files(resources.directory("sql")) if view.section == CHECKS]


@functools.cache
def find(name: str) -> View:
    """Return the view of this name, which is not a check's."""
    return next(view for view in read_views() if view.name == name)


def shown(name: str) -> str:
    """Return the SELECT of a view in the schema of results; without `main` it would find itself."""
    return f"from main.{name}"


def in_build_order(views: list[View]) -> list[View]:
    """Sort the views so that each follows those it reads; a cycle is a TrackerError."""
    by_name = {view.name: view for view in views}
    read = _names([view.select for view in views])
    graph = {
        view.name: sorted(names & by_name.keys()) for view, names in zip(views, read, strict=True)
    }
    try:
        return [by_name[name] for name in TopologicalSorter(graph).static_order()]
    except CycleError as error:
        raise TrackerError(
            f"views read each other in a circle: {' -> '.join(error.args[1])}"
        ) from None


def in_reading_order(names: Iterable[str]) -> list[str]:
    """Sort installed views' names so that each follows those it reads, even indirectly."""
    wanted = set(names)
    ordered = [view.name for view in in_build_order(read_views()) if view.name in wanted]
    if wanted - set(ordered):
        raise TrackerError(f"no such view: {', '.join(sorted(wanted - set(ordered)))}")
    return ordered


@functools.cache
def reads() -> dict[str, frozenset[str]]:
    """Return the names of the tables and views that each view reads."""
    return reads_of(read_views())


def reads_of(views: list[View]) -> dict[str, frozenset[str]]:
    """Return the names of the tables and views that each of some views or checks reads."""
    found = _names([view.select for view in views])
    return {view.name: names for view, names in zip(views, found, strict=True)}


def read_tables(select: str) -> frozenset[str]:
    """Return the names of the tables and views a SELECT reads, found by DuckDB's own parser."""
    return _names([select])[0]


def read_below(view: View) -> frozenset[str]:
    """Return the names of the tables and views that a view or check reads, even indirectly."""
    below = reads()
    found: set[str] = set()
    pending = set(below[view.name] if view.name in below else read_tables(view.select))
    while pending:
        found |= pending
        pending = {*frozenset().union(*(below.get(name, ()) for name in pending))} - found
    return frozenset(found)


def copies(names: Iterable[str]) -> dict[str, int]:
    """Return how many copies of each view DuckDB plans for a query that reads the views `names`.

    It plans a view anew wherever one is read, with all that the view reads.
    """
    found: dict[str, int] = {}
    below = reads()
    for view in reversed(in_build_order(read_views())):
        found[view.name] = (view.name in names) + sum(
            n for reader, n in found.items() if view.name in below[reader]
        )
    return {name: n for name, n in found.items() if n}


def read_again(names: Iterable[str]) -> list[str]:
    """Return the views that are read more than once by queries that read the views `names`.

    Each comes after those it reads. Where their rows are computed once, DuckDB plans each other
    view once.
    """
    n_reads = Counter(names)
    ordered = [view.name for view in in_build_order(read_views())]
    for name in reversed(ordered):
        if n_reads[name]:
            n_reads.update(reads()[name])
    return [name for name in ordered if n_reads[name] > 1]


def as_stored(selects: Sequence[str]) -> list[str | None]:
    """Return each SELECT as DuckDB writes it in a view's definition, None if it cannot be one."""
    return [one.stored for one in _parsed(selects)]


def _names(selects: Sequence[str]) -> list[frozenset[str]]:
    """Return the names that each SELECT reads."""
    found = _parsed(selects)
    for one in found:
        if one.problem is not None:
            raise TrackerError(f"cannot parse a view: {one.problem}")
    return [frozenset(one.tables) - frozenset(one.ctes) for one in found]


def _parsed(selects: Sequence[str]) -> list[Parsed]:
    known = _known()
    others = [select for select in selects if select not in known]
    if others:
        known.update(zip(others, parsing.parse(others), strict=True))
    return [known[select] for select in selects]


@functools.cache
def _known() -> dict[str, Parsed]:
    """Return what was parsed so far, all of sql/ among it."""
    files = _read_files(resources.directory("sql"))
    texts = dict.fromkeys(
        select for one in files for select in (one.select, one.installed, shown(one.name))
    )
    return parsing.kept([*texts])


def parse_afresh() -> None:
    """Parse all of sql/ again, whatever was kept of it."""
    known = _known()
    known.update(zip([*known], parsing.parse([*known]), strict=True))
    reads.cache_clear()


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield every node of a statement that DuckDB serialized as JSON."""
    if isinstance(tree, dict):
        yield tree
        for child in tree.values():
            yield from nodes(child)
    elif isinstance(tree, list):
        for child in tree:
            yield from nodes(child)


def split_header(content: str) -> tuple[dict[str, str], str]:
    """Split a file of sql/ into the keys and text of its header, and the SELECT after it."""
    lines = content.splitlines(keepends=True)
    n_lines = next((n for n, line in enumerate(lines) if not line.startswith("--")), len(lines))
    header: dict[str, str] = {}
    key = ""
    for line in lines[:n_lines]:
        body = line.removeprefix("--")
        name, colon, value = body.strip().partition(":")
        # A continuation line is indented to the column of the values.
        if colon and not body.startswith("    ") and name.isalpha():
            key = name
            header[key] = value.strip()
        else:
            header[key] = f"{header[key]} {body.strip()}"
    return header, "".join(lines[n_lines:])


@functools.cache
def _read_files(root: Path) -> tuple[View, ...]:
    # Files deeper, in sql/statements, are not views.
    views = tuple(_parse(path) for path in sorted(root.glob("*/*.sql")))
    names = [view.name for view in views]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise TrackerError(f"two files of sql/ define the same view: {', '.join(twice)}")
    texts = {view.name: split_header(view.select)[1].strip() for view in views}
    return tuple(_inlined(view, texts) for view in views)


def _inlined(view: View, texts: Mapping[str, str]) -> View:
    """Return a view with the SELECTs of the views it `Inlines` as CTEs after its own.

    They read its own CTEs in place of the views of those names, so that one formula serves rows
    from elsewhere. Raises TrackerError where there is no such view.
    """
    if "Inlines" not in view.header:
        return view
    names = [name.strip() for name in view.header["Inlines"].split(",")]
    if missing := [name for name in names if name not in texts]:
        raise TrackerError(f"{view.name}: there is no view {', '.join(missing)} to inline")
    # CTEs are indented: what begins a line is the query itself.
    ctes, query = re.split(r"\n\n(?=select\b|from\b)", view.select, maxsplit=1)
    inlined = [f"{name} as (\n{texts[name]}\n)" for name in names]
    select = ",\n\n".join([ctes, *inlined]) + "\n\n" + query
    return replace(view, select=select, sha256=hashlib.sha256(select.encode()).hexdigest())


def _parse(path: Path) -> View:
    content = path.read_text(encoding="utf-8")
    header, _ = split_header(content)
    if "Title" not in header or "Grain" not in header:
        raise TrackerError(f"{path.name}: the header needs at least a Title and a Grain")
    if path.parent.name != CHECKS:
        # A view is defined under its own name, unless the header says where else.
        header.setdefault("Source", f"docs/metrics.md#{path.stem}")
    return View(
        name=path.stem,
        section=path.parent.name,
        header=header,
        select=content,
        sha256=hashlib.sha256(content.encode()).hexdigest(),
    )
