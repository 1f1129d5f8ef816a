"""The names that files of others have for columns: as a user maps them, or as they are guessed.

A column is guessed where the file does not have it, and has exactly one of the names that stand for
nothing else: 'drug' for drug_name. Callers say what was guessed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tracker.errors import InputRefused, did_you_mean
from tracker.files.cells import Column
from tracker.files.table_files import TableFile
from tracker.rows import shown


def named(
    table: TableFile, columns: Sequence[Column], renamed: Mapping[str, str]
) -> tuple[list[Column], dict[str, str]]:
    """Return the columns under the names that the file has, and those guessed, as `renamed`.

    `renamed` has the column for a name in the file. Raises InputRefused where one of them is in
    neither, or a column has two names.
    """
    spelled = {name.lower(): name for name in table.names}
    by_column = _checked(table, spelled, columns, renamed)
    taken = {name.lower() for name in renamed}
    titles = {column.folded for column in columns}
    guessed: dict[str, str] = {}
    found = []
    for column in columns:
        header = by_column.get(column.name)
        if header is None and column.folded not in spelled:
            near = [name for name in column.synonyms if name in spelled]
            if len(near) == 1 and near[0] not in titles | taken:
                header = spelled[near[0]]
                guessed[header] = column.name
        found.append(column if header is None else replace(column, header=header))
    return found, guessed


def _checked(
    table: TableFile,
    spelled: Mapping[str, str],
    columns: Sequence[Column],
    renamed: Mapping[str, str],
) -> dict[str, str]:
    """Return the file's name for each column that is renamed, as the file spells it."""
    known = [column.name for column in columns]
    by_column: dict[str, str] = {}
    for name, column in renamed.items():
        if name.lower() not in spelled:
            near = did_you_mean(name, table.names)
            if name in known and column.lower() in spelled:
                near = f"it is --map {shown(column)}={shown(name)}, the file's name first"
            raise InputRefused(
                f"{table.path.name}: has no column '{shown(name)}' to take for {shown(column)}"
                + (f"; {near}" if near else "")
            )
        if column not in known:
            near = did_you_mean(column, known)
            raise InputRefused(
                f"'{shown(column)}' is none of the columns {', '.join(known)}"
                + (f"; {near}" if near else "")
            )
        if column in by_column or (column in spelled and name.lower() != column):
            other = by_column.get(column, spelled.get(column, ""))
            raise InputRefused(
                f"{table.path.name}: both '{shown(other)}' and '{shown(name)}' would be {column}"
            )
        by_column[column] = spelled[name.lower()]
    return by_column
