"""The ratio of a list of predictions and the variance of its logarithm, every pair written out.

From docs/metrics.md#enrichment_vs_matched in NumPy. A table has arrays of shape (n_candidates,):
`disease`, `drug`, `level` (the class of the drug's breadth), `hit`, which may be weights,
`predicted`, and, where records made the hits, `record`, '' for a pair without.
"""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracker.uncertainty.stats import pooling, stratified

Array = NDArray[Any]
Figures = dict[str, Any]


def figures(table: Figures) -> Figures:
    """Return the sums, the ratio and the own share of a list, and the counts of its strata."""
    disease, level = (
        np.unique(table[name], return_inverse=True)[1] for name in ("disease", "level")
    )
    _, stratum = np.unique(disease * (level.max(initial=0) + 1) + level, return_inverse=True)
    hit, own = table["hit"], table["predicted"]
    size = np.bincount(stratum).astype(float)
    n1, h = np.bincount(stratum, own), np.bincount(stratum, hit)
    a = np.bincount(stratum, hit * own)
    r, s = (a * (size - n1) / size).sum(), ((h - a) * n1 / size).sum()
    left_in = (n1 * h / size).sum()
    if left_in == 0:
        return {"left_in": 0.0}
    own_share = (n1**2 * h / size**2).sum() / left_in
    found = {"left_in": left_in, "own_share": own_share, "hits": a.sum(), "r": r, "s": s}
    found["ratio"] = None if own_share > 0.9 or s == 0 else r / s
    squares = np.bincount(stratum, hit**2)
    chance = ((n1 * (size - n1) * squares - a * (h - a) * size) / size**2).sum()
    found |= {"chance": chance / (r * s) if r * s else None}
    return found | {"stratum": stratum, "size": size, "n1": n1, "h": h, "a": a}


def influences(table: Figures, found: Figures) -> Figures:
    """Return what each pair, each drug and each disease adds to ln(ratio), a ratio above 0."""
    stratum, ratio = found["stratum"], found["ratio"]
    size, n1, h = (found[name][stratum] for name in ("size", "n1", "h"))
    n0, own = size - n1, table["predicted"]
    total = n0 + ratio * n1
    factor = np.where(own, ratio, 1)
    q = h / total
    weight = np.where(own, n0, -ratio * n1) / size / found["r"]
    counts = (n1 > 0) & (n0 > 0) & (h > 0)
    pair = weight * (table["hit"] - factor * q) / (1 - np.minimum(factor / total, 0.95))
    pair = np.where(counts, pair, 0)
    stake = np.where(counts, weight * factor * q, 0)
    drugs, drug = np.unique(table["drug"], return_inverse=True)
    diseases, disease = np.unique(table["disease"], return_inverse=True)
    above = np.bincount(disease, np.where(counts, table["hit"] * own * n0 / size, 0))
    below = np.bincount(disease, np.where(counts, table["hit"] * ~own * n1 / size, 0))
    # A stratum's weight, shared out over its candidates.
    share = np.bincount(disease, np.where(counts, ratio * q * n1 * n0 / size / size, 0))
    return {
        "pair": pair,
        "drugs": drugs,
        "drug": np.bincount(drug, pair),
        "stake": np.bincount(drug, stake),
        "diseases": diseases,
        "disease": above / found["r"] - below / found["s"],
        "share": share / share.sum(),
    }


def parts(table: Figures, found: Figures) -> Figures:
    """Return the parts of the variance of a ratio above 0, and the effective numbers."""
    each = influences(table, found)
    of_disease = each["disease"] ** 2 / np.maximum(1 - each["share"], 0.05)
    record = _records(table)
    made = [one for one in np.unique(record) if one]
    crossed = np.array([_crossed(table, each["pair"], record == one) for one in made])
    return {
        "drugs": max((each["drug"] ** 2).sum() - (each["pair"] ** 2).sum(), 0),
        "diseases": max(of_disease.sum() - found["chance"], 0),
        "n_drugs": (each["stake"] ** 2).sum() ** 2 / (each["stake"] ** 4).sum(),
        "n_diseases": (each["share"] ** 2).sum() ** 2 / (each["share"] ** 4).sum(),
        "records": max(crossed.sum(), 0),
        "n_records": crossed.sum() ** 2 / (crossed**2).sum() if crossed.any() else None,
    }


def _records(table: Figures) -> Array:
    return np.asarray(table.get("record", np.full(len(table["hit"]), "")))


def _crossed(table: Figures, pair: Array, made: Array) -> float:
    """Return the sum over ordered pairs of a record's hits that differ in drug and disease."""
    found = zip(table["drug"][made], table["disease"][made], pair[made], strict=True)
    return float(
        sum(
            one * other
            for (drug, disease, one), (other_drug, other_disease, other) in product(found, repeat=2)
            if drug != other_drug and disease != other_disease
        )
    )


def part(table: Figures) -> pooling.Part | None:
    """Return what is pooled of a list, None where nothing is expected or it is its own baseline."""
    found = figures(table)
    if not found["left_in"] or found["own_share"] > 0.9:
        return None
    n_hits, ratio = int(found["hits"]), found["ratio"]
    sums = found["r"], found["s"]
    if not ratio:
        return pooling.Part(n_hits, *sums, None, np.inf, None)
    each = influences(table, found)
    spread = stratified.Ratio(
        ratio, n_hits, found["s"], chance=found["chance"], **parts(table, found)
    )
    hit = table["hit"] > 0
    influence = pooling.Influence(
        each["drugs"],
        each["drug"],
        each["stake"],
        each["diseases"],
        each["disease"],
        table["drug"][hit],
        table["disease"][hit],
        _records(table)[hit],
        each["pair"][hit],
    )
    return pooling.Part(n_hits, *sums, spread.variance, spread.df, influence)
