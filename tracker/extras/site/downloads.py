"""The downloads of a site: each slate as an export and as CSV, and the scoreboard."""

import json
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

from tracker import formulas, schema
from tracker.extras.site import datasets
from tracker.extras.site.files import Files
from tracker.reports import exporting, parquet
from tracker.rows import Rows, rows_from, to_csv
from tracker.slates import exports
from tracker.store import statements

SCOREBOARD = "downloads/scoreboard"
SLATES = "downloads/slates"

_SCOREBOARD_TO_PARQUET = text(
    "copy (select * from scoreboard order by scoreboard_id) to :path (format parquet)"
)

FORMATS = {
    ".csv": ("csv", "text/csv"),
    ".json": ("json", "application/json"),
    ".parquet": ("parquet", "application/vnd.apache.parquet"),
    ".pem": ("pem", "application/x-pem-file"),
    ".tsr": ("tsr", "application/timestamp-reply"),
}


def folder_of(slate_id: Any) -> str:
    """Return the path of a slate's folder of downloads."""
    return f"downloads/{slate_id}"


def write_slate(connection: Connection, files: Files, slate: Row[Any]) -> None:
    """Write a slate in the form that `tracker slate import` reads, and its tables also as CSV."""
    folder = folder_of(slate.slate_id)
    place = files.folder / folder
    place.mkdir(parents=True)
    exports.write(connection, slate, place)
    connection.exec_driver_sql(formulas.HARMLESS)
    for stem in ("prediction", "outcome"):
        source = {"source": str(place / f"{stem}s.parquet")}
        statements.write_file(connection, f"harmless_{stem}", place / f"{stem}s.csv", "csv", source)
    files.adopt_folder(folder)


def write_scoreboard(connection: Connection, files: Files) -> None:
    """Write every published row of the slates' figures, with its hash."""
    table = schema.scoreboard
    found = rows_from(connection.execute(sa.select(table).order_by(table.c.scoreboard_id)))
    files.write(f"{SCOREBOARD}.csv", to_csv(found.columns, found.values))
    place = files.place(f"{SCOREBOARD}.parquet")
    connection.execute(_SCOREBOARD_TO_PARQUET, {"path": str(place)})
    files.adopt(f"{SCOREBOARD}.parquet")


def write_slates(files: Files, slates: Rows) -> None:
    """Write a row per slate, as CSV and Parquet."""
    files.write(f"{SLATES}.csv", to_csv(slates.columns, slates.values))
    parquet.write(slates, files.place(f"{SLATES}.parquet"))
    files.adopt(f"{SLATES}.parquet")


def listed(files: Files) -> Rows:
    """Return the downloads written so far, with their sizes and hashes."""
    return Rows(
        ["file", "bytes", "sha256"],
        [
            (path, one["bytes"], one["sha256"])
            for path, one in files.listing().items()
            if path.startswith("downloads/")
        ],
    )


def write_metadata(connection: Connection, files: Files, created: str) -> None:
    """Write datapackage.json (Frictionless) and croissant.json, which describe the downloads."""
    resources = []
    for path, one in files.listing().items():
        suffix = Path(path).suffix
        if not path.startswith("downloads/") or suffix not in FORMATS:
            continue
        form, mediatype = FORMATS[suffix]
        resource: dict[str, Any] = {
            "name": path.removeprefix("downloads/").replace("/", "-").replace(".", "-"),
            "path": path,
            "format": form,
            "mediatype": mediatype,
            "encoding": "utf-8",
            "bytes": one["bytes"],
            "hash": f"sha256:{one['sha256']}",
        }
        if suffix == ".parquet":
            types = columns_of(connection, files.folder / path)
            resource["schema"] = {
                "fields": [
                    {"name": name, "type": exporting.TABLE_SCHEMA_TYPES.get(kind, "string")}
                    for name, kind in types.items()
                ]
            }
        resources.append(resource)
    package = {
        "profile": "data-package",
        "name": "track-record",
        "title": "Track record of frozen drug-disease predictions",
        "description": "Frozen slates of predictions, what has happened to each pair since, and "
        "the figures that were published at each update.",
        "created": created,
        "resources": resources,
    }
    for name, document in (
        ("datapackage.json", package),
        ("croissant.json", datasets.croissant(package)),
    ):
        files.write(name, json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def columns_of(connection: Connection, path: Path) -> dict[str, str]:
    """Return the columns of a Parquet file with their DuckDB types."""
    described = text("describe select * from read_parquet(:path)")
    rows = connection.execute(described, {"path": str(path)})
    return {row.column_name: row.column_type for row in rows}
