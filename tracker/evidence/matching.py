"""Resolves texts of studies and medicines, and terms of indications, to diseases and drugs.

The rules are in sql/matching and sql/statements/matching. A match is stored with the instant from
which the store knew it, so that no slate is matched through later knowledge.
"""

import contextlib
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection, text

from tracker import clock, resources, schema, temp_tables
from tracker.entities import curies, folding
from tracker.progress import Progress, silent
from tracker.store import statements

# The statements in the order in which each reads what those before it made.
_CONCEPTS = (
    "known_term_name",
    "current_identifier",
    "current_molecule",
    "term_link",
    "entity_term",
    "term_claim",
    "concept_term",
    "bearer_term",
    "plain_spelling",
    "entity_name",
)
_TEXTS = (
    "text_piece",
    "text_without_dose",
    "text_part",
    "unqualified_text",
    "spelled_text",
    "text_key",
    "exact_claim",
    "key_claim",
)
_MATCHES = ("mentioned_name", "mention", "text_entity", "disease_ancestor", "found_match")
# Everything that a match can rest on: the rows of a table and the latest instant among them.
_KNOWLEDGE = """
select 'drug_alias' as part, count(*) as n_rows, max(added_at) as known_at from drug_alias
union all
select 'disease_alias', count(*), max(added_at) from disease_alias
union all
select 'vocabulary', count(*), max(release.ingested_at)
from vocabulary_release inner join release using (release_id)
union all
select 'chembl', count(*), max(ingested_at) from release where source = 'chembl'
order by part
"""


@dataclass(frozen=True)
class Matched:
    """The texts that were compared, and how many matches were appended."""

    n_texts: int
    n_matches: int


def match_texts(connection: Connection, *, progress: Progress = silent) -> Matched:
    """Append the matches of every text of the registry that the store lacks.

    Only the texts of studies and medicines added since the last run are compared, or all of them
    if aliases, vocabularies or the rules have changed. Nothing is updated or deleted: a stronger
    match is a further row, and one that no longer holds is followed by a row of the kind
    'withdrawn'.
    """
    knowledge, known_at = _knowledge(connection)
    last_trial_id = _greatest(connection, schema.trial.c.trial_id)
    last_medicine_id = _greatest(connection, schema.medicine.c.medicine_id)
    done = connection.execute(
        sa.select(schema.matching).order_by(schema.matching.c.matching_id.desc()).limit(1)
    ).first()
    is_whole = done is None or done.knowledge_sha256 != knowledge
    after_trial, after_medicine = (
        (0, 0) if done is None or is_whole else (done.last_trial_id, done.last_medicine_id or 0)
    )
    is_current = not is_whole and (after_trial, after_medicine) == (last_trial_id, last_medicine_id)
    if known_at is None or is_current or not _has_texts(connection):
        return Matched(0, 0)
    folding.prepare(connection)
    statements.run(
        connection,
        "registry_text",
        {"after_trial_id": after_trial, "after_medicine_id": after_medicine, "is_whole": is_whole},
    )
    _register_identifiers(connection)
    with _joins_as_written(connection):
        progress("reading the vocabularies")
        _run(connection, _CONCEPTS)
        progress("comparing the texts")
        _run(connection, _TEXTS)
        _run(connection, _MATCHES)
    progress("storing what is new")
    statements.run(connection, "changed_match", {"known_at": known_at})
    matching_id = temp_tables.next_key(connection, schema.matching.c.matching_id)
    n_texts, n_matches = (
        temp_tables.count_rows(connection, name) for name in ("registry_text", "changed_match")
    )
    connection.execute(
        schema.matching.insert(),
        {
            "matching_id": matching_id,
            "matched_at": clock.in_order(connection),
            "knowledge_sha256": knowledge,
            "last_trial_id": last_trial_id,
            "last_medicine_id": last_medicine_id,
            "is_whole": is_whole,
            "n_texts": n_texts,
            "n_matches": n_matches,
        },
    )
    run = {"matching_id": matching_id}
    statements.run(connection, "append_disease_match", run)
    statements.run(connection, "append_drug_match", run)
    if is_whole:
        statements.run(connection, "append_shared_name", run)
    return Matched(n_texts, n_matches)


def _run(connection: Connection, names: Iterable[str]) -> None:
    for name in names:
        statements.run(connection, name)


@contextlib.contextmanager
def _joins_as_written(connection: Connection) -> Iterator[None]:
    """Keep the order of joins within the body.

    Until they are committed DuckDB takes temporary tables for empty and would join all pairs.
    """
    connection.exec_driver_sql("set disabled_optimizers = 'join_order'")
    try:
        yield
    finally:
        connection.exec_driver_sql("reset disabled_optimizers")


def _knowledge(connection: Connection) -> tuple[str, datetime | None]:
    """Return a hash of the rules and the knowledge for matches, and its latest instant."""
    root = resources.directory("sql")
    rules = hashlib.sha256("".join(folding.macros()).encode())
    for path in sorted(
        [*root.glob("matching/match_*.sql"), *root.glob("statements/matching/*.sql")]
    ):
        rules.update(path.name.encode() + b"\0" + path.read_bytes())
    digest = hashlib.sha256(rules.hexdigest().encode())
    instants = []
    for row in connection.execute(text(_KNOWLEDGE)):
        digest.update(f"{row.part} {row.n_rows} {row.known_at}\n".encode())
        instants.append(row.known_at)
    return digest.hexdigest(), max(filter(None, instants), default=None)


def _has_texts(connection: Connection) -> bool:
    return any(
        connection.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first()
        for table in (schema.trial, schema.indication, schema.medicine)
    )


def _greatest(connection: Connection, key: sa.Column[int]) -> int:
    found = connection.execute(sa.select(sa.func.max(key))).scalar()
    return int(found or 0)


def _register_identifiers(connection: Connection) -> None:
    """Make the one spelling of each identifier readable in SQL as identifier_spelling."""
    given = list(statements.run(connection, "given_identifier").scalars())
    spelled = temp_tables.frame_of(
        [(one, found) for one in given if (found := curies.curie(one.upper())) is not None],
        columns=["given", "identifier"],
    )
    types = {"given": sa.String, "identifier": sa.String}
    temp_tables.temporary(connection, "identifier_spelling", types, spelled)
