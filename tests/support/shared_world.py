"""Golden cases in one store: what their views read is planned and computed once for all of them.

Nearly all the time of a case goes into that, whatever the number of rows. The second case has two
millions added to each id, of slates too, the third three, and so on: no row of one meets a row of
another. A case gets those rows of its view whose first id lies in its million, with its own ids.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import worlds
from golden_case import Case
from golden_view import VIEWS, clear_cutoffs, computed_below, named
from sqlalchemy.exc import DBAPIError
from worlds import Row, World

from tracker.store import catalog

_SPAN = 1_000_000

_SECTIONS = ("prospective", "retrospective")
# Which count for every slate or evaluation: cases share a store if theirs agree.
_COMMON = ("cutoff", "release")
# Whose rows ids alone tell apart; those of evidence are matched by texts.
_TABLES = frozenset(
    (
        "slate",
        "prediction",
        "candidate_set",
        "candidate",
        "label_set",
        "labeled_pair",
        "outcome",
        "evaluation",
        "ranker_run",
        "loo_trial",
        "temporal_score",
    )
)
# Compared by the name of its model with every slate.
_OF_ALL_SLATES = "same_model_slate"
# Shows texts that worlds.py makes of ids.
_OF_TEXTS = "prediction_line"


@dataclass(frozen=True)
class Together:
    """The rows of each case by its name; none after an error, which one view can cause for all."""

    rows: dict[str, list[Row]]
    error: str = ""


def can_share(case: Case) -> bool:
    """Whether a case's rows are the same in a store that has worlds of other cases, too."""
    view = VIEWS[case.view]
    read = {view.name, *catalog.read_below(view)}
    return (
        view.section in _SECTIONS
        and view.grain[0].endswith("_id")
        and case.as_of is None
        and case.detected_at is None
        and case.given.keys() <= _TABLES.union(_COMMON)
        and read.isdisjoint((_OF_ALL_SLATES, _OF_TEXTS))
        and {_number(one) for one in _ids(case.world())} == {0}
    )


def read_together(path: Path, cases: Sequence[Case]) -> Together:
    """Return what the views of these cases have for each; the store is left as it was."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        releases = worlds.complete(case.world())["release"]
        groups.setdefault(str([case.given.get("cutoff"), releases]), []).append(case)
    try:
        found = [_read(path, group) for group in groups.values()]
    except DBAPIError as error:
        return Together({}, str(error))
    return Together({name: rows for group in found for name, rows in group.items()})


def _read(path: Path, cases: Sequence[Case]) -> dict[str, list[Row]]:
    """Return the rows of each case; those of the common tables agree."""
    views = {case.view for case in cases}
    with worlds.scratch(path) as connection:
        clear_cutoffs(connection, cases[0])
        for number, case in enumerate(cases, start=1):
            worlds.insert(connection, _world(case, number), skip=_COMMON if number > 1 else ())
        with computed_below(connection, *views):
            found = {view: worlds.view_rows(connection, view) for view in views}
    return {
        named(case): _of_case(found[case.view], VIEWS[case.view].grain[0], number)
        for number, case in enumerate(cases, start=1)
    }


def _of_case(rows: Sequence[Row], key: str, number: int) -> list[Row]:
    """Return the rows of a case with its own ids, and those that are of no case."""
    return [_given_back(row, number) for row in rows if _number(row[key]) in (number, 0)]


def _world(case: Case, number: int) -> World:
    """Return a case's complete world with the ids of its number.

    Those that are given are moved first, for texts to be made of them, then those that are added.
    """
    return _moved(worlds.complete(_moved(case.world(), number)), number)


def _moved(world: World, number: int) -> World:
    return {
        table: [
            {
                name: _plus(value, number) if _is_id(name, value) and not _number(value) else value
                for name, value in row.items()
            }
            for row in rows
        ]
        for table, rows in world.items()
    }


def _given_back(row: Row, number: int) -> Row:
    """Return a row with the ids that its case was given; an id of another case stays as it is."""
    own = {
        name: _plus(value, -number)
        for name, value in row.items()
        if _is_id(name, value) and _number(value) == number
    }
    return worlds.flat(row | own)


def _ids(world: World) -> list[int | UUID]:
    return [
        value
        for rows in world.values()
        for row in rows
        for name, value in row.items()
        if _is_id(name, value)
    ]


def _is_id(name: str, value: object) -> bool:
    return name.endswith("_id") and name != "release_id" and isinstance(value, int | UUID)


def _number(value: int | UUID | None) -> int:
    """Return the number of the case in whose million an id lies, 0 if it is of no case."""
    return 0 if value is None else int(value) // _SPAN


def _plus(value: int | UUID, number: int) -> int | UUID:
    moved = int(value) + number * _SPAN
    return UUID(int=moved) if isinstance(value, UUID) else moved
