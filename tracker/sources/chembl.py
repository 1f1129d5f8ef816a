"""Reads drug indications, molecules and their names from a release of ChEMBL.

A release is an official SQLite dump (or the .tar.gz it comes in), any database that SQLAlchemy
reaches, or a table of indications as the web service gives them. What is read lands in temporary
tables; tracker.ingest judges and stores it.
"""

import contextlib
import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection, Engine, Select, text
from sqlalchemy.pool import NullPool

from tracker import entities
from tracker.errors import InputRefused
from tracker.sources import archives, files
from tracker.sources.files import Column

_CHUNK_ROWS = 50_000
_IDS_PER_QUERY = 500
_TABLE_SUFFIXES = (".csv", ".tsv", ".parquet", ".jsonl", ".ndjson", ".gz")
_VERSION = re.compile(r"ChEMBL[ _](\d+(?:\.\d+)?)", re.IGNORECASE)
_SQLITE_MAGIC = b"SQLite format 3\x00"
# What reading needs; a file's own views and triggers can make SQLite do nothing else.
_ALLOWED_ACTIONS = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_TRANSACTION,
}
_ALLOWED_PRAGMAS = {"table_info", "table_xinfo", "table_list", "read_uncommitted"}

WEB_COLUMNS = (
    Column("molecule_chembl_id"),
    Column("efo_id", required=False),
    Column("efo_term", required=False),
    Column("max_phase_for_ind", "number", required=False, low=-1, high=4),
    Column("mesh_id", required=False),
    Column("mesh_heading", required=False),
    Column("parent_molecule_chembl_id", required=False),
    Column("drugind_id", required=False),
)


def _staged(name: str, *columns: str) -> sa.Table:
    return sa.Table(
        name,
        sa.MetaData(),
        *[sa.Column(column, sa.String) for column in columns],
        prefixes=["TEMPORARY"],
    )


# As the source gives them, all text: the store's own rules are applied afterwards.
STAGED_INDICATION = _staged(
    "staged_indication",
    "source_key",
    "chembl_id",
    "parent_chembl_id",
    "efo_id",
    "efo_term",
    "mesh_id",
    "mesh_heading",
    "max_phase",
)
STAGED_REFERENCE = _staged("staged_reference", "source_key", "ref_type", "ref_id")
STAGED_NAME = _staged("staged_name", "chembl_id", "parent_chembl_id", "kind", "name")
STAGED_MOLECULE = _staged("staged_molecule", "chembl_id", "parent_chembl_id")


@dataclass(frozen=True)
class Source:
    """A release not yet read: where it lies, what kind it is and, of files, its SHA-256."""

    target: str
    form: str
    origin: str
    sha256: str | None


@dataclass(frozen=True)
class Edition:
    """What a source says of itself: its version and its date, where it says so."""

    version: str | None
    released_on: date | None


def locate(target: str) -> Source:
    """Return what `target` is: a file, hashed, or a database's URL (its password left out).

    Raises InputRefused if there is no such file or its kind is unknown.
    """
    if "://" in target:
        try:
            url = sa.engine.make_url(target)
        except sa.exc.ArgumentError as error:
            raise InputRefused(f"'{target}' is not a URL that SQLAlchemy understands") from error
        if url.get_backend_name() == "sqlite" and url.database:
            return locate(url.database)
        return Source(target, "database", url.render_as_string(hide_password=True), None)
    path = Path(target)
    if not path.is_file():
        raise InputRefused(f"{path}: no such file")
    form = _form(path)
    with archives.unchanged([path]):
        return Source(target, form, path.name, archives.content_sha256([path]))


def stage(connection: Connection, source: Source, drug_ids: Sequence[str]) -> Edition:
    """Read a release into the staged tables and return what it says of itself.

    Of the molecules that no indication names, those among `drug_ids` are read too. Raises
    InputRefused with the file and what is wrong with it.
    """
    for table in (STAGED_INDICATION, STAGED_REFERENCE, STAGED_NAME, STAGED_MOLECULE):
        table.drop(connection, checkfirst=True)
        table.create(connection)
    if source.form == "table":
        _stage_table(connection, Path(source.target))
        return Edition(None, None)
    with _open(source) as database:
        try:
            return _stage_database(connection, database, source.origin, drug_ids)
        except (sa.exc.DBAPIError, sqlite3.Error) as error:
            reason = str(getattr(error, "orig", error)).splitlines()[0]
            raise InputRefused(f"{source.origin}: cannot be read: {reason}") from error


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
            engine = _engine(source.target)
        else:
            path = Path(source.target)
            stack.enter_context(archives.unchanged([path]))
            if source.form == "sqlite in tar.gz":
                path = stack.enter_context(archives.database_in_tar(path))
            _refuse_truncated(path, source.origin)
            engine = sa.create_engine(
                "sqlite://", creator=lambda: _connect_sqlite(path), poolclass=NullPool
            )
        stack.callback(engine.dispose)
        try:
            connection = engine.connect()
        except (sa.exc.DBAPIError, sqlite3.Error) as error:
            reason = str(getattr(error, "orig", error)).splitlines()[0]
            raise InputRefused(f"{source.origin}: cannot be opened: {reason}") from error
        yield stack.enter_context(connection).execution_options(
            stream_results=True, yield_per=_CHUNK_ROWS
        )


