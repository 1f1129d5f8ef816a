"""The tables that the log covers, and how their rows become the leaves of its tree.

A leaf's data is the table's name and the canonical lines of the rows it covers, joined by line
ends. A canonical line is a JSON object of a row's columns by name, without those that are NULL, so
that a column added later, which old rows lack, changes no old line. A prediction's has its keys
and its checksum, which covers the other columns. Instants are microseconds since 1970; dates, UUIDs
and JSON are text; numbers are as DuckDB writes JSON. Of the longest table, later leaves have the
columns as they are (tracker.log.blocks); those that were sealed with lines stay so.

Rows are counted in their physical order, DuckDB's rowid. No command deletes or changes a stored
row, so a row's rowid is the number of rows before it: it was measured to survive checkpoints,
copies of the file, inserts of many millions of rows by several threads, and columns that a
migration adds, but only once the rows are committed. A migration that makes a covered table anew
must keep its rows in their order, and one that adds a column must let it be NULL.
"""

from typing import Any

import sqlalchemy as sa

from tracker import schema

# The rows of the other tables are sealed in chunks of at most this many, cut at each write.
CHUNK_ROWS = 65_536
# Rows read at a time, so that the lines of a long table never fill the memory.
SLICE_ROWS = 8 * CHUNK_ROWS

# Rows that people cite one by one have an entry each.
BY_ROW = frozenset(
    (
        "annulment",
        "backtest",
        "benchmark",
        "benchmark_target",
        "candidate_set",
        "estimate",
        "evaluation",
        "event",
        "label_set",
        "log_head",
        "matching",
        "merged_set",
        "outcome_type",
        "publication",
        "ranker_run",
        "recorded_verdict",
        "refresh",
        "refused_file",
        "release",
        "release_coverage",
        "release_fetch",
        "round",
        "round_deposit",
        "round_entry",
        "round_extension",
        "scoreboard",
        "sealed_address",
        "sealed_part",
        "sealed_set",
        "slate",
        "slate_attachment",
        "slate_note",
        "submission",
        "submission_model",
        "submission_note",
        "submission_original",
        "timestamp_root",
        "timestamp_token",
        "truth_set",
        "vocabulary_release",
    )
)

# Tables without NULLs whose blocks of rows are hashed by column (tracker.log.blocks).
BY_COLUMN = frozenset(("stored_candidate",))

# The columns that the log covers of a table whose rows have a checksum over the others.
# tracker.slates.frozen compares checksums with their rows, and all lines with the slate's hash.
BY_CHECKSUM = {"prediction": ("disease_id", "drug_id", "line_checksum", "slate_id")}

# The name under which the log has the rows of a table that was renamed since.
_LOGGED_AS = {"stored_candidate": "candidate"}

# Why a table is not covered; docs/threat-model.md#not-sealed says the same.
NOT_COVERED = {
    "cutoff": "users may add rows; `tracker check` finds a missing one",
    "log_entry": "the roots in log_head cover it",
    "recall_target": "users may add rows; `tracker check` finds a missing one",
    "view_build": "the views themselves are compared with those installed",
}

ROW_ID: sa.ColumnElement[int] = sa.literal_column("rowid", sa.BigInteger)


def tables() -> list[sa.Table]:
    """Return the covered tables by name, the order in which they are sealed."""
    found = schema.metadata.tables
    return [found[name] for name in sorted(found.keys() - NOT_COVERED.keys())]


def log_name(table: sa.Table) -> str:
    """Return the name by which the log knows a table."""
    return _LOGGED_AS.get(table.name, table.name)


def stored_names(present: set[str] | None = None) -> dict[str, str]:
    """Return the covered tables by their names in the log: what each is called in the store.

    `present` are the tables of a store of an earlier version, in which some are missing and some
    have other names.
    """
    names = {log_name(table): table.name for table in tables()}
    if present is None:
        return names
    earlier = {name: stored if stored in present else name for name, stored in names.items()}
    return {name: stored for name, stored in earlier.items() if stored in present}


def line(table: sa.Table) -> sa.ColumnElement[str]:
    """Return the canonical line of a row as an expression."""
    names = BY_CHECKSUM.get(table.name, sorted(table.c.keys()))
    columns = [table.c[name] for name in names]
    if not any(column.nullable for column in columns):
        # The same text in a third less time, for the longest tables.
        pairs = [part for column in columns for part in (column.name, _plain(column))]
        return sa.cast(sa.func.json_object(*pairs), sa.String)
    fields = [sa.literal(f'"{column.name}":').concat(_as_json(column)) for column in columns]
    # concat_ws leaves out what is NULL.
    return sa.literal("{").concat(sa.func.concat_ws(",", *fields)).concat("}")


def leaf_data(table: sa.Table, lines: str) -> bytes:
    """Return the data of the leaf over these canonical lines."""
    return f"{log_name(table)}\n{lines}".encode()


def leaves(
    table: sa.Table, first: int, last: int, starts: list[int] | None = None
) -> sa.Select[*tuple[Any, ...]]:
    """Select the leaves of the rows from `first` up to `last` as place, first row, rows and hash.

    The place counts from 0. A table of chunks begins one at each of `starts`, the first of which
    is `first`, or else every CHUNK_ROWS rows.
    """
    is_wanted = ROW_ID.between(first, last - 1)
    if table.name in BY_ROW:
        return (
            sa.select(
                (ROW_ID - first).label("place"),
                ROW_ID.label("first_row"),
                sa.literal_column("1").label("n_rows"),
                leaf_hash(table, line(table)).label("leaf_sha256"),
            )
            .select_from(table)
            .where(is_wanted)
        )
    chunk: sa.ColumnElement[Any] = sa.func.divide(ROW_ID - first, CHUNK_ROWS)
    if starts is not None:
        later = [(start > ROW_ID, place) for place, start in enumerate(starts[1:])]
        chunk = sa.case(*later, else_=len(starts) - 1) if later else sa.literal(0)
    row = (
        sa.select(ROW_ID.label("row_id"), sa.label("place", chunk), line(table).label("line"))
        .select_from(table)
        .where(is_wanted)
        .subquery()
    )
    lines = sa.func.string_agg(row.c.line, "\n").aggregate_order_by(row.c.row_id)
    return sa.select(
        row.c.place,
        sa.func.min(row.c.row_id).label("first_row"),
        sa.func.count().label("n_rows"),
        leaf_hash(table, lines).label("leaf_sha256"),
    ).group_by(row.c.place)


def leaf_hash(table: sa.Table, lines: sa.ColumnElement[str]) -> sa.ColumnElement[str]:
    """Return merkle.leaf_hash of leaf_data as an expression, in hexadecimal."""
    prefix = sa.func.chr(0).concat(sa.literal(f"{log_name(table)}\n"))
    hashed: sa.ColumnElement[str] = sa.func.sha256(prefix.concat(lines))
    return hashed


def _as_json(column: sa.Column[Any]) -> sa.ColumnElement[str]:
    """Return a value as the text that JSON has for it; NULL stays NULL."""
    value = _plain(column)
    # Whole numbers and booleans are written alike, and faster by the cast.
    is_same = isinstance(column.type, sa.Integer | sa.Boolean)
    return sa.cast(value if is_same else sa.func.to_json(value), sa.String)


def _plain(column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    """Return a value as one that JSON has."""
    if isinstance(column.type, sa.TIMESTAMP):
        return sa.func.epoch_us(column)
    if isinstance(column.type, sa.Date | sa.Uuid | sa.JSON):
        return sa.cast(column, sa.String)
    return column
