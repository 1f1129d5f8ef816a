"""Drugs and diseases: how the two differ, and the official forms of their identifiers."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Table

from tracker import schema

_MESH = re.compile(r"[CD][0-9]{6,9}")
_CURIE = re.compile(r"([A-Za-z][A-Za-z0-9.]*)[:_](\S+)")


def chembl_id(text: str) -> str | None:
    """Return a ChEMBL id in its official form, None if `text` is not one."""
    candidate = text.strip().upper()
    return candidate if re.fullmatch(r"CHEMBL[0-9]+", candidate) else None


def ontology_id(text: str) -> str | None:
    """Return an ontology id as PREFIX:LOCAL (EFO_0000270: EFO:0000270), None for other text."""
    candidate = text.strip()
    if _MESH.fullmatch(candidate.upper()):
        return f"MESH:{candidate.upper()}"
    match = _CURIE.fullmatch(candidate)
    return f"{match[1].upper()}:{match[2].upper()}" if match else None


def _ontology_kind(identifier: str) -> str:
    kinds = {"MONDO": "mondo_id", "MESH": "mesh_id"}
    return kinds.get(identifier.partition(":")[0], "efo_id")


@dataclass(frozen=True)
class Entity:
    """What differs between drugs and diseases: tables, identifiers and columns of files."""

    name: str
    table: Table
    alias: Table
    identifier_column: str
    file_identifier_column: str
    normalise: Callable[[str], str | None]
    alias_kind: Callable[[str], str]
    # Matches an identifier in its official form, and no folded name.
    pattern: str

    @property
    def key(self) -> str:
        """The name of the surrogate key: drug_id or disease_id."""
        return f"{self.name}_id"

    @property
    def key_column(self) -> sa.Column[int]:
        """The surrogate key in the entity's table."""
        return self.table.c[self.key]

    @property
    def name_column(self) -> str:
        """The column of files that has the name."""
        return f"{self.name}_name"


DRUG = Entity(
    "drug",
    schema.drug,
    schema.drug_alias,
    "chembl_id",
    "chembl_id",
    chembl_id,
    lambda _identifier: "chembl_id",
    r"CHEMBL\d+",
)
DISEASE = Entity(
    "disease",
    schema.disease,
    schema.disease_alias,
    "ontology_id",
    "disease_id",
    ontology_id,
    _ontology_kind,
    r"[A-Z][A-Z0-9.]*:\S+",
)
