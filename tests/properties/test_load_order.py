"""Figures do not depend on the order in which files were loaded, nor on what else was.

Scores are constant or heavily tied, so that whatever follows the ids shows. Rows are compared by
the names of their drugs and diseases, numbers to a relative 1e-12.
"""

import contextlib
import itertools
import math
import shutil
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection
from support import sampled

from tracker import clock, slates, store
from tracker.extras.retrospective import evaluations
from tracker.slates import freezing, loads, outcomes
from tracker.store import catalog, statements
from tracker.store.state import scope
from tracker.uncertainty import estimates

pytestmark = pytest.mark.slow

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
FROZEN_ON = date(2024, 1, 1)
DISEASES = [f"disease {n}" for n in range(1, 9)]
DRUGS = [f"drug {n:02}" for n in range(1, 41)]
TOP_K = 15
RANKERS = ("random", "cf", "popularity")

# Views of these sections say what files and releases are in the store: ids are their content.
SECTIONS = ("prospective", "retrospective")

# What names sets, hashes and instants: the sets that were loaded differ, and their numbers.
_NOT_FIGURES = {
    "candidate_set_id",
    "label_set_id",
    "outcome_id",
    "event_id",
    "release_id",
    "estimate_id",
    "list_number",
    "model_version",
    "recorded_at",
    "observed_at",
}


def _hash(*parts: object) -> int:
    """Return a number that looks random and is the same in every run."""
    return int.from_bytes(
        uuid.uuid5(uuid.NAMESPACE_OID, "|".join(map(str, parts))).bytes[:4], "big"
    )


def _pairs() -> list[tuple[str, str]]:
    return [(d, g) for d, g in itertools.product(DISEASES, DRUGS) if _hash(g, d, "in") % 9]


def _candidates(kind: str) -> str:
    """Return a file in which scores are all equal, of four values, or equal in every disease."""
    rows = []
    for d, g in _pairs():
        scores = {
            "constant": 0.5,
            "heavily tied": (_hash(d, g) % 4) / 4,
            "of the drug": (_hash(g) % 12) / 12,
        }
        rows.append(f"{d},{g},{scores[kind]}")
    return "\n".join(["disease_name,drug_name,score", *rows])


def _labels() -> str:
    rows = [
        f"{d},{g},{_hash(d, g, 'label') % 5},{2000 + _hash(d, g) % 24}"
        for d, g in itertools.product(reversed(DISEASES), reversed(DRUGS))
        if _hash(d, g, "known") % (3 + DRUGS.index(g) // 4) == 0
    ]
    header = "disease_name,drug_name,label,approval_year"
    rows = [row if row.split(",")[2] == "4" else row[: row.rindex(",") + 1] for row in rows]
    return "\n".join([header, *rows])


def _others() -> str:
    """Return a file that names the same drugs and diseases in another order, and further ones."""
    pairs = itertools.product(["ague", *DISEASES[::-2]], ["zinc", *DRUGS[::-3], *DRUGS[::5]])
    rows = {
        f"{d},{g},{_hash(d, g, 'other') / 2**32}" for d, g in pairs if (d, g) != ("ague", "zinc")
    }
    by_pair = {row.rsplit(",", 1)[0]: row for row in sorted(rows)}
    return "\n".join(["disease_name,drug_name,score", *by_pair.values()])


def _outcomes() -> str:
    rows = [
        f"{d},{g},trials,phase_advanced,{FROZEN_ON + timedelta(days=_hash(d, g) % 300 + 1)},"
        f"{FROZEN_ON + timedelta(days=_hash(d, g) % 300 + 20)}"
        for d, g in _pairs()
        if _hash(g, d, "came true") % 6 == 0
    ]
    header = "disease_name,drug_name,source,outcome_type,event_date,first_public_on"
    return "\n".join([header, *rows])


ORDERS = [
    *itertools.permutations(["candidates", "labels"]),
    *itertools.permutations(["candidates", "labels", "others"]),
]


class _NotKept(Exception):
    """Ends a writer that leaves the store as it was."""


@contextlib.contextmanager
def _in_common() -> Iterator[None]:
    """Let all stores have the clock and the slate's UUID in common."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uuid, "uuid4", lambda: uuid.UUID(int=7))
        patch.setattr(clock, "read", lambda: NOW)
        yield


def _fill(path: Path, folder: Path, order: tuple[str, ...]) -> None:
    """Load the files in this order into an empty store, make a slate, outcomes, an evaluation."""
    load: dict[str, Callable[[Connection, Path], Any]] = {
        "candidates": lambda connection, file: loads.load_candidates(connection, file, "set", "m"),
        "labels": lambda connection, file: loads.load_labels(connection, file, "known"),
        "others": lambda connection, file: loads.load_candidates(connection, file, "other", "o"),
    }
    with store.writer(path) as connection:
        for name in order:
            load[name](connection, folder / f"{name}.csv")
        frozen = freezing.freeze(
            connection,
            candidates="set",
            labels="known",
            top_k=TOP_K,
            replay_as_of=FROZEN_ON,
        )
        row = slates.find(connection, str(frozen.slate.slate_id))
        outcomes.load(connection, folder / "outcomes.csv", row)
        evaluations.create(connection, candidates="set", labels="known")


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store that was made at the instant of all others."""
    path = tmp_path_factory.mktemp("empty") / "store.duckdb"
    with _in_common(), store.writer(path):
        pass
    return path


@pytest.fixture(scope="module", params=sampled(["constant", "heavily tied", "of the drug"], 3))
def stores(
    request: pytest.FixtureRequest, empty: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, ...], Path]:
    """A store for each order of loading, which no test changes."""
    folder = tmp_path_factory.mktemp("orders")
    files = {
        "candidates": _candidates(request.param),
        "labels": _labels(),
        "others": _others(),
        "outcomes": _outcomes(),
    }
    for name, content in files.items():
        (folder / f"{name}.csv").write_text(content + "\n", encoding="utf-8")
    made = {}
    for order in ORDERS:
        made[order] = Path(shutil.copy(empty, folder / f"{'-'.join(order)}.duckdb"))
        with _in_common():
            _fill(made[order], folder, order)
    return made


