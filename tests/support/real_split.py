"""Real indications split at random by pair: half are known at a freeze, half are events after it.

Nothing is predicted by the split itself, so what a ranker finds is in the pairs: popularity, which
the figure must not credit, and likeness of drugs, which it must.
"""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from null_world import Slate, by_degree_product, by_popularity, top
from numpy.random import Generator
from numpy.typing import NDArray

Array = NDArray[Any]

N_DISEASES = 300


def read_pairs(path: Path) -> tuple[Array, Array]:
    """Return drug and disease of each distinct indication with a disease identifier, numbered."""
    with path.open(encoding="utf-8") as handle:
        pairs = sorted(
            {
                (row["molecule_chembl_id"], row["efo_id"])
                for row in csv.DictReader(handle)
                if row["efo_id"]
            }
        )
    drugs, diseases = zip(*pairs, strict=True)
    return (
        np.unique(drugs, return_inverse=True)[1],
        np.unique(diseases, return_inverse=True)[1],
    )


def split(
    drug: Array, disease: Array, seed: int, *, fewest_known: int = 1
) -> Iterator[tuple[str, Slate]]:
    """Yield the slate of each ranker, by name, over 300 diseases with so many known pairs.

    "popularity and known" predicts all known pairs beside those of popularity; two more draw 20 of
    the 40 or 60 broadest drugs for each disease.
    """
    rng = np.random.default_rng(seed)
    is_label = rng.random(len(drug)) < 0.5
    known = np.zeros((drug.max() + 1, disease.max() + 1), dtype=np.bool_)
    later = np.zeros_like(known)
    known[drug[is_label], disease[is_label]] = True
    later[drug[~is_label], disease[~is_label]] = True
    breadth = known.sum(axis=1)
    degree = known.sum(axis=0)
    chosen = rng.permutation(np.flatnonzero(degree >= fewest_known))[:N_DISEASES]
    likeness = _likeness(known, chosen) + 1e-9 * rng.random((len(breadth), len(chosen)))
    known, later, degree = known[:, chosen], later[:, chosen], degree[chosen]
    popular = by_popularity(breadth, known, rng)
    for name, predicted in {
        "popularity": popular,
        "degree product": by_degree_product(breadth, degree, known, rng),
        "popularity and known": popular | known,
        "20 of the 40 broadest": _among_broadest(40, breadth, known, rng),
        "20 of the 60 broadest": _among_broadest(60, breadth, known, rng),
        "random": top(rng.random(known.shape), known),
        "cosine filter": top(likeness, known),
    }.items():
        yield name, Slate(breadth, known, predicted, later)


def _among_broadest(n: int, breadth: Array, known: NDArray[np.bool_], rng: Generator) -> Array:
    score = rng.random(known.shape)
    score[np.argsort(-(breadth + 0.5 * rng.random(len(breadth))))[:n]] += 2
    return top(score, known)


def _likeness(known: NDArray[np.bool_], chosen: Array) -> Array:
    """Return the sum of cosines between each chosen disease and a drug's other known diseases."""
    pairs = known.astype(np.float32)
    length = np.sqrt(np.maximum(pairs.sum(axis=0), 1))
    unit = pairs / length
    cosine = unit.T @ unit[:, chosen]
    cosine[chosen, np.arange(len(chosen))] = 0
    likeness: Array = (pairs @ cosine).astype(np.float64)
    return likeness
