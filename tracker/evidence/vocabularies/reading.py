"""Recognises the file of a vocabulary and reads it, whatever its form, into the same tables."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import temp_tables
from tracker.errors import InputRefused
from tracker.evidence.snapshots import LocatedFile
from tracker.evidence.vocabularies import mesh, names, obo, obographs, sssom
from tracker.evidence.vocabularies.content import Content
from tracker.files import archives, streams

_FORMS = {
    ".obo": obo.FORM,
    ".json": obographs.FORM,
    ".xml": mesh.FORM,
    ".csv": names.NAMES_FORM,
    ".tsv": names.NAMES_FORM,
}


STAGED_TERM = temp_tables.define(
    "staged_term", "term_id", "label", "is_obsolete", "replaced_by", is_obsolete=sa.Boolean
)
STAGED_NAME = temp_tables.define("staged_term_name", "term_id", "scope", "name")
STAGED_PARENT = temp_tables.define("staged_term_parent", "term_id", "parent_term_id")
STAGED_MAPPING = temp_tables.define("staged_term_mapping", "term_id", "predicate", "object_id")


def locate(path: Path) -> LocatedFile:
    """Return what `path` is by its extension; raises InputRefused for any other file.

    The SHA-256 is that of the unpacked content, so that a file and its .gz are the same release.
    """
    streams.require_file(path)
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    form = _FORMS.get(suffixes[-1]) if suffixes else None
    if form is None:
        raise InputRefused(
            f"{path.name}: unknown kind of vocabulary; use .obo, .json (OBO Graphs), .xml (MeSH), "
            ".sssom.tsv, .csv or .tsv, also with .gz"
        )
    stamps = archives.stamped([path])
    return LocatedFile(path, form, streams.unpacked_sha256(path), stamps)


def stage(connection: Connection, source: LocatedFile) -> Content:
    """Read the vocabulary into the staged tables and return it.

    Raises InputRefused or ProblemsFound naming file and place.
    """
    found = _read(connection, source)
    archives.refuse_changed(source.stamps)
    found.refuse()
    if found.form != mesh.FORM:
        # MeSH places a descriptor at several points of its tree, and of two descriptors each can
        # be above the other in one branch: there a cycle is no mistake of the file.
        found.refuse_cycle()
    temp_tables.recreate(connection, STAGED_TERM, STAGED_NAME, STAGED_PARENT, STAGED_MAPPING)
    temp_tables.insert_tuples(connection, STAGED_TERM, found.terms)
    temp_tables.insert_tuples(connection, STAGED_NAME, found.names)
    temp_tables.insert_tuples(connection, STAGED_PARENT, found.parents)
    temp_tables.insert_tuples(connection, STAGED_MAPPING, found.mappings)
    return found


def _read(connection: Connection, source: LocatedFile) -> Content:
    path, origin = source.path, source.path.name
    if source.form == obographs.FORM:
        return obographs.read(origin, _document(path))
    text = streams.read_text(path, is_json=False)
    if source.form == mesh.FORM:
        return mesh.read(origin, streams.unpacked_chunks(path))
    if source.form == obo.FORM:
        return obo.read(origin, streams.text_lines(path))
    if text.first_line.startswith("#") or sssom.is_header(text.first_line):
        return sssom.read(origin, streams.text_lines(path))
    return names.read(connection, path, is_ended=text.is_ended)


def _document(path: Path) -> bytes:
    """Return the bytes of a document parsed in memory; refuses one that is too big for it."""
    parts = []
    n_bytes = 0
    for chunk in streams.unpacked_chunks(path):
        n_bytes += len(chunk)
        if n_bytes > archives.MAX_BYTES_IN_MEMORY:
            raise InputRefused(
                f"{path.name}: has more than {archives.MAX_BYTES_IN_MEMORY:,} bytes, which are "
                "read at once"
            )
        parts.append(chunk)
    return b"".join(parts)
