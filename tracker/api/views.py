"""The views of tracker, the same in every store: what each is, its columns, its SQL."""

from typing import Any, NamedTuple

from tracker.errors import no_such
from tracker.rows import Rows
from tracker.store import building, catalog, dictionary


class Described(NamedTuple):
    """A view: its header, its columns with their meanings, and its SQL without the header."""

    facts: dict[str, Any]
    columns: Rows
    sql: str
    query: str


def described(name: str | None) -> Described | None:
    """Return the view of that name, None if there is none."""
    view = next((one for one in catalog.read_views() if one.name == name), None)
    if view is None:
        return None
    header = {key.lower(): value for key, value in view.header.items()}
    meanings = dictionary.columns()
    columns = [
        (column, kind, meanings[column].meaning, meanings[column].unit)
        for column, kind in building.columns_of(view)
    ]
    return Described(
        {"view": view.name, **header, "section": view.section},
        Rows(["column", "type", "meaning", "unit"], columns),
        view.select,
        catalog.split_header(view.select)[1],
    )


def listed(wanted: str = "", *, with_steps: bool = False) -> Rows:
    """Return results by topic, then steps if asked or if no result matches `wanted`.

    Raises InputRefused if no view does.
    """
    found = catalog.listed(wanted, with_steps=with_steps)
    found = found or catalog.listed(wanted, with_steps=True)
    if not found:
        raise no_such(
            "view", wanted, [one.name for one in catalog.read_views()], "see 'tracker view'"
        )
    values = [(v.topic, v.name, *map(v.header.get, ("Title", "Grain", "Units"))) for v in found]
    return Rows(["topic", "view", "title", "grain", "units"], values)
