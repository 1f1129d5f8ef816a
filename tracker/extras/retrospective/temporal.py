"""Temporal runs: fits a ranker on what was approved by a year and scores every candidate pair."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import Connection

from tracker import rankers, schema, store, temp_tables
from tracker.errors import InputRefused
from tracker.extras.retrospective import evaluations
from tracker.extras.retrospective.appending import appended
from tracker.progress import Progress, silent
from tracker.rankers import Ids, LabeledPairs, Ranker
from tracker.store import statements

PROCEDURE = "temporal"


def run(
    path: Path,
    evaluation_id: int,
    ranker_name: str,
    *,
    cutoff: int,
    first: int,
    last: int,
    seed: int = 0,
    name: str | None = None,
    workers: int | None = None,
    wait: float = store.DEFAULT_WAIT_SECONDS,
    progress: Progress = silent,
) -> int:
    """Score the remaining diseases of an evaluation; return the number of diseases scored.

    The ranker learns only the positives with an approval year up to `cutoff`: labels of lower
    phases have no date and would reveal the future. Afterwards temporal_score has every candidate
    pair, and the view temporal_auc the years `first` to `last`. Raises InputRefused if no positive
    has a year up to the cutoff, or a score is not finite.
    """
    if not cutoff < first <= last:
        raise InputRefused(
            f"the later years {first} to {last} must follow the cutoff year {cutoff}"
        )
    _, origin = rankers.find(ranker_name)
    name = name or evaluations.run_name(ranker_name, seed)
    with store.reader(path) as connection:
        evaluation = evaluations.find(connection, evaluation_id)
        labels = evaluations.training(connection, evaluation.label_set_id)
    is_known = (labels.approval_year > 0) & (labels.approval_year <= cutoff)
    known = labels.pairs.where(is_known & (labels.pairs.label >= evaluation.positive_min_label))
    if not len(known.label):
        raise InputRefused(
            f"no positive pair has an approval_year up to {cutoff}: nothing to fit a ranker on"
        )
    ranker = evaluations.fitted(ranker_name, seed, known)
    key: dict[str, Any] = {"evaluation_id": evaluation_id, "ranker": name, "cutoff_year": cutoff}
    with store.writer(path, wait=wait) as connection:
        made_by, years = f"{origin}, seed {seed}", (cutoff, first, last)
        evaluations.start_run(connection, evaluation_id, name, PROCEDURE, made_by, years)
    with store.reader(path) as connection:
        done = statements.run(connection, "scored_disease", key).scalars().all()
        every = evaluations.disease_ids(connection, evaluation.candidate_set_id, labels.pairs)
    todo = np.setdiff1d(every, np.array(done, dtype=np.int32))

    def append(connection: Connection, scored: list[pd.DataFrame]) -> None:
        frame = pd.concat(scored, ignore_index=True).assign(**key)
        temp_tables.insert_frame(connection, schema.temporal_score, frame)

    with (
        appended(path, wait, append) as add,
        ThreadPoolExecutor(workers or os.cpu_count()) as pool,
    ):
        for number, batch in enumerate(evaluations.batches(todo)):
            progress(f"disease {number * evaluations.BATCH + 1:,} of {len(todo):,}")
            with store.reader(path) as connection:
                drugs = evaluations.candidates(
                    connection, evaluation.candidate_set_id, labels.pairs, batch
                )
            tasks = [
                pool.submit(_disease_scores, name, ranker, labels.pairs, disease, ids)
                for disease, ids in drugs.items()
            ]
            add([task.result() for task in tasks])
    return len(todo)


def _disease_scores(
    name: str, ranker: Ranker, pairs: LabeledPairs, disease_id: int, drug_ids: Ids
) -> pd.DataFrame:
    """Return the scores of one disease's candidates in the columns of temporal_score."""
    scores = ranker.score(disease_id, drug_ids)
    checked = rankers.checked_scores(name, scores, pairs.diseases[disease_id], len(drug_ids))
    return pd.DataFrame({"disease_id": disease_id, "drug_id": drug_ids, "score": checked})
