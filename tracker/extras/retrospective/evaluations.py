"""Evaluations: a candidate set compared with a label set, and the data rankers run on."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import entities, rankers, schema, store, temp_tables
from tracker.entities.kinds import DISEASE, DRUG
from tracker.errors import InputRefused
from tracker.progress import Progress, silent
from tracker.rankers import Ids, LabeledPairs, Ranker
from tracker.slates import loads
from tracker.store import sealed_sets, statements
from tracker.uncertainty.estimates.records import read_sample

# The number of diseases read, scored and kept in memory at a time.
BATCH = 256


@dataclass(frozen=True)
class Training:
    """The labels of an evaluation: `pairs`, and the year in which each was approved, else 0."""

    pairs: LabeledPairs
    approval_year: Ids


def create(
    connection: Connection, candidates: str | None, labels: str, positive_min_label: int = 4
) -> tuple[int, bool]:
    """Return the evaluation of the two sets at this threshold and whether it is new.

    Without `candidates`, every labeled drug is a candidate for every labeled disease. Raises
    InputRefused if a set is unknown or the two sets share no pair, and CheckFailed if a file of the
    candidate set is not as it was sealed.
    """
    candidate_set_id = None
    if candidates is not None:
        candidate_set = loads.find_set(connection, schema.candidate_set, candidates)
        candidate_set_id = candidate_set.candidate_set_id
        sealed_sets.require_unaltered(connection, candidate_set_id)
    label_set_id = loads.find_set(connection, schema.label_set, labels).label_set_id
    table = schema.evaluation
    held = connection.execute(
        sa.select(table.c.evaluation_id).where(
            table.c.candidate_set_id.is_not_distinct_from(candidate_set_id),
            table.c.label_set_id == label_set_id,
            table.c.positive_min_label == positive_min_label,
        )
    ).scalar()
    if held is not None:
        return int(held), False
    sets = {"candidate_set_id": candidate_set_id, "label_set_id": label_set_id}
    if (
        candidates is not None
        and not statements.run(connection, "has_shared_pair", sets).scalar_one()
    ):
        raise InputRefused(
            f"no pair of label set '{labels}' is in candidate set '{candidates}': the two may "
            "name their drugs or diseases differently; 'tracker load aliases' can join the names"
        )
    evaluation_id = temp_tables.next_key(connection, table.c.evaluation_id)
    connection.execute(
        table.insert(),
        {
            **sets,
            "evaluation_id": evaluation_id,
            "positive_min_label": positive_min_label,
            "created_at": store.now(connection),
        },
    )
    return evaluation_id, True


def find(connection: Connection, evaluation_id: int) -> Row[Any]:
    """Return the row of the table evaluation; InputRefused if there is none."""
    return numbered(connection, schema.evaluation, evaluation_id, "tracker retrospective")


def numbered(connection: Connection, table: sa.Table, number: int, command: str) -> Row[Any]:
    """Return the row of this number; InputRefused, which names the `command` that makes one."""
    key = table.c[f"{table.name}_id"]
    row = connection.execute(sa.select(table).where(key == number)).first()
    if row is None:
        latest = temp_tables.next_key(connection, key) - 1
        hint = f"the latest is {latest}" if latest else f"make one with '{command}'"
        raise InputRefused(f"there is no {table.name} {number}; {hint}")
    return row


def every(connection: Connection) -> list[Row[Any]]:
    """Return all evaluations in the order of their numbers."""
    table = schema.evaluation
    return list(connection.execute(sa.select(table).order_by(table.c.evaluation_id)))


def start_run(
    connection: Connection,
    evaluation_id: int,
    ranker: str,
    procedure: str,
    origin: str,
    years: tuple[int, int, int] | None = None,
) -> None:
    """Record a run of a ranker over an evaluation; the same run again adds nothing.

    `years` are the cutoff and the first and last later year of a temporal run. Raises InputRefused
    if a run of that name was made by other code, another file or other years.
    """
    cutoff, first, last = years or (0, None, None)
    table = schema.ranker_run
    key = {"evaluation_id": evaluation_id, "ranker": ranker}
    key |= {"procedure": procedure, "cutoff_year": cutoff}
    held = connection.execute(sa.select(table).filter_by(**key)).first()
    if held is None:
        row = {"first_year": first, "last_year": last, "origin": origin}
        connection.execute(table.insert(), {**key, **row, "started_at": store.now(connection)})
    elif (held.origin, held.first_year, held.last_year) != (origin, first, last):
        years_made = "" if first is None else f", {held.first_year} to {held.last_year}"
        raise InputRefused(
            f"evaluation {evaluation_id} already has a run named '{ranker}' ({held.origin}"
            f"{years_made}); give the new one another --name"
        )


def training(connection: Connection, label_set_id: int) -> Training:
    """Return the labels of a label set, with the identifiers of everything in the store."""
    arrays = read_sample(connection, "training_label", label_set_id=label_set_id)
    identifiers, names = [], []
    for entity in (DISEASE, DRUG):
        frame = entities.identifiers(connection, entity)
        identifiers.append(dict(zip(frame[entity.key].tolist(), frame["identifier"], strict=True)))
        names.append(entities.tie_names(connection, entity))
    return Training(
        LabeledPairs(
            arrays["disease_id"].astype(np.int32),
            arrays["drug_id"].astype(np.int32),
            arrays["label"].astype(np.int8),
            *identifiers,
            *names,
        ),
        arrays["approval_year"].astype(np.int32),
    )


def disease_ids(connection: Connection, candidate_set_id: int | None, pairs: LabeledPairs) -> Ids:
    """Return the diseases that have candidates, ascending."""
    if candidate_set_id is None:
        return np.unique(pairs.disease_id)
    arrays = read_sample(connection, "evaluated_disease", candidate_set_id=candidate_set_id)
    found: Ids = arrays["disease_id"].astype(np.int32)
    return found


def batches(diseases: Ids) -> Iterator[list[int]]:
    """Cut diseases into lists of at most BATCH."""
    for start in range(0, len(diseases), BATCH):
        yield diseases[start : start + BATCH].tolist()


def candidates(
    connection: Connection,
    candidate_set_id: int | None,
    pairs: LabeledPairs,
    diseases: Sequence[int],
) -> dict[int, Ids]:
    """Return the candidate drugs of each disease, ascending by drug_id."""
    if candidate_set_id is None:
        return dict.fromkeys(diseases, np.unique(pairs.drug_id))
    wanted = {"candidate_set_id": candidate_set_id, "diseases": list(diseases)}
    arrays = read_sample(connection, "evaluated_pair", **wanted)
    keys, starts = np.unique(arrays["disease_id"], return_index=True)
    parts = np.split(arrays["drug_id"].astype(np.int32), starts[1:])
    return dict(zip(keys.tolist(), parts, strict=True))


def fitted(name: str, seed: int, pairs: LabeledPairs) -> Ranker:
    """Return a ranker fitted on `pairs`."""
    factory, _ = rankers.find(name)
    ranker = factory(seed)
    ranker.fit(pairs)
    return ranker


def score_candidates(
    connection: Connection,
    ranker_name: str,
    *,
    candidates_of: str,
    labels: str,
    seed: int = 0,
    progress: Progress = silent,
) -> str:
    """Make a candidate set of a ranker's scores for the pairs of another; return its name.

    The ranker is fitted on the whole label set. The same ranker, seed and sets give the same
    candidate set; another release of the ranker makes another one, whose name ends in a hash where
    the plain name is taken. Raises InputRefused if a set or the ranker is unknown, or a score is
    not a finite number, and CheckFailed if a file of the set is not as it was sealed.
    """
    original = loads.find_set(connection, schema.candidate_set, candidates_of)
    label_set = loads.find_set(connection, schema.label_set, labels)
    _, origin = rankers.find(ranker_name)
    recipe = {"ranker": origin, "seed": seed}
    recipe |= {"candidates": original.sha256, "labels": label_set.sha256}
    digest = hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()
    table = schema.candidate_set
    held = connection.execute(sa.select(table.c.name).where(table.c.sha256 == digest)).scalar()
    if held is not None:
        return str(held)
    sealed_sets.require_unaltered(connection, original.candidate_set_id)
    pairs = training(connection, label_set.label_set_id).pairs
    ranker = fitted(ranker_name, seed, pairs)
    version = run_name(ranker_name, seed)
    name = f"{candidates_of} by {version} on {labels}"
    if connection.execute(sa.select(table.c.name).where(table.c.name == name)).first() is not None:
        name = f"{name}, {digest[:12]}"
    candidate_set_id = temp_tables.next_key(connection, table.c.candidate_set_id)
    connection.execute(
        table.insert(),
        {
            "candidate_set_id": candidate_set_id,
            "name": name,
            "model_version": version,
            "sha256": digest,
            "origin": origin,
            "n_pairs": original.n_pairs,
            "loaded_at": store.now(connection),
        },
    )
    diseases = disease_ids(connection, original.candidate_set_id, pairs)
    for number, batch in enumerate(batches(diseases)):
        progress(f"scoring disease {number * BATCH + 1:,} of {len(diseases):,}")
        drugs = candidates(connection, original.candidate_set_id, pairs, batch)
        scores = [
            rankers.checked_scores(
                ranker_name, ranker.score(key, ids), pairs.diseases[key], len(ids)
            )
            for key, ids in drugs.items()
        ]
        temp_tables.insert_frame(
            connection,
            schema.stored_candidate,
            pd.DataFrame(
                {
                    "candidate_set_id": candidate_set_id,
                    "disease_id": np.repeat(list(drugs), [len(ids) for ids in drugs.values()]),
                    "drug_id": np.concatenate(list(drugs.values())),
                    "score": np.concatenate(scores),
                }
            ),
        )
    return name


def run_name(ranker: str, seed: int) -> str:
    """Return the name of a ranker's run: the ranker's, with the seed if it is not 0."""
    return ranker if seed == 0 else f"{ranker}, seed {seed}"
