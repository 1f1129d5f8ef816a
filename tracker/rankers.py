"""The interface of rankers that can be re-fitted, and the bundled baseline rankers.

A ranker is fitted on labeled pairs and scores the candidate drugs of one disease. Rankers are found
through the entry-point group `tracker.rankers`: each entry is a factory that takes the run's seed
and returns an unfitted ranker.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tracker import plugins
from tracker.errors import InputRefused, no_such

GROUP = "tracker.rankers"

# What a ranker is judged against. Popularity and the degree product are what the primary endpoint
# has to see through; random scores are what knows nothing.
BASELINES = ("popularity", "degree_product", "random")

Ids = NDArray[np.int32]
Labels = NDArray[np.int8]
Scores = NDArray[np.float64]
Words = NDArray[np.uint64]


@dataclass(frozen=True)
class LabeledPairs:
    """The training data of a ranker: one entry per pair, sorted by disease_id and drug_id.

    The three arrays have shape (n_pairs,). `diseases` and `drugs` map every id that may occur, in
    training or among candidates, to its identifier outside the store (ontology id or ChEMBL id,
    else the folded name), so that a model can look up its features. `disease_names` and
    `drug_names` map them to the names that order equals: the ids follow the order of loading, and
    nothing that a model decides may.
    """

    disease_id: Ids
    drug_id: Ids
    label: Labels
    diseases: Mapping[int, str]
    drugs: Mapping[int, str]
    disease_names: Mapping[int, str] = field(default_factory=dict)
    drug_names: Mapping[int, str] = field(default_factory=dict)

    @property
    def ordered(self) -> "LabeledPairs":
        """The pairs in the order of the names of disease and drug."""
        disease, drug = places(self.named_diseases), places(self.named_drugs)
        return self.where(np.lexsort((drug[self.drug_id], disease[self.disease_id])))

    @property
    def named_diseases(self) -> Mapping[int, str]:
        """The name of each disease, its identifier where no names are given."""
        return self.disease_names or self.diseases

    @property
    def named_drugs(self) -> Mapping[int, str]:
        """The name of each drug, its identifier where no names are given."""
        return self.drug_names or self.drugs

    def without(self, disease_id: int, drug_id: int) -> "LabeledPairs":
        """Return the pairs without one of them."""
        kept = (self.disease_id != disease_id) | (self.drug_id != drug_id)
        return self.where(kept)

    def where(self, kept: NDArray[np.bool_] | NDArray[np.intp]) -> "LabeledPairs":
        """Return the pairs for which `kept`, of shape (n_pairs,), is true, or those it numbers."""
        return replace(
            self,
            disease_id=self.disease_id[kept],
            drug_id=self.drug_id[kept],
            label=self.label[kept],
        )


def places(names: Mapping[int, str]) -> NDArray[np.int64]:
    """Return the place of each id in the order of names, by id: shape (largest id + 1,)."""
    place = np.zeros(1 + max(names, default=0), dtype=np.int64)
    ordered = sorted(names, key=lambda key: (names[key], key))
    place[ordered] = np.arange(len(ordered))
    return place


class Ranker(Protocol):
    """A model that can be re-fitted. Higher scores are better; only their order matters.

    `score` may be called from several threads at once after `fit`.
    """

    def fit(self, training: LabeledPairs, /) -> None:
        """Forget everything learned before and learn from `training`."""

    def score(self, disease_id: int, drug_ids: Ids, /) -> Scores:
        """Return a finite score for each drug, in the order given: shape (n_drugs,)."""


@runtime_checkable
class ScoresWithout(Protocol):
    """A fitted ranker that can compute its scores had one training pair been absent."""

    def score_without(self, disease_id: int, drug_ids: Ids, hidden_drug_id: int, /) -> Scores:
        """Return `score(disease_id, drug_ids)` of the same ranker fitted without the pair.

        The pair is (disease_id, hidden_drug_id). The scores equal those of a new fit to the last
        bit, so that ties are the same.
        """


RankerFactory = Callable[[int], Ranker]


def available() -> dict[str, EntryPoint]:
    """Return the rankers installed here by name."""
    return plugins.named(GROUP)


def find(name: str) -> tuple[RankerFactory, str]:
    """Return the factory of a ranker and where it comes from.

    Raises InputRefused if no ranker has the name or its code cannot be imported.
    """
    known = available()
    if name not in known:
        raise no_such("ranker", name, known, f"known: {', '.join(sorted(known))}")
    factory: RankerFactory = plugins.load(known[name], "ranker")
    return factory, plugins.origin(known[name])


def checked_scores(name: str, scores: object, disease: str, n_drugs: int) -> Scores:
    """Return what a ranker scored as float64 of shape (n_drugs,).

    Raises InputRefused, naming ranker and disease, if a score is missing, not finite, greater than
    any float, or not a number.
    """
    try:
        checked = np.asarray(scores, dtype=np.float64)
    except OverflowError:
        raise InputRefused(
            f"ranker '{name}' gave a candidate of disease '{disease}' a score that is greater than "
            "any float"
        ) from None
    except (TypeError, ValueError):
        raise InputRefused(
            f"ranker '{name}' scored disease '{disease}' with something other than numbers"
        ) from None
    if checked.shape != (n_drugs,):
        raise InputRefused(
            f"ranker '{name}' returned scores of shape {checked.shape} for disease '{disease}'; "
            f"it has {n_drugs:,} candidates, so the shape must be ({n_drugs},)"
        )
    n_bad = n_drugs - int(np.isfinite(checked).sum())
    if n_bad:
        raise InputRefused(
            f"ranker '{name}' gave {n_bad:,} of the {n_drugs:,} candidates of disease "
            f"'{disease}' a score that is not a finite number"
        )
    return checked


class _Degrees:
    """How many drugs each disease and how many diseases each drug has, by id."""

    def __init__(self, training: LabeledPairs) -> None:
        known = training.label > 0
        size = 1 + max(max(training.diseases, default=0), max(training.drugs, default=0))
        self.of_disease = np.bincount(training.disease_id[known], minlength=size)
        self.of_drug = np.bincount(training.drug_id[known], minlength=size)
        self.pairs = set(
            zip(training.disease_id[known].tolist(), training.drug_id[known].tolist(), strict=True)
        )


class Popularity:
    """Scores a drug by its breadth: the number of diseases with a label above 0 for it.

    With a pair hidden, the hidden drug's breadth is one less and every other drug's the same.
    """

    def __init__(self, _seed: int = 0) -> None:
        self._degrees: _Degrees

    def fit(self, training: LabeledPairs) -> None:
        """Count the breadth of every drug."""
        self._degrees = _Degrees(training)

    def score(self, _disease_id: int, drug_ids: Ids) -> Scores:
        """Return the breadth of each drug, the same for every disease."""
        return self._degrees.of_drug[drug_ids].astype(np.float64)

    def score_without(self, disease_id: int, drug_ids: Ids, hidden_drug_id: int) -> Scores:
        """Return the breadths with the hidden drug's own pair not counted."""
        scores = self.score(disease_id, drug_ids)
        if (disease_id, hidden_drug_id) in self._degrees.pairs:
            scores[drug_ids == hidden_drug_id] -= 1
        return scores


