"""Reads the rows of a report's sections as mappings, by the view they come from."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tracker.rows import Rows

Record = Mapping[str, Any]


class Titled(Protocol):
    """A section: the rows of one view with the view's own words."""

    @property
    def view(self) -> str:
        """The view's name."""

    @property
    def rows(self) -> Rows:
        """The view's rows for what is reported."""


def records(sections: Sequence[Titled], view: str, **keys: Any) -> list[Record]:
    """Return the rows of a view's section with these values, none if there is no such section."""
    return [
        record
        for section in sections
        if section.view == view
        for record in (
            dict(zip(section.rows.columns, row, strict=True)) for row in section.rows.values
        )
        if all(record.get(name) == value for name, value in keys.items())
    ]


def first(sections: Sequence[Titled], view: str, **keys: Any) -> Record:
    """Return the first of those rows, an empty one if there is none."""
    return next(iter(records(sections, view, **keys)), {})


def rows_of(sections: Sequence[Titled], view: str) -> Rows:
    """Return the rows of a view's section; raises KeyError if there is no such section."""
    for section in sections:
        if section.view == view:
            return section.rows
    raise KeyError(view)


def only(rows: Rows, **keys: Any) -> Rows:
    """Return the rows with these values, without the columns that then say nothing."""
    chosen = [name for name in keys if name in rows.columns]
    kept = [index for index, name in enumerate(rows.columns) if name not in chosen]
    at = {name: rows.columns.index(name) for name in chosen}
    return Rows(
        [rows.columns[index] for index in kept],
        [
            tuple(row[index] for index in kept)
            for row in rows.values
            if all(row[at[name]] == keys[name] for name in chosen)
        ],
    )
