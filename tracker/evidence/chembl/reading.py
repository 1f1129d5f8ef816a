"""Reads drug indications, molecules, their names and warnings from a release of ChEMBL.

A release is an official SQLite dump (or the .tar.gz it comes in), any database that SQLAlchemy
reaches, or the indications as the web service returns them: a table, or its pages. Everything is
read into temporary tables; tracker.evidence checks and stores it.
"""

import contextlib
import re
import sqlite3
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, Select
from sqlalchemy.pool import NullPool

from tracker import files, scratch, temp_tables
from tracker.errors import InputRefused
from tracker.evidence.chembl import web_service
from tracker.evidence.chembl.tables import (
    STAGED_INDICATION,
    STAGED_KEY,
    STAGED_MOLECULE,
    STAGED_NAME,
    STAGED_REFERENCE,
    STAGED_WARNING,
    Edition,
    Tables,
)
from tracker.files import archives
from tracker.files.archives import Stamp

_CHUNK_ROWS = 50_000
# Control characters that separate rows and cells and represent NULL.
_ROW_END, _NULL, _CELL_END = "\x1d", "\x1e", "\x1f"
_TABLE_SUFFIXES = (".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson", ".gz")
# Where a driver's package is named differently from its module, or needs another library.
_PACKAGES = {
    "MySQLdb": "mysqlclient",
    "mysql": "mysql-connector-python",
    "psycopg": "psycopg[binary]",
    "psycopg2": "psycopg2-binary",
}
# The rows that are read have some hundred bytes each, and all rows of a table some 100 MB.
_MOST_BYTES_OF_A_ROW, _MOST_BYTES_OF_A_TABLE = 10_000_000, 1 << 28
_SQLITE_MAGIC = b"SQLite format 3\x00"
# What reading needs: views and triggers of a file cannot make SQLite do anything else.
_ALLOWED_ACTIONS = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_TRANSACTION,
}
_ALLOWED_PRAGMAS = {"table_info", "table_xinfo", "table_list", "read_uncommitted"}


@dataclass(frozen=True)
class Source:
    """A release not yet read: its location, its kind and, for files, its SHA-256."""

    target: str
    form: str
    origin: str
    sha256: str | None
    stamps: Sequence[Stamp] = ()


def locate(target: str) -> Source:
    """Return what `target` is: a file, hashed, or a database's URL (its password left out).

    Raises InputRefused if there is no such file or its kind is unknown.
    """
    if "://" in target:
        try:
            url = sa.engine.make_url(target)
        except (sa.exc.ArgumentError, ValueError) as error:
            shown = re.sub(r"//.*@", "//***@", target)
            raise InputRefused(f"'{shown}' is not a URL that SQLAlchemy understands") from error
        if url.get_backend_name() == "sqlite" and url.database:
            return locate(url.database)
        if url.get_backend_name() == "duckdb":
            files.require_file(Path(url.database or ""))
        return Source(target, "database", url.render_as_string(hide_password=True), None)
    path = Path(target)
    files.require_file(path)
    form = _form(path)
    stamps = archives.stamped([path])
    return Source(target, form, path.name, archives.content_sha256([path]), stamps)


def stage(
    connection: Connection, source: Source, known_ids: Sequence[str], *, has_derivatives: bool
) -> Edition:
    """Read a release into the staged tables and return its version and date.

    Molecules without an indication and without a name are read if they are among `known_ids`, or,
    with `has_derivatives`, if they have a parent. Raises InputRefused naming the file and the
    problem.
    """
    temp_tables.recreate(
        connection,
        STAGED_INDICATION,
        STAGED_REFERENCE,
        STAGED_NAME,
        STAGED_MOLECULE,
        STAGED_KEY,
        STAGED_WARNING,
    )
    if source.form == "table":
        web_service.stage(connection, Path(source.target))
        archives.refuse_changed(source.stamps)
        return Edition(None, None)
    with _open(source) as database:
        edition = _stage_database(connection, database, source.origin, known_ids, has_derivatives)
    archives.refuse_changed(source.stamps)
    return edition


def _form(path: Path) -> str:
    if path.stat().st_size == 0:
        raise InputRefused(f"{path.name}: the file is empty")
    with path.open("rb") as handle:
        head = handle.read(len(_SQLITE_MAGIC))
    if head == _SQLITE_MAGIC:
        return "sqlite"
    name = path.name.lower()
    if name.endswith((".tar.gz", ".tgz")):
        return "sqlite in tar.gz"
    if name.endswith(_TABLE_SUFFIXES):
        return "table"
    raise InputRefused(
        f"{path.name}: is neither a SQLite file nor one of {', '.join(_TABLE_SUFFIXES)}, .tar.gz"
    )


