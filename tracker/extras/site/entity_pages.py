"""A page per disease and per drug: the predictions of slates and their outcomes."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Row, text

from tracker.extras.site.files import Files
from tracker.extras.site.layout import (
    FOLDERS,
    ROWS_PER_PAGE,
    Kind,
    Site,
    entity_path,
    numbered,
    pager,
    root_of,
    slate_path,
)
from tracker.reports import words
from tracker.reports.pages.page import Check, KeyFigure, Link, Listing, Page, Panel
from tracker.reports.words import count
from tracker.rows import Rows
from tracker.store import statements

_OTHER: dict[Kind, Kind] = {"disease": "drug", "drug": "disease"}


_REPLAY = " (a replay)"

_SHOWN = (
    "rank",
    "tier",
    "score",
    "known_label",
    "known_max_phase",
    "due_date",
    "status",
    "evidence",
)


def read(connection: Connection) -> list[Row[Any]]:
    """Return every drug and disease that a slate predicts, by kind and name."""
    return list(statements.run(connection, "listed_entity"))


def names(entities: Iterable[Row[Any]]) -> dict[Kind, dict[str, int]]:
    """Return, by kind, the id of each name that only one of the entities has."""
    found: dict[Kind, dict[str, int]] = {kind: {} for kind in FOLDERS}
    shared: set[tuple[Kind, str]] = set()
    for one in entities:
        if found[one.entity_kind].setdefault(one.name, one.entity_id) != one.entity_id:
            shared.add((one.entity_kind, one.name))
    for kind, name in shared:
        del found[kind][name]
    return found


def write(
    connection: Connection, files: Files, site: Site, kind: Kind, entities: Sequence[Row[Any]]
) -> None:
    """Write the page of each entity of a kind, in two passes over the store for all of them."""
    known = {one.entity_id: one for one in entities if one.entity_kind == kind}
    links = _links(_OTHER[kind], entities)
    titles = {
        str(row.slate_id): _slate_title(row)
        for row in connection.execute(text("select slate_id, description, is_replay from slate"))
    }
    figures: dict[int, list[Row[Any]]] = {}
    for row in statements.run(connection, f"{kind}_figure"):
        figures.setdefault(row.entity_id, []).append(row)
    # Fetched by the thousand and grouped by column position: singly, a million rows take seconds.
    result = statements.run(connection, "entity_prediction", {"kind": kind})
    place = list(result.keys()).index("entity_id")
    fetched = chain.from_iterable(result.partitions(10_000))
    for entity_id, rows in groupby(fetched, itemgetter(place)):
        _write_one(
            files, site, kind, known[entity_id], list(rows), figures[entity_id], titles, links
        )


def _links(kind: Kind, entities: Iterable[Row[Any]]) -> dict[int, Link]:
    """Return the link to each entity of this kind from a page of the other kind.

    Links are made once, since the pages of a million predictions repeat each many times.
    """
    root = root_of(entity_path(_OTHER[kind], 0))
    return {
        one.entity_id: Link(one.name, root + entity_path(kind, one.entity_id))
        for one in entities
        if one.entity_kind == kind
    }


def _write_one(
    files: Files,
    site: Site,
    kind: Kind,
    entity: Row[Any],
    predictions: list[Row[Any]],
    figures: list[Row[Any]],
    titles: dict[str, str],
    links: dict[int, Link],
) -> None:
    parts = [
        predictions[start : start + ROWS_PER_PAGE]
        for start in range(0, len(predictions), ROWS_PER_PAGE)
    ]
    stem = entity_path(kind, entity.entity_id).removesuffix(".html")
    for number, part in enumerate(parts, start=1):
        path = entity_path(kind, entity.entity_id, number)
        page = _page(path, kind, entity, number, figures, titles)
        page.listings.extend(_listings(kind, part, titles, links))
        files.write(path, site.render(path, page, pager=pager(stem, number, len(parts))))


def _page(
    path: str,
    kind: Kind,
    entity: Row[Any],
    number: int,
    figures: list[Row[Any]],
    titles: dict[str, str],
) -> Page:
    identifier = f"{entity.identifier}. " if entity.identifier else ""
    of_list = "" if number == 1 else f"; part {number} of the list"
    # A description may contain the words of the mark; the identifier before it cannot.
    of_replays = any(
        titles[str(row.slate_id)].startswith(f"slate {str(row.slate_id)[:8]}{_REPLAY}")
        for row in figures
    )
    return Page(
        kicker=kind.title(),
        title=entity.name,
        subtitle=f"{identifier}Predicted by {count(entity.n_slates, 'slate')}{of_list}.",
        key_figures=[
            KeyFigure("predictions", f"{entity.n_predictions:,}", "over all slates"),
            KeyFigure(
                "prospective hits",
                f"{entity.n_prospective_hits:,}",
                "events after the freeze and first public after it"
                + (", replays among them" if of_replays else ""),
            ),
        ],
        panels=[_figures(path, kind, figures, titles)] if number == 1 else [],
        checks=[
            Check(
                "Every figure again, from the store.",
                f'tracker sql "from {kind}_performance where {kind}_id = {entity.entity_id}"',
            )
        ],
    )


def _figures(path: str, kind: Kind, rows: list[Row[Any]], titles: dict[str, str]) -> Panel:
    columns = [name for name in rows[0]._fields if name not in ("entity_id", "slate_id")]
    table = Rows(
        ["slate", *columns],
        [
            (
                Link(titles[str(row.slate_id)], root_of(path) + slate_path(row.slate_id)),
                *[getattr(row, name) for name in columns],
            )
            for row in rows
        ],
    )
    return Panel(
        f"{kind}_performance",
        "Slate by slate",
        "",
        "The window 'all' counts events of any date, 'prospective' those dated after the freeze "
        f"and first public after it. No interval is computed for one {kind}: the predictions are "
        "too few. A hit is clinical activity; it does not prove that a drug works.",
        table.without_empty("reason"),
    )


def _listings(
    kind: Kind, rows: list[Row[Any]], titles: dict[str, str], links: dict[int, Link]
) -> Iterator[Listing]:
    # Reading a million rows by column name took a fifth of the time of their pages.
    places = {name: number for number, name in enumerate(rows[0]._fields)}
    number = places["other_id"]
    shown = itemgetter(*[places[column] for column in _SHOWN])
    for slate_id, group in groupby(rows, itemgetter(places["slate_id"])):
        yield Listing(
            f"slate-{slate_id}",
            f"Predictions of {titles[slate_id]}",
            "By rank, with what was known of the pair at the freeze, the date by which the "
            "prediction's criterion must be met, and the evidence on record.",
            Rows(
                [f"{_OTHER[kind]}_name", *_SHOWN],
                [(links[row[number]], *shown(row)) for row in group],
            ),
        )


def _slate_title(slate: Row[Any]) -> str:
    name = f"slate {str(slate.slate_id)[:8]}{_REPLAY if slate.is_replay else ''}"
    described = words.short(words.printable(slate.description))
    return f"{name}: {described}" if described else name


def write_lists(files: Files, site: Site, entities: Sequence[Row[Any]]) -> None:
    """Write the lists of all diseases and all drugs, by name."""
    for kind, folder in FOLDERS.items():
        found = [one for one in entities if one.entity_kind == kind]
        starts = range(0, len(found), ROWS_PER_PAGE) or range(1)
        for number, start in enumerate(starts, start=1):
            stem = f"{folder}/index"
            path = numbered(stem, number)
            part = found[start : start + ROWS_PER_PAGE]
            page = _list_page(path, kind, len(found), part)
            files.write(path, site.render(path, page, pager=pager(stem, number, len(starts))))


def _list_page(path: str, kind: Kind, n_entities: int, part: Sequence[Row[Any]]) -> Page:
    root = root_of(path)
    columns = ["identifier", "n_slates", "n_predictions", "n_prospective_hits"]
    rows = [
        (
            Link(one.name, root + entity_path(kind, one.entity_id)),
            *[getattr(one, name) for name in columns],
        )
        for one in part
    ]
    heading = FOLDERS[kind].title()
    return Page(
        kicker="Track record",
        title=heading,
        subtitle=f"{count(n_entities, kind)} with predictions, by name.",
        listings=[
            Listing(
                FOLDERS[kind],
                f"{heading} by name",
                "A pair that two slates predict counts in both.",
                Rows([f"{kind}_name", *columns], rows),
            )
        ],
    )
