"""The views of a store on Spark: defined when they are needed, over the tables as they are."""

import contextlib
import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, event, text

from tracker.errors import TrackerError
from tracker.extras.spark import sessions, tables
from tracker.extras.spark.instants import FAR
from tracker.progress import Progress, silent
from tracker.store import catalog, queries, schema, sealed_sets, statements
from tracker.store.sealed_sets import Part

# Up to this many rows are handed over in memory: Spark would open a file for each query.
_SMALL_ROWS = 100_000


_SIZE = sa.text(
    "select coalesce(max(estimated_size), 0) from duckdb_tables() "
    "where table_name = :name and schema_name = 'main' and not temporary"
)


class Views:
    """An engine (tracker.store.engines) that computes the views of one connection.

    `start` returns the Spark session, and is called when a view is first needed. Tables are
    exported into `folder`, which Spark and the connection must reach. With `is_small`, what is
    computed for other views fits into memory here.
    """

    def __init__(
        self,
        connection: Connection,
        start: Callable[[], Any],
        folder: Path,
        progress: Progress = silent,
        *,
        is_small: bool = False,
    ) -> None:
        self._connection = connection
        self._start = functools.cache(start)
        self._folder = folder
        self._progress = progress
        self._is_small = is_small
        self._views = {view.name: view for view in catalog.read_views()}
        self._columns = tables.columns(connection)
        self._dates = frozenset(
            name
            for types in self._columns.values()
            for name, kind in types.items()
            if kind == "DATE"
        )
        self._tables: dict[str, Any] = {}
        self._rows: dict[str, Any] = {}
        # What Spark knows by name, each after what it reads; what of it DuckDB has the rows of.
        self._defined: dict[str, None] = {}
        self._fetched: set[str] = set()
        self._restrictions: dict[str, tuple[str, Sequence[Part] | None]] = {}

    @property
    def columns(self) -> tables.Columns:
        """The columns of each table and view with DuckDB's types."""
        return self._columns

    def query(self, query: str) -> Any:
        """Return the rows of a query of DuckDB, computed by Spark, as an Arrow table.

        Raises InputRefused if Spark does not take it.
        """
        return self._answer(query, catalog.read_tables(query), {})

    def _answer(self, query: str, reads: Iterable[str], parameters: Mapping[str, Any]) -> Any:
        for name in reads:
            self._define(name)
        with self._errors():
            return self._frame(query, parameters).toArrow()

    def answer(self, query: str, name: str) -> None:
        """Make a temporary table `name` of the rows of a user's query.

        Raises InputRefused unless it is one statement that only reads the store.
        """
        queries.require_reading(self._connection.connection.cursor(), query)
        rows = self.query(query)
        queries.require_distinct(rows.column_names)
        self.put(name, rows)

    def rows(self, name: str) -> Any:
        """Return the rows of a view as an Arrow table; Spark computes them once."""
        self._define(name, is_kept=True)
        if name in self._rows:
            return self._rows[name]
        with self._errors():
            return self._start().table(name).toArrow()

    def take(self, name: str) -> None:
        """Let Spark read the rows of a view that DuckDB computes."""
        rows = tables.rows(self._connection, name, self._columns[name], schema=None)
        with self._errors():
            frame = tables.given(self._start(), rows)
        self._know(name, frame)

    def fetch(self, name: str) -> None:
        """Make a temporary table of a view's rows, with the view's columns and types."""
        self._progress(f"computing {name} on Spark")
        self.put(name, self.rows(name), self._columns[name])
        self._fetched.add(name)

    def compute(self, name: str, wanted: Mapping[str, Sequence[object]]) -> None:
        """See tracker.store.engines.Engine."""
        from pyspark.sql import functions

        for read in self._read_by(name):
            self._define(read)
        frame = self._frame(self._views[name].select)
        with self._errors():
            for column, values in wanted.items():
                frame = frame.where(functions.col(column).isin(*(str(one) for one in values)))
        self._computed(name, frame)
        self.fetch(name)

    def restrict(self, name: str, condition: str, parts: Sequence[Part] | None) -> None:
        """See tracker.store.engines.Engine."""
        self._forget_from([name])
        self._restrictions[name] = (condition, parts)

    def forget(self, names: Iterable[str]) -> None:
        """See tracker.store.engines.Engine; what was computed of them is forgotten, too."""
        chosen = list(names)
        for name in chosen:
            self._restrictions.pop(name, None)
        self._forget_from(chosen)

    def _forget_from(self, names: Iterable[str]) -> None:
        """Forget these views and tables, and all that was defined after the first of them."""
        order = list(self._defined)
        first = min((order.index(name) for name in names if name in self._defined), default=None)
        for name in [] if first is None else order[first:]:
            del self._defined[name]
            self._rows.pop(name, None)
            if name in self._fetched:
                self._connection.exec_driver_sql("drop table if exists temp." + name)
                self._fetched.discard(name)

    def create(self, name: str, parameters: Mapping[str, Any]) -> None:
        """See tracker.store.engines.Engine."""
        self._progress(f"computing {name} on Spark")
        statement = statements.find(name)
        rows = self._answer(statement.select, statement.reads, parameters)
        self.put(statement.header["Creates"], rows)

    @contextlib.contextmanager
    def supply(self) -> Iterator[None]:
        """Fetch views from Spark when a statement of the connection reads them, in the block."""

        def before(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
            for name in sorted(self._missing(statement)):
                self.fetch(name)

        event.listen(self._connection, "before_cursor_execute", before)
        try:
            yield
        finally:
            event.remove(self._connection, "before_cursor_execute", before)

    def _missing(self, statement: str) -> frozenset[str]:
        if not statement.lstrip().lower().startswith(("select", "from", "with")):
            return frozenset()
        try:
            read = catalog.read_tables(statement)
        except TrackerError:
            # DuckDB says what is wrong with it.
            return frozenset()
        # Candidates are facts, which DuckDB reads itself.
        return (read & self._views.keys()) - self._fetched - {sealed_sets.VIEW}

    def _define(self, name: str, *, is_kept: bool = False) -> None:
        """Make a table or view known to Spark by its name, after what it reads.

        A view that several read, or that `is_kept`, is computed once. Of a name that the store
        lacks, Spark says so.
        """
        if name in self._defined:
            return
        if name == sealed_sets.VIEW:
            frame = self._candidates()
        elif name in self._views:
            for read in sorted(self._read_by(name)):
                self._define(read)
            frame = self._frame(self._views[name].select)
            if is_kept or name in _read_often():
                self._computed(name, frame)
                return
        elif name in self._columns:
            frame = self._table(name)
        else:
            return
        self._know(name, frame)

    def _know(self, name: str, frame: Any) -> None:
        with self._errors():
            frame.createOrReplaceTempView(name)
        self._defined.pop(name, None)
        self._defined[name] = None

    def _read_by(self, name: str) -> frozenset[str]:
        return catalog.reads()[name]

    def _candidates(self) -> Any:
        """Return the pairs of the store's candidate sets, the sealed ones read in place.

        Those in object storage are copied first: Spark has no part of its own that reads there.
        """
        condition, parts = self._restrictions.get(sealed_sets.VIEW, ("true", None))
        stored = self._table(schema.stored_candidate.name).where(condition)
        if parts is None:
            parts = sealed_sets.parts(self._connection)
        where = sealed_sets.places_of(self._connection)
        paths = [self._path_of(part, where) for part in parts]
        with self._errors():
            for folder in sorted({path.parents[1] for path in paths}):
                chosen = [path for path in paths if path.parents[1] == folder]
                types = self._columns[sealed_sets.VIEW]
                stored = stored.unionByName(tables.read(self._start(), chosen, types, folder))
        return stored

    def _path_of(self, part: Part, where: Sequence[Path]) -> Path:
        sealed_sets.require(part, where)
        if part.address is None:
            return Path(sealed_sets.located(part, where))
        self._progress(f"fetching {part}")
        return sealed_sets.fetch(part, self._folder)

    def _table(self, name: str) -> Any:
        """Return a table, or the rows of it that a condition leaves."""
        frame = self._stored(name)
        condition, _ = self._restrictions.get(name, (None, None))
        return frame if condition is None else frame.where(condition)

    def _stored(self, name: str) -> Any:
        if name not in self._tables:
            types = self._columns[name]
            size = self._connection.execute(_SIZE, {"name": name}).scalar_one()
            with self._errors():
                if size <= _SMALL_ROWS:
                    rows = tables.rows(self._connection, name, types)
                    self._tables[name] = tables.given(self._start(), rows)
                else:
                    paths = tables.export(self._connection, name, types, self._folder)
                    self._tables[name] = tables.read(self._start(), paths, types)
        return self._tables[name]

    def _computed(self, name: str, frame: Any) -> None:
        """Let Spark know the rows of a view by its name, computed once.

        Of a small store they are handed over, too: the planner then knows how few they are.
        """
        with self._errors():
            if self._is_small:
                self._rows[name] = frame.toArrow()
                frame = tables.given(self._start(), self._rows[name])
            else:
                frame = frame.localCheckpoint()
        self._know(name, frame)

    def translated(self, name: str) -> str:
        """Return the SELECT of a view as Spark runs it."""
        return self._translated(self._views[name].select)

    def _frame(self, query: str, parameters: Mapping[str, Any] | None = None) -> Any:
        translated = self._translated(query, parameters)
        with self._errors():
            return self._start().sql(translated)

    def _translated(self, query: str, parameters: Mapping[str, Any] | None = None) -> str:
        from tracker.extras.spark import dialect

        variables = self._connection.execute(
            text("select getvariable('as_of') as as_of, getvariable('dates') as dates")
        ).one()
        columns = {name: list(types) for name, types in self._columns.items()}
        return dialect.translate(
            query,
            variables=variables._asdict(),
            dates=self._dates,
            columns=columns,
            parameters=parameters,
        )

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            with sessions.errors():
                yield
        except TrackerError as error:
            if isinstance(error.__cause__, Exception):
                database = self._connection.engine.url.database
                sealed_sets.raise_if_about(error.__cause__, Path(database or ""))
            raise

    def put(self, name: str, rows: Any, types: Mapping[str, str] | None = None) -> None:
        """Make a temporary table of an Arrow table, with the types given."""
        quote = self._connection.dialect.identifier_preparer.quote
        items = [
            f"cast({_finite(quote(column), kind)} as {kind}) as {quote(column)}"
            for column, kind in (types or {}).items()
        ]
        cursor: Any = self._connection.connection.cursor()
        cursor.register("spark_rows", rows)
        create = "create or replace temp table " + quote(name) + " as from spark_rows"
        cursor.execute(create + (" select " + ", ".join(items) if items else ""))
        cursor.unregister("spark_rows")


@functools.cache
def _read_often() -> frozenset[str]:
    """Return the views that several views read."""
    counts = Counter(name for names in catalog.reads().values() for name in names)
    return frozenset(name for name, n_readers in counts.items() if n_readers > 1)


def _finite(column: str, kind: str) -> str:
    """Return the infinite instant for the one that stands for it on Spark."""
    if kind != "TIMESTAMP WITH TIME ZONE":
        return column
    return f"if({column} = timestamptz '{FAR}', timestamptz 'infinity', {column})"