def _engine(url: str) -> Engine:
    try:
        return sa.create_engine(url, poolclass=NullPool)
    except ModuleNotFoundError as error:
        raise InputRefused(
            f"this kind of database needs the Python package {error.name}, which tracker does "
            f"not bring along: pip install {error.name}"
        ) from error
    except sa.exc.NoSuchModuleError as error:
        raise InputRefused(f"SQLAlchemy knows no such kind of database: {error}") from error


def _connect_sqlite(path: Path) -> sqlite3.Connection:
    """Open a SQLite file so that nothing is written and nothing in it is executed."""
    uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
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
    """Compare the file's length with the number of pages its header gives."""
    with path.open("rb") as handle:
        head = handle.read(100)
    if not head.startswith(_SQLITE_MAGIC) or len(head) < 100:
        raise InputRefused(f"{origin}: is not a SQLite file")
    page_bytes = int.from_bytes(head[16:18], "big")
    page_bytes = 65536 if page_bytes == 1 else page_bytes
    # The count is kept only if the file was last written by a version that keeps it.
    is_counted = head[24:28] == head[92:96]
    expected = page_bytes * int.from_bytes(head[28:32], "big")
    if is_counted and path.stat().st_size < expected:
        raise InputRefused(f"{origin}: is cut short: {path.stat().st_size:,} of {expected:,} bytes")


def _stage_database(
    connection: Connection, database: Connection, origin: str, drug_ids: Sequence[str]
) -> Edition:
    tables = _Tables(database, origin)
    edition = tables.edition(database)
    _copy(connection, database, tables.indications(), STAGED_INDICATION)
    if tables.has("indication_refs"):
        _copy(connection, database, tables.references(), STAGED_REFERENCE)
    _copy(connection, database, tables.preferred_names(), STAGED_NAME)
    if tables.has("molecule_synonyms"):
        _copy(connection, database, tables.synonyms(), STAGED_NAME)
    for start in range(0, len(drug_ids), _IDS_PER_QUERY):
        wanted = drug_ids[start : start + _IDS_PER_QUERY]
        _copy(connection, database, tables.molecules(wanted), STAGED_MOLECULE)
    return edition


