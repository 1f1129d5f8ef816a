"""Exports the results of a store as a Frictionless Data Package, which dashboards and dbt read.

The folder has a file for each view, and the meaning of every column.
"""

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, text

from tracker import formulas, replacing, schema, store
from tracker.errors import InputRefused
from tracker.files import json_file, streams
from tracker.progress import Progress, silent
from tracker.rows import ExportFormat
from tracker.store import catalog, dictionary
from tracker.store.state import scope

PACKAGE = "datapackage.json"
_NAME = "tracker-results"
_PROFILE = "data-package"
# Tables exported because results refer to their rows by number, with the key of a row.
_TABLES = {
    schema.slate: ("slate_id",),
    schema.disease: ("disease_id",),
    schema.drug: ("drug_id",),
    schema.prediction: ("slate_id", "disease_id", "drug_id"),
}
_MEDIA_TYPES = {"parquet": "application/vnd.apache.parquet", "csv": "text/csv"}
# The Table Schema type of each DuckDB type; others are strings.
TABLE_SCHEMA_TYPES = {
    "BIGINT": "integer",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "DOUBLE": "number",
    "INTEGER": "integer",
    "SMALLINT": "integer",
    "TIMESTAMP WITH TIME ZONE": "datetime",
}


@dataclass(frozen=True)
class Exported:
    """The numbers of files and rows of an export, without the package's own files."""

    n_files: int
    n_rows: int


@dataclass(frozen=True)
class _Source:
    """A result or table to export, with the columns that identify a row."""

    name: str
    title: str
    topic: str
    grain: Sequence[str]


def export(
    db: Path,
    folder: Path,
    form: ExportFormat = "parquet",
    *,
    as_of: datetime | None = None,
    progress: Progress = silent,
) -> Exported:
    """Write every result of all slates of a store to a folder, all of it or nothing.

    An absent or empty folder is filled, an earlier export replaced. `as_of` leaves out what was
    recorded later. Raises InputRefused if the folder has anything else, and TrackerError if it
    cannot be written.
    """
    sources = [*_tables(), *_results()]
    with (
        replacing.folder(folder, _refuse_foreign_content) as staged,
        store.reader(db, as_of=as_of, writes_to=staged) as connection,
        scope.of_views(connection, *(view.name for view in catalog.listed())),
    ):
        connection.exec_driver_sql(formulas.HARMLESS)
        described = []
        for number, source in enumerate(sources, start=1):
            progress(f"exporting {source.name} ({number} of {len(sources)})")
            described.append(_write(connection, source, staged, form))
        _write_columns(described, staged)
        _write_package(described, staged)
    return Exported(len(described), sum(one["rows"] for one in described))


def _tables() -> list[_Source]:
    return [
        _Source(table.name, str(table.comment), "Tables", grain) for table, grain in _TABLES.items()
    ]


def _results() -> list[_Source]:
    return [
        _Source(view.name, view.header["Title"], str(view.topic), view.grain)
        for view in catalog.listed()
    ]


def _write(
    connection: Connection, source: _Source, folder: Path, form: ExportFormat
) -> dict[str, Any]:
    """Write a source's rows in the order of its grain; return the resource of the package."""
    path = folder / f"{source.name}.{form}"
    described = [*connection.exec_driver_sql(f"describe from {source.name}")]
    columns = {row.column_name: row.column_type for row in described}
    cells = [
        f'harmless(cast("{name}" as varchar)) as "{name}"'
        if form == "csv" and kind not in TABLE_SCHEMA_TYPES
        else f'"{name}"'
        for name, kind in columns.items()
    ]
    rows = sa.select(sa.text(", ".join(cells))).select_from(sa.table(source.name))
    ordered = rows.order_by(*(sa.column(name).nulls_first() for name in source.grain))
    options = "format parquet" if form == "parquet" else "format csv, header"
    statement = text(f"copy ({ordered}) to :path ({options})")
    n_rows = connection.execute(statement, {"path": str(path)}).scalar_one()
    meanings = dictionary.columns()
    return {
        "name": source.name,
        "path": path.name,
        "title": source.title,
        "topic": source.topic,
        "format": form,
        "mediatype": _MEDIA_TYPES[form],
        "encoding": "utf-8",
        "bytes": path.stat().st_size,
        "hash": f"sha256:{streams.sha256_of(path)}",
        "rows": n_rows,
        "schema": {
            "fields": [
                {
                    "name": name,
                    "type": TABLE_SCHEMA_TYPES.get(kind, "string"),
                    "description": meanings[name].meaning,
                    "unit": meanings[name].unit,
                }
                for name, kind in columns.items()
            ],
            # Together they identify a row; some may be missing, which a primaryKey excludes.
            "grain": [*source.grain],
        },
    }


def _write_columns(resources: Sequence[dict[str, Any]], folder: Path) -> None:
    found = {
        field["name"]: (field["name"], field["description"], field["unit"])
        for resource in resources
        for field in resource["schema"]["fields"]
    }
    with (folder / dictionary.FILE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("column", "meaning", "unit"))
        writer.writerows(found[name] for name in sorted(found))


def _write_package(resources: Sequence[dict[str, Any]], folder: Path) -> None:
    package = {
        "profile": _PROFILE,
        "name": _NAME,
        "title": "Results of frozen drug-disease predictions",
        "description": "The tables that name slates, pairs, diseases and drugs, and the rows of "
        "every result for all slates. docs/metrics.md defines the results.",
        "resources": resources,
    }
    content = json.dumps(package, indent=1, ensure_ascii=False)
    (folder / PACKAGE).write_text(f"{content}\n", encoding="utf-8")


def _refuse_foreign_content(folder: Path) -> None:
    """Refuse a folder whose replacement would remove more than an earlier export."""
    content = sorted(folder.iterdir()) if folder.is_dir() else []
    if not content:
        return
    try:
        package = json_file.read(folder / PACKAGE, "a data package")
        is_own = isinstance(package, dict) and package.get("name") == _NAME
        resources = package.get("resources", []) if is_own else []
        own = {PACKAGE, dictionary.FILE, *(str(one["path"]) for one in resources)}
    except (InputRefused, TypeError, KeyError):
        is_own = False
    if not is_own:
        raise InputRefused(f"{folder}: is not empty and contains no earlier export")
    others = [path.name for path in content if path.name not in own or not path.is_file()]
    if others:
        raise InputRefused(
            f"{folder}: contains more than an earlier export: {', '.join(others[:5])}"
        )
