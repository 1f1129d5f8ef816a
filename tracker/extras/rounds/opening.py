"""Opens a round: its files, its baselines, its power, and the question."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import clock, schema, temp_tables
from tracker.errors import InputRefused
from tracker.extras.rounds import entries, power, questions, reveals
from tracker.extras.rounds.questions import FILES, QUESTION, Asked, Round, shown
from tracker.files import sha256_of
from tracker.progress import Progress, silent
from tracker.slates import evidence_labels, loads
from tracker.store import statements


def ask(
    connection: Connection, asked: Asked, folder: Path, progress: Progress = silent
) -> tuple[Round, bool]:
    """Open a round and write its files to an empty folder; return it, and whether it is new.

    Its baselines are frozen first, since the question names their hashes and says what could be
    detected. The same question again writes the same files. Raises InputRefused for the name of
    another question, an unknown set, labels that know no candidate, and a past deadline unless it
    is a replay.
    """
    table = schema.round_
    stored = connection.execute(sa.select(table).where(table.c.name == asked.name)).first()
    # Never earlier than the store's contents, even if a clock set back is accepted.
    present = clock.in_order(connection)
    _require_possible(asked, present if stored is None else stored.opened_at)
    candidate_set = loads.find_set(connection, schema.candidate_set, asked.candidates)
    label_set = loads.find_set(connection, schema.label_set, asked.labels)
    ids = {
        "candidate_set_id": candidate_set.candidate_set_id,
        "label_set_id": label_set.label_set_id,
    }
    known_until = (
        evidence_labels.day_of(label_set.origin) or label_set.loaded_at.astimezone(UTC).date()
    )
    progress("writing the question")
    given = {
        "format": questions.FORMAT,
        "name": asked.name,
        "deadline": asked.deadline.astimezone(UTC).isoformat(),
        "is_replay": asked.replay,
        "top_k": asked.top_k,
        "labels_as_of": str(asked.labels_as_of or known_until),
        "embargo_until": None if asked.embargo_until is None else str(asked.embargo_until),
        "plan": asked.plan.document,
        **_counts(connection, candidate_set.candidate_set_id),
        "files": _write_files(connection, ids, folder),
    }
    if stored is not None:
        if any(stored.question.get(key) != value for key, value in given.items()):
            raise InputRefused(
                f"round '{asked.name}' asks another question; choose another name, or move its "
                "deadline with 'tracker round extend'"
            )
        (folder / QUESTION).write_bytes(questions.canonical(stored.question))
        return questions.find(connection, asked.name), False
    baselines = entries.freeze_baselines(connection, asked, progress)
    progress("computing what could be detected")
    question = {
        **given,
        "asked_at": present.astimezone(UTC).isoformat(),
        "baselines": {name: one.content_sha256 for name, one in baselines.items()},
        "power": power.of_round(connection, baselines["random"].slate.slate_id, asked.plan),
    }
    content = questions.canonical(question)
    (folder / QUESTION).write_bytes(content)
    connection.execute(
        table.insert(),
        {
            "round_id": temp_tables.next_key(connection, table.c.round_id),
            "name": asked.name,
            "question": question,
            "question_sha256": hashlib.sha256(content).hexdigest(),
            **ids,
            "deadline": asked.deadline,
            "is_replay": asked.replay,
            "opened_at": present,
        },
    )
    found = questions.find(connection, asked.name)
    for name, one in baselines.items():
        reveals.enter(connection, found, one.slate.slate_id, "baseline", name)
    entries.add_related(connection, found, baselines["random"].slate.slate_id, progress)
    return found, True


def _require_possible(asked: Asked, present: datetime) -> None:
    if not questions.NAME.fullmatch(asked.name):
        raise InputRefused(
            "the name of a round is up to 64 letters, digits, dots, dashes or underscores, not "
            f"'{asked.name}'"
        )
    if asked.replay and asked.deadline > present:
        raise InputRefused(f"a replay has a deadline in the past, not {shown(asked.deadline)}")
    if not asked.replay and asked.deadline <= present:
        raise InputRefused(f"the deadline {shown(asked.deadline)} has passed; --replay accepts it")
    if asked.embargo_until is not None and asked.embargo_until <= asked.deadline.date():
        raise InputRefused(
            f"an embargo until {asked.embargo_until} is over by the deadline, "
            f"{shown(asked.deadline)}"
        )


def _write_files(connection: Connection, ids: Mapping[str, int], folder: Path) -> dict[str, str]:
    """Write the files beside the question; return the hash of each."""
    for name, statement in FILES.items():
        given = {key: ids[key] for key in statements.find(statement).parameters}
        if name == "probe.csv" and statements.run(connection, statement, given).first() is None:
            raise InputRefused(
                "no candidate is known by these labels: a round needs some, for its probe and to "
                "tell popular drugs"
            )
        statements.write_file(connection, statement, folder / name, "csv", given)
    return {name: sha256_of(folder / name) for name in FILES}


def _counts(connection: Connection, candidate_set_id: int) -> dict[str, int]:
    names = ("candidate_set_id", "disease_id", "drug_id")
    candidate = sa.table("candidate", *[sa.column(name) for name in names])
    distinct = [sa.func.count(sa.distinct(candidate.c[name])) for name in names[1:]]
    own = candidate.c.candidate_set_id == candidate_set_id
    row = connection.execute(sa.select(sa.func.count(), *distinct).where(own)).one()
    return dict(zip(("n_pairs", "n_diseases", "n_drugs"), map(int, row), strict=True))