class _Tables:
    """The tables of one ChEMBL database and the queries they allow; releases differ in both."""

    def __init__(self, database: Connection, origin: str) -> None:
        inspector = sa.inspect(database)
        self._names = {name.lower() for name in inspector.get_table_names()}
        self._columns: dict[str, set[str]] = {}
        for name in ("drug_indication", "molecule_dictionary"):
            if name not in self._names:
                raise InputRefused(f"{origin}: is no ChEMBL database: it has no table {name}")
        for name in (
            "drug_indication",
            "molecule_dictionary",
            "indication_refs",
            "molecule_hierarchy",
            "molecule_synonyms",
            "version",
        ):
            if name in self._names:
                self._columns[name] = {
                    column["name"].lower() for column in inspector.get_columns(name)
                }
        for table, column in (
            ("drug_indication", "molregno"),
            ("drug_indication", "max_phase_for_ind"),
            ("molecule_dictionary", "molregno"),
            ("molecule_dictionary", "chembl_id"),
        ):
            if column not in self._columns[table]:
                raise InputRefused(f"{origin}: its table {table} has no column {column}")

    def has(self, table: str) -> bool:
        """Whether the database has the table."""
        return table in self._columns

    def edition(self, database: Connection) -> Edition:
        """Return version and date from the table version, which also lists other software."""
        if not self.has("version"):
            return Edition(None, None)
        for name, created in database.execute(text("select name, creation_date from version")):
            match = _VERSION.fullmatch(str(name).strip())
            if match:
                return Edition(match[1], _as_date(created))
        return Edition(None, None)

    def indications(self) -> Select[Any]:
        """One row per drug indication, in the columns of STAGED_INDICATION."""
        indication, molecule = self._table("drug_indication"), self._table("molecule_dictionary")
        parent, joined = self._with_parent(
            indication.join(molecule, molecule.c.molregno == indication.c.molregno), molecule
        )
        key = "drugind_id" if "drugind_id" in self._columns["drug_indication"] else "molregno"
        names = ("efo_id", "efo_term", "mesh_id", "mesh_heading")
        return sa.select(
            indication.c[key],
            molecule.c.chembl_id,
            parent,
            *[self._or_null("drug_indication", indication, name) for name in names],
            indication.c.max_phase_for_ind,
        ).select_from(joined)

    def references(self) -> Select[Any]:
        """One row per reference of an indication, in the columns of STAGED_REFERENCE."""
        reference = self._table("indication_refs")
        return sa.select(reference.c.drugind_id, reference.c.ref_type, reference.c.ref_id)

    def preferred_names(self) -> Select[Any]:
        """One row per molecule with a name, in the columns of STAGED_NAME."""
        molecule = self._table("molecule_dictionary")
        parent, joined = self._with_parent(molecule, molecule)
        name = self._or_null("molecule_dictionary", molecule, "pref_name")
        kind: sa.ColumnElement[str] = sa.literal_column("'name'")
        rows = sa.select(molecule.c.chembl_id, parent, kind, name).select_from(joined)
        return rows.where(name.is_not(None))

    def synonyms(self) -> Select[Any]:
        """One row per synonym, in the columns of STAGED_NAME."""
        synonym, molecule = self._table("molecule_synonyms"), self._table("molecule_dictionary")
        parent, joined = self._with_parent(
            synonym.join(molecule, molecule.c.molregno == synonym.c.molregno), molecule
        )
        name = self._or_null("molecule_synonyms", synonym, "synonyms")
        kind: sa.ColumnElement[str] = sa.literal_column("'synonym'")
        rows = sa.select(molecule.c.chembl_id, parent, kind, name).select_from(joined)
        return rows.where(name.is_not(None))

    def molecules(self, chembl_ids: Sequence[str]) -> Select[Any]:
        """Those of `chembl_ids` that the release knows, in the columns of STAGED_MOLECULE."""
        molecule = self._table("molecule_dictionary")
        parent, joined = self._with_parent(molecule, molecule)
        rows = sa.select(molecule.c.chembl_id, parent).select_from(joined)
        return rows.where(molecule.c.chembl_id.in_(chembl_ids))

    def _table(self, name: str) -> sa.TableClause:
        return sa.table(name, *[sa.column(column) for column in sorted(self._columns[name])])

    def _or_null(self, name: str, table: sa.TableClause, column: str) -> sa.ColumnElement[Any]:
        return table.c[column] if column in self._columns[name] else sa.null()

    def _with_parent(
        self, joined: sa.FromClause, molecule: sa.TableClause
    ) -> tuple[sa.ColumnElement[Any], sa.FromClause]:
        """Join the parent molecule, where the release has a hierarchy."""
        if not self.has("molecule_hierarchy"):
            return sa.null(), joined
        hierarchy = self._table("molecule_hierarchy")
        parent = self._table("molecule_dictionary").alias("parent_molecule")
        joined = joined.outerjoin(hierarchy, hierarchy.c.molregno == molecule.c.molregno)
        joined = joined.outerjoin(parent, parent.c.molregno == hierarchy.c.parent_molregno)
        return parent.c.chembl_id, joined


def _copy(
    connection: Connection, database: Connection, query: Select[Any], table: sa.Table
) -> None:
    """Stream a query's rows into a staged table, a chunk at a time."""
    names = [column.name for column in table.c]
    for chunk in database.execute(query).partitions(_CHUNK_ROWS):
        # By columns, as pandas would ask each row for its field names.
        cells = dict(zip(names, zip(*chunk, strict=True), strict=True))
        texts = {name: _as_text(column) for name, column in cells.items()}
        frame = pd.DataFrame(texts, dtype=object)
        entities.insert_frame(connection, table, frame)


def _as_text(column: Sequence[object]) -> Sequence[object]:
    """Return a column's cells as text; releases differ in whether they are numbers."""
    kinds = set(map(type, column))
    if kinds <= {str, type(None)}:
        return column
    return [None if cell is None else str(cell) for cell in column]


def _stage_table(connection: Connection, path: Path) -> None:
    with archives.unchanged([path]):
        file = files.read(connection, path, WEB_COLUMNS, allow_extra=True)
        if not file.has("efo_id") and not file.has("mesh_id"):
            raise InputRefused(f"{path.name}: has neither a column efo_id nor a column mesh_id")
        rows = files.numbered(file)
        position = sa.func.concat("row ", rows.c.row_number)
        connection.execute(
            STAGED_INDICATION.insert().from_select(
                [column.name for column in STAGED_INDICATION.c],
                sa.select(
                    sa.func.coalesce(rows.c.drugind_id, position),
                    rows.c.molecule_chembl_id,
                    rows.c.parent_molecule_chembl_id,
                    rows.c.efo_id,
                    rows.c.efo_term,
                    rows.c.mesh_id,
                    rows.c.mesh_heading,
                    rows.c.max_phase_for_ind,
                ),
            )
        )


def _as_date(value: object) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    match = re.match(r"\d{4}-\d{2}-\d{2}", str(value or "").strip())
    if match is None:
        return None
    try:
        return date.fromisoformat(match[0])
    except ValueError:
        return None
