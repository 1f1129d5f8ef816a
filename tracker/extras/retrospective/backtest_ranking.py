"""The candidates of an origin, and the lists that rankers make of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sqlalchemy import Connection

from tracker import rankers, schema, store, temp_tables
from tracker.extras.retrospective import evaluations
from tracker.rankers import Ids, LabeledPairs, Scores
from tracker.uncertainty.estimates.records import read_sample

# Swaps that give a pair twice are tried again this often.
_SWAPS = 50


class Candidates:
    """The pairs that were not known at an origin: `disease_id` and `drug_id`, sorted by both.

    `score` is the candidate set's own, None without a set.
    """

    def __init__(
        self, connection: Connection, candidate_set_id: int | None, label_set_id: int
    ) -> None:
        sets = {"candidate_set_id": candidate_set_id, "label_set_id": label_set_id}
        columns = read_sample(connection, "origin_candidate", **sets)
        self.disease_id: Ids = columns["disease_id"].astype(np.int32)
        self.drug_id: Ids = columns["drug_id"].astype(np.int32)
        self.score: Scores | None = None
        if candidate_set_id is not None:
            self.score = np.asarray(columns["score"], dtype=np.float64)

    def scored_by(self, name: str, ranker: rankers.Ranker, pairs: LabeledPairs) -> Scores:
        """Return a fitted ranker's score of each pair; InputRefused if one is not finite."""
        diseases, starts = np.unique(self.disease_id, return_index=True)
        parts = np.split(self.drug_id, starts[1:]) if len(diseases) else []
        scores = [
            rankers.checked_scores(
                name, ranker.score(int(disease), drugs), pairs.diseases[int(disease)], len(drugs)
            )
            for disease, drugs in zip(diseases, parts, strict=True)
        ]
        return np.concatenate(scores) if scores else np.zeros(0)

    def store(self, connection: Connection, name: str, scores: Scores) -> None:
        """Store the pairs with these scores as a candidate set."""
        table = schema.candidate_set
        candidate_set_id = temp_tables.next_key(connection, table.c.candidate_set_id)
        connection.execute(
            table.insert(),
            {
                "candidate_set_id": candidate_set_id,
                "name": name,
                "model_version": name,
                "sha256": name,
                "origin": "backtest",
                "n_pairs": len(scores),
                "loaded_at": store.now(connection),
            },
        )
        temp_tables.insert_frame(
            connection,
            schema.stored_candidate,
            pd.DataFrame(
                {
                    "candidate_set_id": candidate_set_id,
                    "disease_id": self.disease_id,
                    "drug_id": self.drug_id,
                    "score": scores,
                }
            ),
        )


def fitted(name: str, seed: int, pairs: LabeledPairs, *, is_shuffled: bool) -> rankers.Ranker:
    """Return a ranker fitted on pairs, or on the same pairs with their drugs shuffled."""
    return evaluations.fitted(name, seed, shuffled(pairs, seed) if is_shuffled else pairs)


def shuffled(pairs: LabeledPairs, seed: int) -> LabeledPairs:
    """Return the pairs with drugs exchanged between diseases at random.

    Every drug keeps its number of diseases and every disease its number of drugs, so that
    popularity is all that is left to learn. Pairs that come out twice for want of other drugs are
    kept once.
    """
    pairs = pairs.ordered
    random = np.random.default_rng(seed)
    drug = random.permutation(pairs.drug_id)
    for _ in range(_SWAPS):
        twice = np.flatnonzero(_repeats(pairs.disease_id, drug))
        if not len(twice):
            break
        others = random.integers(0, len(drug), len(twice))
        for one, other in zip(twice, others, strict=True):
            drug[one], drug[other] = drug[other], drug[one]
    order = np.lexsort((drug, pairs.disease_id))
    exchanged = replace(
        pairs, disease_id=pairs.disease_id[order], drug_id=drug[order], label=pairs.label[order]
    )
    return exchanged.where(~_repeats(exchanged.disease_id, exchanged.drug_id))


def _repeats(disease_id: Ids, drug_id: Ids) -> NDArray[np.bool_]:
    """Return whether the pair of each place also stands at an earlier one."""
    pair = disease_id.astype(np.int64) * (1 << 31) + drug_id
    repeats = np.ones(len(pair), dtype=np.bool_)
    repeats[np.unique(pair, return_index=True)[1]] = False
    return repeats
