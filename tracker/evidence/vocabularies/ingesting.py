"""Ingests a release of a vocabulary: all of its terms, names, parents and mappings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema
from tracker.entities import folding
from tracker.errors import InputRefused
from tracker.evidence import release_ledger
from tracker.evidence.vocabularies import reading
from tracker.evidence.vocabularies.content import Content
from tracker.files import names
from tracker.progress import Progress, silent
from tracker.store import statements

# The sources of evidence; a vocabulary under one of these names would be taken for its release.
_EVIDENCE = ("chembl", "ctgov", "ctgov_history", "ema", "fda", "ictrp")
_NAME = re.compile(r"\w[\w.+-]{0,63}")
_VERSION = re.compile(r"(?<![\w.])v?\d+(?:\.\d+)+(?![\w.-])")
_APPENDED = ("term", "name", "parent", "mapping")


@dataclass(frozen=True)
class IngestedVocabulary:
    """The result of an ingestion; `is_new` is False if the store already had the content."""

    source: str
    version: str
    released_on: date
    is_new: bool
    n_terms: int
    n_names: int
    n_parents: int
    n_mappings: int
    # What was read otherwise than it stands in the file.
    remarks: Sequence[str] = ()


def ingest_vocabulary(
    connection: Connection,
    path: Path,
    *,
    source: str | None = None,
    released_on: date | None = None,
    progress: Progress = silent,
) -> IngestedVocabulary:
    """Store a vocabulary as a release of `source`, else of the name that the file states.

    Each release is kept whole and stands for itself: releases may come in any order, and a slim
    does not replace the vocabulary it was taken from. The date is `released_on`, else that of the
    file's header, else that in its name. Raises InputRefused or ProblemsFound naming file and
    place; the same content adds nothing, whatever its name.
    """
    progress("hashing")
    located = reading.locate(path)
    if source is not None and _fault_of(source):
        raise InputRefused(f"--source {source}: {_fault_of(source)}")
    stored = _find_same(connection, located.sha256)
    if stored is not None:
        return _ingested(connection, stored, is_new=False)
    progress("reading the vocabulary")
    found = reading.stage(connection, located)
    if source is None:
        source = re.sub(r"[^\w.+-]+", "_", found.name or path.name.partition(".")[0]).lstrip(".+-")[
            :64
        ]
        if _fault_of(source):
            raise InputRefused(f"{path.name}: the name {source} {_fault_of(source)}; give --source")
    released_on = released_on or found.released_on or names.date_in(path)
    if released_on is None:
        raise InputRefused(f"{path.name}: does not state its date; give --released")
    release_ledger.refuse_future(released_on)
    progress("storing the release")
    folding.prepare(connection, statements.find("term_name").clause)
    n_terms = len(found.terms)
    version = _version(found, released_on)
    release_id = release_ledger.add_release(
        connection, source, version, released_on, located.sha256, path.name, n_terms
    )
    for table in _APPENDED:
        statements.run(connection, f"append_vocabulary_{table}", {"release_id": release_id})
    statements.run(connection, "append_vocabulary_release", {"release_id": release_id})
    # A slim lacks most terms of its vocabulary, so the absence of one never means anything.
    release_ledger.add_coverage(connection, release_id, found.form, False, n_terms, n_terms)
    return replace(_ingested(connection, release_id, is_new=True), remarks=tuple(found.remarks))


def _fault_of(name: str) -> str | None:
    """Return why a vocabulary cannot have the name, None if it can."""
    if name.casefold() in _EVIDENCE:
        return "is the name of a source of evidence"
    if not _NAME.fullmatch(name):
        return "is not a name of at most 64 letters, digits and the signs . _ + -"
    return None


def _version(found: Content, released_on: date) -> str:
    """Return a version such as v3.62.0 that the header states, else the date."""
    stated = _VERSION.search(found.version or "")
    return stated[0] if stated else released_on.isoformat()


def _find_same(connection: Connection, sha256: str) -> int | None:
    release, vocabulary = schema.release, schema.vocabulary_release
    return connection.execute(
        sa.select(release.c.release_id)
        .join(vocabulary, vocabulary.c.release_id == release.c.release_id)
        .where(release.c.sha256 == sha256)
    ).scalar()


def _ingested(connection: Connection, release_id: int, *, is_new: bool) -> IngestedVocabulary:
    release, vocabulary = schema.release, schema.vocabulary_release
    row = connection.execute(
        sa.select(release.c.source, release.c.version, release.c.released_on, vocabulary)
        .join(vocabulary, vocabulary.c.release_id == release.c.release_id)
        .where(release.c.release_id == release_id)
    ).one()
    return IngestedVocabulary(
        row.source,
        row.version,
        row.released_on,
        is_new,
        row.n_terms,
        row.n_names,
        row.n_parents,
        row.n_mappings,
    )
