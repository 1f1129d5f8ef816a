"""Reads what ChEMBL's web service returns: drug indications, a table of rows or its pages.

Among the pages may be those of drug_warning.
"""

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import files, scratch
from tracker.errors import InputRefused
from tracker.evidence.chembl.tables import STAGED_INDICATION, STAGED_REFERENCE, STAGED_WARNING
from tracker.files import Column, json_file, streams

COLUMNS = (
    Column("molecule_chembl_id"),
    Column("efo_id", required=False),
    Column("efo_term", required=False),
    Column("max_phase_for_ind", "number", required=False, low=-1, high=4),
    Column("mesh_id", required=False),
    Column("mesh_heading", required=False),
    Column("parent_molecule_chembl_id", required=False),
    Column("drugind_id", required=False),
    Column("indication_refs", "json", required=False),
    Column("first_approval", required=False),
)
WARNING_COLUMNS = (
    Column("warning_id"),
    Column("molecule_chembl_id"),
    Column("warning_type", required=False),
    Column("parent_molecule_chembl_id", required=False),
    Column("warning_class", required=False),
    Column("warning_description", required=False, longest=None),
    Column("warning_country", required=False),
    Column("warning_year", required=False),
    Column("efo_id", required=False),
    Column("efo_term", required=False),
)
# The web service's names of columns that the staged tables name otherwise.
_NAMES = {
    "chembl_id": "molecule_chembl_id",
    "parent_chembl_id": "parent_molecule_chembl_id",
    "max_phase": "max_phase_for_ind",
}
# The web service's answers to requests for drug indications, and for warnings: rows, and how many
# there are in all.
_PAGE_ROWS, _PAGE_WARNINGS, _PAGE_FACTS = "drug_indications", "drug_warnings", "page_meta"


def stage(connection: Connection, path: Path) -> None:
    """Read the indications of a file, and its warnings, into the staged tables.

    Raises InputRefused naming the file and the problem.
    """
    pages = _pages(path) if path.suffix.lower() == ".json" else None
    if pages is None:
        _stage_rows(connection, path)
        return
    warned = [page for page in pages if _PAGE_WARNINGS in page]
    others = [page for page in pages if _PAGE_WARNINGS not in page]
    with _rows_of(path, others, _PAGE_ROWS, "indications") as table:
        _stage_rows(connection, table)
    if any(page[_PAGE_WARNINGS] for page in warned):
        with _rows_of(path, warned, _PAGE_WARNINGS, "warnings") as table:
            _stage_warnings(connection, table)


@contextlib.contextmanager
def _rows_of(
    path: Path, pages: Sequence[dict[str, Any]], rows_key: str, noun: str
) -> Iterator[Path]:
    """Yield the path of a table with the rows of pages.

    Raises InputRefused if the pages lack rows that they say there are, or have none of the kind.
    """
    rows: list[Any] = []
    n_total, is_cut = 0, False
    for page in pages or [{}]:
        found = page.get(rows_key)
        if not isinstance(found, list):
            raise InputRefused(
                f"{path.name}: has no {rows_key}; it is no page of {rows_key[:-1]} of ChEMBL's "
                "web service"
            )
        rows += found
        facts = json_file.mapping(page.get(_PAGE_FACTS), f"{path.name}: {_PAGE_FACTS}")
        total = facts.get("total_count")
        n_total = max(n_total, total if isinstance(total, int) else 0)
        is_cut = is_cut or (facts.get("next") is not None and not isinstance(total, int))
    if len(rows) < n_total or is_cut:
        of = f" of {n_total:,}" if n_total else ""
        raise InputRefused(
            f"{path.name}: has {len(rows):,}{of} {noun}, a page of ChEMBL's web service; "
            "follow page_meta.next to the last page and write all rows as JSON lines (.jsonl)"
        )
    with scratch.folder() as private:
        table = private / path.name
        table.write_text(json.dumps(rows), encoding="utf-8")
        yield table


def _pages(path: Path) -> list[dict[str, Any]] | None:
    """Return the pages of the web service in a JSON file, None if it has rows instead."""
    if path.stat().st_size > streams.MAX_DOCUMENT_BYTES:
        return None
    try:
        whole = json_file.document(path.name, path.read_bytes())
    except json_file.SeveralDocuments:
        return None
    pages = whole if isinstance(whole, list) else [whole]
    is_paged = all(isinstance(page, dict) and "molecule_chembl_id" not in page for page in pages)
    return pages if pages and is_paged else None


def _stage_rows(connection: Connection, path: Path) -> None:
    file = files.read(connection, path, COLUMNS, allow_extra=True)
    if not file.has("efo_id") and not file.has("mesh_id"):
        raise InputRefused(f"{path.name}: has neither a column efo_id nor a column mesh_id")
    rows = file.numbered
    position = sa.func.concat("row ", rows.c.row_number)
    key = sa.func.coalesce(rows.c.drugind_id, position)
    _insert(connection, STAGED_INDICATION, rows, source_key=key)
    if file.has("indication_refs"):
        _stage_references(connection, file, rows, key)


def _stage_warnings(connection: Connection, path: Path) -> None:
    rows = files.read(connection, path, WARNING_COLUMNS, allow_extra=True).numbered
    _insert(connection, STAGED_WARNING, rows)


def _stage_references(
    connection: Connection, file: files.InputFile, rows: sa.Subquery, key: sa.ColumnElement[str]
) -> None:
    """Read the references of each row, as the table indication_refs of a database has them.

    The web service joins the references of one type by commas.
    """
    given = rows.c.indication_refs
    is_wrong = sa.func.json_type(given).not_in(("ARRAY", "NULL"))
    message = sa.literal("is not a list of references")
    found = files.cell_problems(rows.c.row_number, "indication_refs", message)
    files.refuse_cells(connection, file, found.where(is_wrong))
    listed = sa.select(
        key.label("source_key"),
        sa.func.unnest(sa.func.json_extract(given, "$[*]")).label("reference"),
    ).subquery("listed")
    parts = sa.select(
        listed.c.source_key,
        sa.func.json_extract_string(listed.c.reference, "ref_type").label("ref_type"),
        sa.func.unnest(
            sa.func.string_split(sa.func.json_extract_string(listed.c.reference, "ref_id"), ",")
        ).label("ref_id"),
    ).subquery("part")
    ref_id = sa.func.nullif(sa.func.trim(parts.c.ref_id), "")
    _insert(connection, STAGED_REFERENCE, parts, ref_id=ref_id)


def _insert(
    connection: Connection, table: sa.Table, rows: sa.Subquery, **values: sa.ColumnElement[Any]
) -> None:
    """Insert rows into a staged table: these values, and the columns of the web service."""
    names = [column.name for column in table.c]
    found = [values[name] if name in values else rows.c[_NAMES.get(name, name)] for name in names]
    connection.execute(table.insert().from_select(names, sa.select(*found)))