@pytest.fixture(scope="module")
def readers(stores: dict[tuple[str, ...], Path]) -> Iterator[dict[tuple[str, ...], Connection]]:
    """A reader of each store, opened once for what asks views and makes nothing."""
    with contextlib.ExitStack() as stack:
        yield {order: stack.enter_context(store.reader(path)) for order, path in stores.items()}


@pytest.fixture(scope="module")
def powered(
    stores: dict[tuple[str, ...], Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, ...], Path]:
    """Copies of the stores in which the power of the slate is recorded, which takes a second."""
    folder = tmp_path_factory.mktemp("powered")
    made = {}
    for order, path in stores.items():
        made[order] = Path(shutil.copy(path, folder / path.name))
        with _in_common(), store.writer(made[order]) as connection:
            (row,) = slates.all_slates(connection)
            estimates.record_power(connection, row, store.now(connection))
    return made


# The ranker, the order of loading: the rows of the list.
RankedLists = dict[str, dict[tuple[str, ...], list[tuple[Any, ...]]]]


@pytest.fixture(scope="module")
def ranked_lists(stores: dict[tuple[str, ...], Path]) -> RankedLists:
    """The list that each ranker's scores give when they are frozen in each store."""
    found: RankedLists = {ranker: {} for ranker in RANKERS}
    for order, path in stores.items():
        with contextlib.suppress(_NotKept), store.writer(path) as connection:
            for ranker in RANKERS:
                name = evaluations.score_candidates(
                    connection, ranker, candidates_of="set", labels="known", seed=3
                )
                frozen = freezing.freeze(connection, candidates=name, labels="known", top_k=TOP_K)
                slate_id = frozen.slate.slate_id
                rows = _rows(connection, "prediction", f"where slate_id = '{slate_id}'")
                found[ranker][order] = [row[1:] for row in rows]
            raise _NotKept
    return found


def _rows(connection: Connection, view: str, condition: str = "") -> list[tuple[Any, ...]]:
    """Return the rows of a view with names in place of keys, sorted."""
    result = connection.exec_driver_sql(f"from {view} {condition}")
    columns = list(result.keys())
    names = {
        f"{entity}_id": {
            row[0]: row[1]
            for row in connection.exec_driver_sql(f"select {entity}_id, name from {entity}")  # noqa: S608 - the test's own
        }
        for entity in ("disease", "drug")
    }
    kept = [n for n, name in enumerate(columns) if name not in _NOT_FIGURES]
    # hit_disease_id names a disease, too.
    entity_of = {n: columns[n].removeprefix("hit_") for n in kept}
    keyed = {n: names[entity] for n, entity in entity_of.items() if entity in names}
    listed = {n: names["disease_id"] for n in kept if columns[n] == "diseases"}
    kind = columns.index("entity_kind") if "entity_id" in columns else None
    rows = []
    for row in result:
        cells = []
        for n in kept:
            cell = row[n]
            if kind is not None and columns[n] == "entity_id":
                cell = names[f"{row[kind]}_id"][cell]
            elif n in keyed:
                cell = keyed[n].get(cell, cell)
            # A variance has a part of that name, which is a number.
            elif n in listed and isinstance(cell, list):
                cell = [listed[n][key] for key in cell]
            cells.append(_plain(cell))
        rows.append(tuple(cells))
    return sorted(rows, key=lambda row: [_sortable(cell) for cell in row])


