"""The tables of a ChEMBL database and the queries they allow: releases differ in both.

Each query returns the columns of the temporary table that its rows are read into.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Select, text

from tracker import temp_tables
from tracker.errors import InputRefused

_IDS_PER_QUERY = 500
_VERSION = re.compile(r"ChEMBL[ _](\d+(?:[._]\d+)?)", re.IGNORECASE)
# A file is usually named by its release, chembl_36.db or chembl_36_sqlite.tar.gz.
_IN_NAME = re.compile(r"chembl[ _](\d+(?:[._]\d+)?)(?![\d])", re.IGNORECASE)
# The columns that reading needs from each table; the first two tables are required.
_NEEDED = {
    "drug_indication": ("molregno", "max_phase_for_ind"),
    "molecule_dictionary": ("molregno", "chembl_id"),
    "indication_refs": ("drugind_id", "ref_type", "ref_id"),
    "molecule_hierarchy": ("molregno", "parent_molregno"),
    "molecule_synonyms": ("molregno", "synonyms"),
    "compound_structures": ("molregno",),
    "drug_warning": ("warning_id", "molregno", "warning_type"),
    "version": ("name", "creation_date"),
}
_REQUIRED = ("drug_indication", "molecule_dictionary")


# As in the source, all text: the store's own rules are applied afterwards.
STAGED_INDICATION = temp_tables.define(
    "staged_indication",
    "source_key",
    "chembl_id",
    "parent_chembl_id",
    "efo_id",
    "efo_term",
    "mesh_id",
    "mesh_heading",
    "max_phase",
    "first_approval",
)
STAGED_REFERENCE = temp_tables.define("staged_reference", "source_key", "ref_type", "ref_id")
STAGED_NAME = temp_tables.define("staged_name", "chembl_id", "parent_chembl_id", "kind", "name")
STAGED_MOLECULE = temp_tables.define("staged_molecule", "chembl_id", "parent_chembl_id")
STAGED_KEY = temp_tables.define("staged_key", "chembl_id", "kind", "value")
# Without an id where only the dictionary of molecules says that one is withdrawn.
STAGED_WARNING = temp_tables.define(
    "staged_warning",
    "warning_id",
    "chembl_id",
    "parent_chembl_id",
    "warning_type",
    "warning_class",
    "warning_description",
    "warning_country",
    "warning_year",
    "efo_id",
    "efo_term",
)


@dataclass(frozen=True)
class Edition:
    """The version and the date that a source states, if any."""

    version: str | None
    released_on: date | None


def plain_version(text: str) -> str:
    """Return a version without the name of the database: 33 of 33, ChEMBL_33 and CHEMBL 33."""
    match = _VERSION.fullmatch(text.strip())
    return match[1].replace("_", ".") if match else text.strip()


def version_in_name(origin: str) -> str | None:
    """Return the version in the name of a file, None if there is none."""
    match = _IN_NAME.search(origin)
    return match[1].replace("_", ".") if match else None


class Tables:
    """The tables of one ChEMBL database, checked for the columns that reading needs."""

    def __init__(self, database: Connection, origin: str) -> None:
        inspector = sa.inspect(database)
        names = {name.lower() for name in inspector.get_table_names()}
        self._tables: dict[str, sa.TableClause] = {}
        for table, needed in _NEEDED.items():
            if table not in names:
                if table in _REQUIRED:
                    raise InputRefused(
                        f"{origin}: is not a ChEMBL database: it has no table {table}"
                    )
                continue
            columns = {column["name"].lower() for column in inspector.get_columns(table)}
            missing = [name for name in needed if name not in columns]
            if missing:
                raise InputRefused(f"{origin}: its table {table} has no column {missing[0]}")
            self._tables[table] = sa.table(table, *map(sa.column, sorted(columns)))

    def _has(self, table: str, column: str | None = None) -> bool:
        """Whether the database has the table, and the column in it if one is given."""
        return table in self._tables and (column is None or column in self._tables[table].c)

    def edition(self, database: Connection) -> Edition:
        """Return version and date from the table version, which also lists other software."""
        if not self._has("version"):
            return Edition(None, None)
        versions = database.execute(text("select name, creation_date from version")).all()
        for name, created in versions:
            if _VERSION.fullmatch(str(name).strip()):
                return Edition(plain_version(str(name)), _as_date(created))
        return Edition(None, None)

    def queries(
        self, known_ids: Sequence[str], *, has_derivatives: bool
    ) -> Iterator[tuple[sa.Table, Select[Any]]]:
        """Yield the queries to read, each with the table for its rows."""
        yield STAGED_INDICATION, self._indications()
        if self._has("indication_refs") and self._has("drug_indication", "drugind_id"):
            yield STAGED_REFERENCE, self._references()
        yield STAGED_NAME, self._preferred_names()
        if self._has("molecule_synonyms"):
            yield STAGED_NAME, self._synonyms()
        for start in range(0, len(known_ids), _IDS_PER_QUERY):
            yield STAGED_MOLECULE, self._known_molecules(known_ids[start : start + _IDS_PER_QUERY])
        if has_derivatives and self._has("molecule_hierarchy"):
            yield STAGED_MOLECULE, self._derivatives()
        if self._has("compound_structures", "standard_inchi_key"):
            yield STAGED_KEY, self._structures()
        if self._has("molecule_dictionary", "unii"):
            yield STAGED_KEY, self._substances()
        if self._has("molecule_synonyms", "syn_type"):
            yield STAGED_KEY, self._substance_synonyms()
        if self._has("drug_warning"):
            yield STAGED_WARNING, self._warnings()
        if self._has("molecule_dictionary", "withdrawn_flag"):
            yield STAGED_WARNING, self._withdrawn_molecules()

    def _indications(self) -> Select[Any]:
        """One row per drug indication, in the columns of STAGED_INDICATION."""
        indication, molecule = self._tables["drug_indication"], self._tables["molecule_dictionary"]
        # An indication of an unknown molecule is read as well, to be refused rather than lost.
        parent, joined = self._with_parent(
            indication.outerjoin(molecule, molecule.c.molregno == indication.c.molregno), molecule
        )
        key = "drugind_id" if "drugind_id" in indication.c else "molregno"
        names = ("efo_id", "efo_term", "mesh_id", "mesh_heading")
        return sa.select(
            indication.c[key],
            molecule.c.chembl_id,
            parent,
            *[_or_null(indication, name) for name in names],
            indication.c.max_phase_for_ind,
            _or_null(molecule, "first_approval"),
        ).select_from(joined)

    def _references(self) -> Select[Any]:
        """One row per reference of an indication, in the columns of STAGED_REFERENCE."""
        reference = self._tables["indication_refs"]
        return sa.select(reference.c.drugind_id, reference.c.ref_type, reference.c.ref_id)

    def _preferred_names(self) -> Select[Any]:
        """One row per molecule with a name, in the columns of STAGED_NAME."""
        molecule = self._tables["molecule_dictionary"]
        name = _or_null(molecule, "pref_name")
        return self._molecules(_word("name"), name).where(name.is_not(None))

    def _synonyms(self) -> Select[Any]:
        """One row per synonym, in the columns of STAGED_NAME."""
        synonym, molecule, joined = self._of_molecules("molecule_synonyms")
        parent, joined = self._with_parent(joined, molecule)
        rows = sa.select(molecule.c.chembl_id, parent, _word("synonym"), synonym.c.synonyms)
        return rows.select_from(joined).where(synonym.c.synonyms.is_not(None))

    def _known_molecules(self, chembl_ids: Sequence[str]) -> Select[Any]:
        """Those of `chembl_ids` that are in the release, in the columns of STAGED_MOLECULE."""
        rows = self._molecules()
        chembl_id, _ = rows.selected_columns
        return rows.where(chembl_id.in_(chembl_ids))

    def _derivatives(self) -> Select[Any]:
        """The molecules that have another as their parent, in the columns of STAGED_MOLECULE."""
        rows = self._molecules()
        chembl_id, parent = rows.selected_columns
        return rows.where(parent != chembl_id)

    def _structures(self) -> Select[Any]:
        """The InChIKeys of molecules with a name or an indication, and who else has one of them.

        In the columns of STAGED_KEY, like the two below.
        """
        structure, molecule, joined = self._of_molecules("compound_structures")
        key = structure.c.standard_inchi_key
        rows = sa.select(molecule.c.chembl_id, _word("inchi_key"), key).select_from(joined)
        indicated = sa.select(self._tables["drug_indication"].c.molregno)
        is_wanted: sa.ColumnElement[bool] = molecule.c.molregno.in_(indicated)
        if "pref_name" in molecule.c:
            is_wanted |= molecule.c.pref_name.is_not(None)
        wanted = sa.select(key).select_from(joined).where(is_wanted, key.is_not(None))
        return rows.where(key.in_(wanted))

    def _substances(self) -> Select[Any]:
        """The UNII of molecules, where the dictionary has a column for it."""
        molecule = self._tables["molecule_dictionary"]
        rows = sa.select(molecule.c.chembl_id, _word("unii"), molecule.c.unii)
        return rows.where(molecule.c.unii.is_not(None))

    def _substance_synonyms(self) -> Select[Any]:
        """The UNII of molecules, where it is among their synonyms."""
        synonym, molecule, joined = self._of_molecules("molecule_synonyms")
        rows = sa.select(molecule.c.chembl_id, _word("unii"), synonym.c.synonyms)
        is_unii = sa.func.upper(synonym.c.syn_type) == "UNII"
        return rows.select_from(joined).where(is_unii, synonym.c.synonyms.is_not(None))

    def _warnings(self) -> Select[Any]:
        """The warnings of molecules, in the columns of STAGED_WARNING, like the one below."""
        warning, molecule, joined = self._of_molecules("drug_warning")
        parent, joined = self._with_parent(joined, molecule)
        names = [f"warning_{name}" for name in ("class", "description", "country", "year")]
        return sa.select(
            warning.c.warning_id,
            molecule.c.chembl_id,
            parent,
            warning.c.warning_type,
            *[_or_null(warning, name) for name in (*names, "efo_id", "efo_term")],
        ).select_from(joined)

    def _withdrawn_molecules(self) -> Select[Any]:
        """The molecules that the dictionary flags as withdrawn; older releases say when and why."""
        molecule = self._tables["molecule_dictionary"]
        parent, joined = self._with_parent(molecule, molecule)
        names = ("class", "reason", "country", "year")
        rows = sa.select(
            sa.null().label("warning_id"),
            molecule.c.chembl_id,
            parent,
            _word("Withdrawn"),
            *[_or_null(molecule, f"withdrawn_{name}") for name in names],
            sa.null().label("efo_id"),
            sa.null().label("efo_term"),
        ).select_from(joined)
        return rows.where(sa.cast(molecule.c.withdrawn_flag, sa.String) == "1")

    def _molecules(self, *more: sa.ColumnElement[Any]) -> Select[Any]:
        """One row per molecule: its ChEMBL id, that of its parent, and `more` of the dictionary."""
        molecule = self._tables["molecule_dictionary"]
        parent, joined = self._with_parent(molecule, molecule)
        return sa.select(molecule.c.chembl_id, parent, *more).select_from(joined)

    def _of_molecules(self, name: str) -> tuple[sa.TableClause, sa.TableClause, sa.FromClause]:
        """Return a table, the dictionary of molecules, and the two joined by molregno."""
        table, molecule = self._tables[name], self._tables["molecule_dictionary"]
        return table, molecule, table.join(molecule, molecule.c.molregno == table.c.molregno)

    def _with_parent(
        self, joined: sa.FromClause, molecule: sa.TableClause
    ) -> tuple[sa.ColumnElement[Any], sa.FromClause]:
        """Join the parent molecule, where the release has a hierarchy."""
        if not self._has("molecule_hierarchy"):
            return sa.null(), joined
        hierarchy = self._tables["molecule_hierarchy"]
        parent = self._tables["molecule_dictionary"].alias("parent_molecule")
        joined = joined.outerjoin(hierarchy, hierarchy.c.molregno == molecule.c.molregno)
        joined = joined.outerjoin(parent, parent.c.molregno == hierarchy.c.parent_molregno)
        return parent.c.chembl_id, joined


def _or_null(table: sa.TableClause, column: str) -> sa.ColumnElement[Any]:
    return table.c[column] if column in table.c else sa.null()


def _word(text: str) -> sa.ColumnElement[str]:
    """Return a word of this module, never of input, as a value of a query."""
    return sa.literal_column(f"'{text}'")


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