@contextlib.contextmanager
def _open(source: Source) -> Iterator[Connection]:
    with contextlib.ExitStack() as stack:
        if source.form == "database":
            engine = _engine(source.target, stack.enter_context(scratch.folder()))
        else:
            path = Path(source.target)
            if source.form == "sqlite in tar.gz":
                path = stack.enter_context(archives.database_in_tar(path))
            _refuse_truncated(path, source.origin)
            engine = sa.create_engine(
                "sqlite://", creator=lambda: _connect_sqlite(path), poolclass=NullPool
            )
        stack.callback(engine.dispose)
        with _reading(source.origin):
            connection = engine.connect()
        yield stack.enter_context(connection).execution_options(
            stream_results=True, yield_per=_CHUNK_ROWS
        )


def _engine(url: str, folder: Path) -> Engine:
    """Return an engine whose one transaction sees one state of the database.

    DuckDB, which runs in this process, spills to `folder` instead of next to the database.
    """
    backend = sa.engine.make_url(url).get_backend_name()
    options: dict[str, Any] = {"poolclass": NullPool}
    if backend == "duckdb":
        options["connect_args"] = {"read_only": True, "config": {"temp_directory": str(folder)}}
    if backend in ("postgresql", "mysql", "mariadb"):
        options["isolation_level"] = "REPEATABLE READ"
    try:
        return sa.create_engine(url, **options)
    except ImportError as error:
        module = (error.name or url.partition("://")[0].partition("+")[2]).partition(".")[0]
        package = _PACKAGES.get(module, module)
        raise InputRefused(
            f"this kind of database needs the Python package {package}, which tracker does not "
            f"install: pip install '{package}'"
        ) from error
    except sa.exc.NoSuchModuleError as error:
        raise InputRefused(f"SQLAlchemy does not know this kind of database: {error}") from error
    except (sa.exc.SQLAlchemyError, ValueError) as error:
        raise InputRefused(f"this kind of database cannot be read: {error}") from error


def _connect_sqlite(path: Path) -> sqlite3.Connection:
    """Open a SQLite file so that nothing is written and nothing in it is executed."""
    uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES_OF_A_TABLE)
    connection.execute("pragma trusted_schema = off")
    connection.execute("pragma cell_size_check = on")
    connection.set_authorizer(_authorize)
    return connection


def _authorize(action: int, first: str | None, *_rest: str | None) -> int:
    if action in _ALLOWED_ACTIONS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA and (first or "").lower() in _ALLOWED_PRAGMAS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _refuse_truncated(path: Path, origin: str) -> None:
    """Compare the file's length with the number of pages in its header."""
    with path.open("rb") as handle:
        head = handle.read(100)
    if not head.startswith(_SQLITE_MAGIC) or len(head) < 100:
        raise InputRefused(f"{origin}: is not a SQLite file")
    page_bytes = int.from_bytes(head[16:18], "big")
    page_bytes = 65536 if page_bytes == 1 else page_bytes
    # The count is valid only if the file was last written by a version that maintains it.
    is_counted = head[24:28] == head[92:96]
    expected = page_bytes * int.from_bytes(head[28:32], "big")
    if is_counted and path.stat().st_size < expected:
        raise InputRefused(f"{origin}: is cut short: {path.stat().st_size:,} of {expected:,} bytes")


def _stage_database(
    connection: Connection,
    database: Connection,
    origin: str,
    known_ids: Sequence[str],
    has_derivatives: bool,
) -> Edition:
    with _reading(origin):
        tables = Tables(database, origin)
        edition = tables.edition(database)
    queries = list(tables.queries(known_ids, has_derivatives=has_derivatives))
    if database.dialect.name == "sqlite":
        queries = _copy_texts(connection, database, queries)
    for table, query in queries:
        _copy_rows(connection, database, query, table, origin)
    return edition


@contextlib.contextmanager
def _reading(origin: str) -> Iterator[None]:
    """Report errors of the source as InputRefused; errors of the store pass through."""
    try:
        yield
    except UnicodeError as error:
        raise InputRefused(f"{origin}: cannot be read: contains text that is not UTF-8") from error
    except (sa.exc.SQLAlchemyError, sqlite3.Error) as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise InputRefused(f"{origin}: cannot be read: {reason}") from error


