"""Leave-one-out: hides each positive pair from training and ranks its drug among the candidates.

A ranker that offers score_without is fitted once, and scores one disease for each hidden pair; any
other ranker is fitted again for every hidden pair. Diseases run in parallel threads.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy import Connection, text

from tracker import files, rankers, schema, store, temp_tables
from tracker.extras.retrospective import evaluations
from tracker.extras.retrospective.appending import appended
from tracker.files import Column, Survey
from tracker.progress import Progress, silent
from tracker.rankers import Ids, LabeledPairs, Ranker, Scores, ScoresWithout
from tracker.slates import resolving
from tracker.slates.loads import Loaded
from tracker.store import statements

PROCEDURE = "leave_one_out"
TRIAL_COLUMNS = (
    *resolving.PAIR_COLUMNS,
    Column("rank", "number", low=1, high=2**31 - 1),
    Column("n_candidates", "integer", low=1, high=2**31 - 1),
)

_LOO_PAIRS = text("select disease_id, drug_id from loo_pair where evaluation_id = :evaluation_id")


def run(
    path: Path,
    evaluation_id: int,
    ranker_name: str,
    *,
    seed: int = 0,
    name: str | None = None,
    workers: int | None = None,
    wait: float = store.DEFAULT_WAIT_SECONDS,
    progress: Progress = silent,
) -> int:
    """Run the rest of an evaluation's leave-one-out; return the number of new trials.

    Afterwards every pair of the view loo_pair has a trial under `name`, by default the ranker's, in
    the store at `path`. Raises InputRefused for an unknown ranker or a score that is not finite;
    finished diseases stay stored.
    """
    factory, origin = rankers.find(ranker_name)
    name = name or evaluations.run_name(ranker_name, seed)
    with store.writer(path, wait=wait) as connection:
        evaluations.start_run(connection, evaluation_id, name, PROCEDURE, f"{origin}, seed {seed}")
    with store.reader(path) as connection:
        evaluation = evaluations.find(connection, evaluation_id)
        pairs = evaluations.training(connection, evaluation.label_set_id).pairs
        key: dict[str, Any] = {"evaluation_id": evaluation_id, "ranker": name}
        hidden = {
            row.disease_id: np.array(row.drug_ids, dtype=np.int32)
            for row in statements.run(connection, "pending_disease", key)
        }

    def refit(without: LabeledPairs) -> Ranker:
        ranker = factory(seed)
        ranker.fit(without)
        return ranker

    ranker = refit(pairs)
    positive = pairs.label >= evaluation.positive_min_label
    todo = np.array(list(hidden), dtype=np.int32)
    n_trials = 0

    def append(connection: Connection, done: list[pd.DataFrame]) -> None:
        frame = pd.concat(done, ignore_index=True).assign(**key)
        temp_tables.insert_frame(connection, schema.loo_trial, frame)

    with (
        appended(path, wait, append) as add,
        ThreadPoolExecutor(workers or os.cpu_count()) as pool,
    ):
        for number, batch in enumerate(evaluations.batches(todo)):
            progress(f"disease {number * evaluations.BATCH + 1:,} of {len(todo):,}")
            with store.reader(path) as connection:
                drugs = evaluations.candidates(
                    connection, evaluation.candidate_set_id, pairs, batch
                )
            tasks = [
                pool.submit(
                    _disease_trials,
                    name,
                    ranker,
                    refit,
                    pairs,
                    disease,
                    drugs[disease],
                    hidden[disease],
                    pairs.drug_id[positive & (pairs.disease_id == disease)],
                )
                for disease in batch
            ]
            try:
                for task in tasks:
                    n_trials += len(task.result())
                    add([task.result()])
            except BaseException:
                for task in tasks:
                    task.cancel()
                raise
    return n_trials


def load_trials(connection: Connection, path: Path, evaluation_id: int, name: str) -> Loaded:
    """Store ranks computed elsewhere (disease_name, drug_name, rank, n_candidates) as `name`.

    Each pair must be one of the view loo_pair. A file has one rank per pair, so the filtered,
    optimistic and pessimistic ranks stay NULL. The same file again adds nothing. Raises
    ProblemsFound with file, row and column.
    """
    file = files.read(connection, path, TRIAL_COLUMNS)
    made_by = f"{path.name}, {file.table.sha256}"
    evaluations.start_run(connection, evaluation_id, name, PROCEDURE, made_by)
    table = schema.loo_trial
    held = connection.execute(
        sa.select(sa.func.count()).where(
            table.c.evaluation_id == evaluation_id, table.c.ranker == name
        )
    ).scalar_one()
    if held:
        return Loaded(name, 0, file.n_rows)
    resolved, _ = resolving.resolve_pairs(connection, file, file.numbered, create=False)
    rows = connection.execute(sa.select(resolved).order_by(resolved.c.row_number)).all()
    found = connection.execute(_LOO_PAIRS, {"evaluation_id": evaluation_id})
    expected = {(row.disease_id, row.drug_id) for row in found}
    first_rows: dict[tuple[int, int], int] = {}
    survey = Survey(file.table)
    for row in rows:
        pair = (row.disease_id, row.drug_id)
        if pair not in expected:
            survey.add(
                row.row_number,
                "drug_name",
                f"'{row.drug_name}' for '{row.disease_name}' is not a pair to leave out: it must "
                "be positive, a candidate, and its disease must have enough labeled pairs",
            )
        elif pair in first_rows:
            survey.add(row.row_number, "drug_name", f"the pair repeats row {first_rows[pair]}")
        elif row.rank > row.n_candidates:
            beyond = f"{row.rank:.15g} is beyond the {row.n_candidates} candidates"
            survey.add(row.row_number, "rank", beyond)
        first_rows.setdefault(pair, row.row_number)
    survey.refuse()
    columns = ["disease_id", "drug_id", "rank", "n_candidates"]
    values = [[getattr(row, column) for column in columns] for row in rows]
    frame = pd.DataFrame(values, columns=columns).assign(evaluation_id=evaluation_id, ranker=name)
    temp_tables.insert_frame(connection, table, frame)
    return Loaded(name, len(frame), file.n_rows)


def _disease_trials(
    name: str,
    ranker: Ranker,
    refit: Callable[[LabeledPairs], Ranker],
    pairs: LabeledPairs,
    disease_id: int,
    drug_ids: Ids,
    hidden: Ids,
    positives: Ids,
) -> pd.DataFrame:
    """Return the trials of one disease in the columns of loo_trial, one per hidden drug."""
    is_other_positive = np.isin(drug_ids, positives)
    trials = []
    for drug_id in hidden:
        if isinstance(ranker, ScoresWithout):
            scores = ranker.score_without(disease_id, drug_ids, int(drug_id))
        else:
            again = refit(pairs.without(disease_id, int(drug_id)))
            scores = again.score(disease_id, drug_ids)
        scores = rankers.checked_scores(name, scores, pairs.diseases[disease_id], len(drug_ids))
        is_hidden = drug_ids == drug_id
        trials.append(
            {
                "disease_id": disease_id,
                "drug_id": int(drug_id),
                **_ranks(scores, is_hidden, "rank"),
                "n_candidates": len(drug_ids),
                **_ranks(scores, is_hidden, "filtered_rank", kept=~is_other_positive | is_hidden),
                "n_candidates_filtered": int((~is_other_positive | is_hidden).sum()),
            }
        )
    return pd.DataFrame(trials)


def _ranks(
    scores: Scores, is_hidden: NDArray[np.bool_], name: str, kept: NDArray[np.bool_] | None = None
) -> dict[str, float]:
    """Return the hidden drug's ranks among `kept`; the realistic one is 1 + better + ties / 2."""
    own = scores[is_hidden][0]
    among = scores if kept is None else scores[kept]
    n_better = int((among > own).sum())
    n_ties = int((among == own).sum()) - 1
    return {
        f"{name}_optimistic": 1 + n_better,
        name: 1 + n_better + n_ties / 2,
        f"{name}_pessimistic": 1 + n_better + n_ties,
    }
