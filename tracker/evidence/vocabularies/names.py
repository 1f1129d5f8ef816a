"""Reads tables of names: DrugBank's open vocabulary, or term_id, name and scope."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema
from tracker.errors import InputRefused
from tracker.evidence.vocabularies import content
from tracker.evidence.vocabularies.content import Content
from tracker.files import row_checks, table_files
from tracker.files.cells import Column
from tracker.files.table_files import TableFile

DRUGBANK_FORM = "DrugBank CSV"
NAMES_FORM = "table of names"
_DRUGBANK_ID = "DrugBank ID"
_SEPARATOR = " | "
_DRUGBANK_COLUMNS = (
    Column("term_id", header=_DRUGBANK_ID),
    Column("label", header="Common name"),
    Column("accession_numbers", required=False, header="Accession Numbers", longest=None),
    Column("cas", required=False, header="CAS"),
    Column("unii", required=False, header="UNII"),
    Column("synonyms", required=False, header="Synonyms", longest=None),
    Column("inchi_key", required=False, header="Standard InChI Key"),
)
_NAME_COLUMNS = (Column("term_id"), Column("name"), Column("scope", choices=schema.NAME_SCOPES))


def read(connection: Connection, path: Path, *, is_ended: bool) -> Content:
    """Read the names of a CSV or TSV file; its header shows which of the two tables it is.

    Raises InputRefused or ProblemsFound for a file that is not a table of such columns, and for
    DrugBank's if its last line does not end; other problems of rows are noted.
    """
    table = table_files.open_table(connection, path)
    if table.has(_DRUGBANK_ID):
        if not is_ended:
            raise InputRefused(f"{path.name}: its last line does not end; the file is cut short")
        return _read_drugbank(connection, table)
    return _read_names(connection, table)


def _read_drugbank(connection: Connection, table: TableFile) -> Content:
    found = Content(table.path.name, DRUGBANK_FORM, name="drugbank")
    for row in _rows(connection, table, _DRUGBANK_COLUMNS, allow_extra=True):
        place = f"row {row.row_number}"
        term_id = found.identifier(place, f"DRUGBANK:{row.term_id}", "the DrugBank ID")
        if term_id is None:
            continue
        found.add_term(place, term_id, row.label)
        for name in (row.synonyms or "").split(_SEPARATOR):
            if name.strip():
                found.add_name(place, term_id, "exact", name)
        mapped = [
            (content.HAS_ALTERNATIVE_ID, "DRUGBANK", number)
            for number in (row.accession_numbers or "").split(_SEPARATOR)
        ]
        for prefix, local in (("CAS", row.cas), ("UNII", row.unii), ("INCHIKEY", row.inchi_key)):
            mapped.append((content.EXACT_MATCH, prefix, local or ""))
        for predicate, prefix, local in mapped:
            if local.strip():
                found.add_mapping(place, term_id, predicate, f"{prefix}:{local}")
    return found


def _read_names(connection: Connection, table: TableFile) -> Content:
    found = Content(table.path.name, NAMES_FORM)
    labels: dict[str, tuple[str | None, str]] = {}
    for row in _rows(connection, table, _NAME_COLUMNS):
        place = f"row {row.row_number}"
        term_id = found.identifier(place, row.term_id, "the term_id")
        if term_id is None:
            continue
        known, first = labels.setdefault(term_id, (None, place))
        if row.scope != "label":
            found.add_name(place, term_id, row.scope, row.name)
        elif known is None:
            labels[term_id] = (row.name, place)
        else:
            found.note(place, f"{term_id} has two labels: '{known}' ({first}) and '{row.name}'")
    for term_id, (label, place) in labels.items():
        found.add_term(place, term_id, label)
    return found


def _rows(
    connection: Connection,
    table: TableFile,
    columns: Sequence[Column],
    allow_extra: bool | None = None,
) -> Sequence[sa.Row[Any]]:
    file, survey = row_checks.examine(connection, table, columns, allow_extra=allow_extra)
    survey.refuse()
    numbered = file.numbered
    return connection.execute(sa.select(numbered).order_by(numbered.c.row_number)).all()
