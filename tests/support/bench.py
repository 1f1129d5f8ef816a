"""A store on a bench, to be attacked: a refusal must be stated plainly and change nothing."""

import csv
import gzip
import io
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import duckdb
from click.testing import CliRunner, Result
from support import as_json, ok

from tracker.cli import main

CANDIDATES = """disease_name,drug_name,score,disease_id,chembl_id
Asthma,Alpha,0.9,MONDO:0004979,CHEMBL1
Asthma,Beta,0.8,MONDO:0004979,CHEMBL2
Asthma,Gamma,0.7,MONDO:0004979,
Asthma,Low,0.1,MONDO:0004979,
Psoriasis,Alpha,0.6,EFO:0000676,CHEMBL1
Psoriasis,Beta,0.5,EFO:0000676,CHEMBL2
"""
LABELS = "disease_name,drug_name,label\nAsthma,Alpha,4\nPsoriasis,Gamma,2\n"

# Two published slates whose identifiers begin alike, and the words of their folder.
TWINS = ("469bb270-0000-4000-8000-000000000001", "469bb270-0000-4000-8000-000000000002")

# Text that only a programmer can read.
_INTERNALS = re.compile(
    r"Traceback|error: unexpected|_duckdb|read_csv|read_json|state machine|struct as input"
    r"|' object |indices must be|codec can't|sequence element|HUGEINT|record/value"
)

Content = str | bytes | Callable[[Path], object] | None


class Bench:
    """A store with slates in its own folder."""

    def __init__(self, db: Path) -> None:
        self.db = db
        self.folder = db.parent

    @property
    def slate(self) -> str:
        """The identifier of the slate that was frozen here."""
        return str(self.query("select slate_id from slate where origin = 'frozen'")[0][0])

    def write(self, name: str, content: Content) -> Path:
        """Make a file of text, bytes or by a function of its path; None makes a folder."""
        path = self.folder / name
        if content is None:
            path.mkdir()
        elif callable(content):
            content(path)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def run(self, *words: object, stdin: str | bytes | None = None) -> Result:
        """Run a command as on a terminal: escape codes are not stripped."""
        arguments = ["--db", str(self.db), "--wait", "0.2", *[str(word) for word in words]]
        return CliRunner().invoke(main, arguments, input=stdin, color=True)

    def accept(self, *words: object) -> str:
        """Run a command that must succeed and return what it printed."""
        done = ok(self.run(*words))
        return done.stdout

    def read(self, *words: object) -> Any:
        """Return what a command that must succeed prints as JSON."""
        return as_json(self.run, *words)

    def refuse(
        self,
        *words: object,
        message: Sequence[str],
        code: int = 3,
        stdin: str | bytes | None = None,
    ) -> str:
        """Run a command that must be refused plainly and change nothing; return its complaint."""
        before = snapshot(self.folder)
        done = self.run(*words, stdin=stdin)
        assert done.exit_code == code, done.output
        assert not _INTERNALS.search(done.stderr), done.stderr
        for part in message:
            assert part in done.stderr, done.stderr
        assert snapshot(self.folder) == before
        return done.stderr

    def query(self, statement: str) -> list[tuple[object, ...]]:
        """Ask the store without tracker."""
        with duckdb.connect(str(self.db), read_only=True) as connection:
            return connection.execute(statement).fetchall()

    def alter(self, *statements: str) -> None:
        """Change the store without tracker."""
        with duckdb.connect(str(self.db)) as connection:
            for statement in statements:
                connection.execute(statement)

    def counts(self) -> dict[str, int]:
        """Count the rows of every table of facts."""
        with duckdb.connect(str(self.db), read_only=True) as connection:
            names = connection.execute(
                "select table_name from duckdb_tables() where schema_name = 'main'"
            ).fetchall()
            return {
                name: connection.table(f'"{name}"').count("*").fetchall()[0][0] for (name,) in names
            }


def snapshot(folder: Path) -> dict[str, int]:
    """Everything in a folder but the lock files, each file by a hash of its bytes."""
    return {
        str(path.relative_to(folder)): (hash(path.read_bytes()) if path.is_file() else -1)
        for path in folder.rglob("*")
        if path.suffix != ".lock"
    }


def parquet(
    query: str, compression: Literal["snappy", "zstd"] = "snappy"
) -> Callable[[Path], None]:
    """Return a way to write the rows of a query as a Parquet file."""

    def write(path: Path) -> None:
        with duckdb.connect() as connection:
            connection.sql(query).to_parquet(str(path), compression=compression)

    return write


def published(
    registry: str = "", slates: object = None, outcomes: str = ""
) -> Callable[[Path], None]:
    """Return a way to write a published folder; `registry` and `outcomes` are queries."""
    records = [{"slate_id": slate, "created_at": "2026-01-01T00:00:00+00:00"} for slate in TWINS]
    rows = ", ".join(f"('{slate}', 'Gout', 'Delta', 0.5, 1)" for slate in TWINS)
    header = "slate_id, disease_name, drug_name, repurposing_score, rank"

    def write(folder: Path) -> None:
        folder.mkdir()
        parquet(registry or f"from (values {rows}) as t ({header})")(folder / "registry.parquet")
        written = slates if isinstance(slates, bytes) else json.dumps(slates or records).encode()
        (folder / "slates.json").write_bytes(written)
        if outcomes:
            parquet(outcomes)(folder / "outcomes.parquet")

    return write


def table(suffix: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Content:
    """Return rows of text as a file of the kind that `suffix` names."""
    if suffix == ".parquet":
        values = ", ".join("(" + ", ".join(quoted_text(cell) for cell in row) + ")" for row in rows)
        return parquet(f"from (values {values}) as t ({', '.join(map(quoted_name, header))})")
    records = [dict(zip(header, row, strict=True)) for row in rows]
    if suffix == ".jsonl":
        return "".join(json.dumps(record) + "\n" for record in records)
    if suffix == ".json":
        return json.dumps(records, indent=1)
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter="\t" if suffix == ".tsv" else ",", lineterminator="\n")
    writer.writerows([header, *rows])
    content = buffer.getvalue().encode()
    return gzip.compress(content) if suffix == ".csv.gz" else content


def quoted_text(cell: str) -> str:
    """Return a text as a literal of SQL."""
    return "'" + cell.replace("'", "''") + "'"


def quoted_name(column: str) -> str:
    """Return the name of a column as an identifier of SQL."""
    return f'"{column}"'