class DegreeProduct:
    """Scores a pair by the number of known drugs of the disease times the breadth of the drug."""

    def __init__(self, _seed: int = 0) -> None:
        self._degrees: _Degrees

    def fit(self, training: LabeledPairs) -> None:
        """Count the known pairs of every disease and every drug."""
        self._degrees = _Degrees(training)

    def score(self, disease_id: int, drug_ids: Ids) -> Scores:
        """Return the product of the two degrees for each drug."""
        degree = int(self._degrees.of_disease[disease_id])
        return (degree * self._degrees.of_drug[drug_ids]).astype(np.float64)

    def score_without(self, disease_id: int, drug_ids: Ids, hidden_drug_id: int) -> Scores:
        """Return the products with both degrees one less where the hidden pair counted."""
        is_counted = (disease_id, hidden_drug_id) in self._degrees.pairs
        degree = int(self._degrees.of_disease[disease_id]) - is_counted
        breadth = self._degrees.of_drug[drug_ids] - (is_counted * (drug_ids == hidden_drug_id))
        scores: Scores = (degree * breadth).astype(np.float64)
        return scores


class RandomScores:
    """Scores every pair by a number in [0, 1) drawn from the seed and the pair's names alone.

    The number depends on no other pair, on no label and not on the order in which a store met the
    names, so a hidden pair changes nothing.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._disease: NDArray[np.uint64]
        self._drug: NDArray[np.uint64]

    def fit(self, training: LabeledPairs) -> None:
        """Learn the names of all diseases and drugs, and nothing else."""
        self._disease = _words(training.named_diseases)
        self._drug = _words(training.named_drugs)

    def score(self, disease_id: int, drug_ids: Ids) -> Scores:
        """Return 53 mixed bits of the seed and the names of disease and drug as a fraction."""
        start = _mix(np.array([self._seed % 2**64], dtype=np.uint64)) ^ self._disease[disease_id]
        bits = _mix(_mix(start) ^ self._drug[drug_ids])
        scores: Scores = (bits >> np.uint64(11)).astype(np.float64) / 2.0**53
        return scores

    def score_without(self, disease_id: int, drug_ids: Ids, _hidden_drug_id: int) -> Scores:
        """Return the same scores."""
        return self.score(disease_id, drug_ids)


def _words(names: Mapping[int, str]) -> NDArray[np.uint64]:
    """Return the first 64 bits of each name's SHA-256 by id: shape (largest id + 1,)."""
    words = np.zeros(1 + max(names, default=0), dtype=np.uint64)
    for key, name in names.items():
        words[key] = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    return words