def _copy_texts(
    connection: Connection, database: Connection, queries: Sequence[tuple[sa.Table, Select[Any]]]
) -> list[tuple[sa.Table, Select[Any]]]:
    """Copy each query's rows into its staged table as one text; return the queries left over.

    SQLite joins the rows and DuckDB splits them, so that half a million rows cost no Python object
    each. A query is left over if a value contains a separator or is not text.
    """
    left = []
    # Neither engine holds Python's lock while it works: one text is made while another is split.
    with ThreadPoolExecutor(1) as reader:
        documents = reader.map(lambda entry: _document(database, *entry), queries)
        for (table, query), document in zip(queries, documents, strict=True):
            if document is None:
                left.append((table, query))
            elif document:
                _split(connection, document, table)
    return left


def _document(database: Connection, table: sa.Table, query: Select[Any]) -> str | None:
    """Return a query's rows as one text, empty without rows, None if they cannot be joined."""
    names = [column.name for column in table.c]
    selected = zip(query.selected_columns, names, strict=True)
    rows = query.with_only_columns(
        *[column.label(name) for column, name in selected], maintain_column_froms=True
    ).subquery("read_row")
    cells: list[sa.ColumnElement[Any]] = [sa.func.coalesce(cell, _NULL) for cell in rows.c]
    line = cells[0]
    for cell in cells[1:]:
        line = line.op("||")(sa.literal(_CELL_END)).op("||")(cell)
    whole = sa.func.group_concat(line, _ROW_END)
    try:
        n_rows, document = database.execute(sa.select(sa.func.count(), whole)).one()
    except (sa.exc.DBAPIError, sqlite3.Error):
        # Row by row, the error names the problem instead of quoting the whole text.
        return None
    if n_rows == 0:
        return ""
    n_ends = (document.count(_ROW_END) + 1, document.count(_CELL_END))
    return document if n_ends == (n_rows, n_rows * (len(names) - 1)) else None


def _split(connection: Connection, document: str, table: sa.Table) -> None:
    """Insert the rows of a text that `_document` made."""
    lines = sa.select(
        sa.func.unnest(sa.func.string_split(sa.literal(document), _ROW_END)).label("line")
    ).subquery("read_line")
    parts = sa.select(sa.func.string_split(lines.c.line, _CELL_END).label("cells"))
    cells = parts.subquery("read_part").c.cells
    names = [column.name for column in table.c]
    values = [
        sa.func.nullif(sa.func.list_extract(cells, position), _NULL)
        for position in range(1, len(names) + 1)
    ]
    connection.execute(table.insert().from_select(names, sa.select(*values)))


def _copy_rows(
    connection: Connection, database: Connection, query: Select[Any], table: sa.Table, origin: str
) -> None:
    """Stream a query's rows into a staged table, a chunk at a time."""
    raw = database.connection.driver_connection
    if isinstance(raw, sqlite3.Connection):
        raw.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES_OF_A_ROW)
    with _reading(origin):
        result = database.execute(query)
    try:
        chunks = result.partitions(_CHUNK_ROWS)
        while True:
            with _reading(origin):
                chunk = next(chunks, None)
            if chunk is None:
                return
            _insert_chunk(connection, chunk, table, origin)
    finally:
        # A server keeps a cursor until it is closed; with a lost connection it is gone already.
        with contextlib.suppress(sa.exc.SQLAlchemyError):
            result.close()


def _insert_chunk(
    connection: Connection, chunk: Sequence[sa.Row[Any]], table: sa.Table, origin: str
) -> None:
    names = [column.name for column in table.c]
    # By columns, because pandas would ask each row for its field names.
    cells = dict(zip(names, zip(*chunk, strict=True), strict=True))
    for name, column in cells.items():
        if any(isinstance(cell, bytes) for cell in column):
            raise InputRefused(f"{origin}: {name} of an entry contains bytes, not text")
    texts = {name: _as_text(column) for name, column in cells.items()}
    temp_tables.insert_frame(connection, table, temp_tables.frame_of(texts, dtype=object))


def _as_text(column: Sequence[object]) -> Sequence[object]:
    """Return a column's cells as text; releases differ in whether they are numbers."""
    kinds = set(map(type, column))
    if kinds <= {str, type(None)}:
        return column
    return [None if cell is None else str(cell) for cell in column]
