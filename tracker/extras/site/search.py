"""The search index: slates by name and model, drugs and diseases by all their names."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row

from tracker.extras.site.files import Files
from tracker.extras.site.layout import FOLDERS
from tracker.extras.site.slate_pages import Summary
from tracker.extras.site.study_pages import Study
from tracker.reports import words
from tracker.store import statements


def write(
    connection: Connection,
    files: Files,
    entities: Sequence[Row[Any]],
    summaries: Sequence[Summary],
    studies: Iterable[Study],
) -> None:
    """Write a line per page: folder, file, name, other identifiers, further names."""
    rows: list[list[Any]] = [
        ["slates", one.slate_id, _shown(one.title), _shown(one.model_version), []]
        for one in summaries
    ]
    for study in studies:
        folder, _, name = study.path.removesuffix(".html").rpartition("/")
        rows.append([folder, name, _shown(study.title), "", []])
    rows += _entities(connection, entities)
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    files.write("assets/names.js", "searchNames([\n" + ",\n".join(lines) + "\n]);\n")


def _entities(connection: Connection, entities: Sequence[Row[Any]]) -> Iterator[list[Any]]:
    aliases = {
        key: [_shown(row.value) for row in group]
        for key, group in groupby(
            statements.run(connection, "listed_alias"),
            key=lambda row: (row.entity_kind, row.entity_id),
        )
    }
    for one in entities:
        further = aliases.get((one.entity_kind, one.entity_id), [])
        folder = FOLDERS[one.entity_kind]
        yield [folder, one.entity_id, _shown(one.name), _shown(one.identifier or ""), further]


def _shown(text: str) -> str:
    return words.short(words.printable(text))