def _mix(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64-bit words: the output function of SplitMix64 (Steele, Lea and Flood 2014)."""
    mixed = state + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


class _Adjacency:
    """The neighbours of each of n nodes: those of node i are targets[starts[i]:starts[i + 1]]."""

    def __init__(self, sources: Ids, targets: Ids, n: int) -> None:
        order = np.lexsort((targets, sources))
        self.targets = targets[order]
        self.degree = np.bincount(sources, minlength=n)
        self.starts = np.concatenate(([0], np.cumsum(self.degree)))

    def of(self, nodes: NDArray[np.int64]) -> Ids:
        """Return the neighbours of all `nodes`, node by node, in one array."""
        lengths = self.degree[nodes]
        ends = np.cumsum(lengths)
        offsets = np.arange(lengths.sum()) - np.repeat(ends - lengths, lengths)
        neighbours: Ids = self.targets[np.repeat(self.starts[nodes], lengths) + offsets]
        return neighbours


# The similarities of collaborative filtering are multiples of this.
_STEP = 2.0**-36


class CollaborativeFiltering:
    """Scores a drug for a disease by the similar diseases that have it.

    The similarity of two diseases is the cosine of their sets of drugs with a label above 0; the
    score is the share of the total similarity that falls on diseases that have the drug, 0 if no
    other disease shares a drug. A hidden pair takes one drug from the disease's own set, and the
    sets of all others stay, so its scores only need the overlaps recounted.
    """

    def __init__(self, _seed: int = 0) -> None:
        self._drugs_of: _Adjacency
        self._diseases_of: _Adjacency

    def fit(self, training: LabeledPairs) -> None:
        """Index the known pairs by disease and by drug."""
        known = training.label > 0
        diseases, drugs = training.disease_id[known], training.drug_id[known]
        n_diseases = 1 + max(training.diseases, default=0)
        n_drugs = 1 + max(training.drugs, default=0)
        self._drugs_of = _Adjacency(diseases, drugs, n_diseases)
        self._diseases_of = _Adjacency(drugs, diseases, n_drugs)

    def score(self, disease_id: int, drug_ids: Ids) -> Scores:
        """Return the similarity-weighted share of diseases that have each drug."""
        return self._score(disease_id, drug_ids, self._own_drugs(disease_id))

    def score_without(self, disease_id: int, drug_ids: Ids, hidden_drug_id: int) -> Scores:
        """Return the shares with the hidden drug taken from the disease's own set."""
        own = self._own_drugs(disease_id)
        return self._score(disease_id, drug_ids, own[own != hidden_drug_id])

    def _own_drugs(self, disease_id: int) -> NDArray[np.int64]:
        return self._drugs_of.of(np.array([disease_id])).astype(np.int64)

    def _score(self, disease_id: int, drug_ids: Ids, own: NDArray[np.int64]) -> Scores:
        overlap = np.bincount(self._diseases_of.of(own), minlength=len(self._drugs_of.degree))
        overlap[disease_id] = 0
        similar = np.flatnonzero(overlap)
        if similar.size == 0:
            return np.zeros(len(drug_ids))
        degree = self._drugs_of.degree[similar]
        cosine = overlap[similar] / np.sqrt(len(own) * degree)
        # Multiples of so small a step add up without rounding, up to 2^17 diseases, so that ties do
        # not depend on the order in which diseases are numbered.
        similarity = np.rint(cosine / _STEP) * _STEP
        share = np.bincount(
            self._drugs_of.of(similar),
            weights=np.repeat(similarity, degree),
            minlength=len(self._diseases_of.degree),
        )
        scores: Scores = share[drug_ids] / similarity.sum()
        return scores