def _plain(cell: Any) -> Any:
    # Lists are in the order of ids, for sums; what is in them counts.
    return tuple(sorted(cell, key=repr)) if isinstance(cell, list) else cell


def _sortable(cell: Any) -> str:
    # What is nothing but the rounding of a sum is nothing.
    return f"{round(float(cell), 9) + 0.0:.9e}" if isinstance(cell, (float, Decimal)) else str(cell)


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12)
    if isinstance(one, Decimal) and isinstance(other, Decimal):
        # Of numbers that were rounded to 18 places, some one way and some the other.
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-15)
    return bool(one == other)


def _require_same(found: dict[tuple[str, ...], list[tuple[Any, ...]]], what: str) -> None:
    (first_order, first), *others = found.items()
    for order, rows in others:
        assert len(rows) == len(first), (what, first_order, order)
        for one, other in zip(first, rows, strict=True):
            assert _is_same(one, other), f"{what}: {first_order} {one}, {order} {other}"


def _views(*sections: str) -> list[str]:
    return sorted(view.name for view in catalog.read_views() if view.section in sections)


def test_no_figure_of_a_slate_follows_the_order_of_loading(
    powered: dict[tuple[str, ...], Path],
) -> None:
    """Every view of a slate has the same rows, and most of them have some."""
    found: dict[str, dict[tuple[str, ...], list[tuple[Any, ...]]]] = {}
    for order, path in powered.items():
        with store.reader(path) as connection:
            (row,) = slates.all_slates(connection)
            with scope.of_slates(connection, row):
                for view in _views(*SECTIONS):
                    columns = connection.exec_driver_sql(f"from {view} limit 0").keys()
                    own = "slate_id" in columns
                    condition = f"where slate_id = '{row.slate_id}'" if own else ""
                    # What is not of a slate has the other sets, too.
                    if own or len(order) == 2:
                        found.setdefault(view, {})[order] = _rows(connection, view, condition)
    for view, rows in found.items():
        _require_same(rows, view)
    assert sum(bool(rows[ORDERS[0]]) for rows in found.values()) > 50


def test_the_intervals_of_a_slate_do_not_follow_it(powered: dict[tuple[str, ...], Path]) -> None:
    found: dict[tuple[str, ...], list[tuple[Any, ...]]] = {}
    for order, path in powered.items():
        with store.reader(path) as connection:
            (row,) = slates.all_slates(connection)
            with scope.of_slates(connection, row):
                made = estimates.estimate_slate(connection, row)
            power = estimates.stored_power(connection, row)
        figures: list[tuple[Any, ...]] = [
            (
                one.view_name,
                one.metric,
                one.evidence_window,
                one.population,
                one.tier,
                str(one.row_key),
                one.value,
                one.low,
                one.high,
                one.p_value,
                one.reason,
            )
            for one in made
        ]
        found[order] = sorted(figures, key=lambda cells: [_sortable(cell) for cell in cells[:6]])
        found[order] += [(line,) for line in power]
    _require_same(found, "estimates")


def test_the_frozen_lines_do_not_follow_it(readers: dict[tuple[str, ...], Connection]) -> None:
    frozen = set()
    for connection in readers.values():
        (row,) = slates.all_slates(connection)
        key = {"slate_id": str(row.slate_id)}
        lines = statements.run(connection, "canonical_line", key).scalars().all()
        frozen.add((tuple(lines), str(freezing.ties(connection, row))))
    # The hash of the header is another: it covers the numbers of the store's aliases.
    assert len(frozen) == 1


@pytest.mark.parametrize("view", ["auc", "ndcg_by_disease", "ndcg_at_k"])
def test_no_figure_of_an_evaluation_follows_it(
    readers: dict[tuple[str, ...], Connection], view: str
) -> None:
    _require_same({order: _rows(reader, view) for order, reader in readers.items()}, view)


@pytest.mark.parametrize("ranker", RANKERS)
def test_no_list_of_a_ranker_follows_it(ranked_lists: RankedLists, ranker: str) -> None:
    _require_same(ranked_lists[ranker], ranker)
