"""The ratio of a list and the variance of its logarithm against every pair written out in NumPy.

The views count strata and add up what each kind of pair does; the reference lists all candidates of
all lists, and fits each pair on its own. Both follow docs/metrics.md#enrichment_vs_matched.
"""

import random
import re
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
import reference
from numpy.typing import NDArray
from scipy import stats as scipy_stats
from sqlalchemy import Connection, text
from stratified_reference import figures, parts
from support import ROOT, sampled
from test_prospective_properties import deviations, random_world
from worlds import Row, World, complete, view_rows, viewed

from tracker.uncertainty.stats import stratified

Array = NDArray[Any]
TOLERANCE = 1e-9


def dense_world(seed: int) -> World:
    """Return a world with many hits: up to 70 drugs of breadth 0 to 40, up to 9 diseases."""
    rng = random.Random(seed)  # noqa: S311 - a world is no secret
    n_drugs, n_diseases = rng.randint(20, 70), rng.randint(1, 9)
    breadth = {drug: rng.choice((0, 0, 1, 2, 3, 12, 13, 40)) for drug in range(1, n_drugs + 1)}
    pairs = [
        {"disease_id": disease, "drug_id": drug}
        for disease in range(1, n_diseases + 1)
        for drug in breadth
        if rng.random() < 0.9
    ]
    labels = [
        {"label_set_id": 1, "disease_id": 100 + number, "drug_id": drug, "label": 4}
        for drug, n in breadth.items()
        for number in range(n)
    ]
    labels += [pair | {"label_set_id": 1, "label": 4} for pair in pairs if rng.random() < 0.04]
    popular = rng.choice((0, 0.01, 0.03))
    predicted = [p for p in pairs if rng.random() < 0.1 + popular * breadth[p["drug_id"]]]
    momentum = {drug: rng.lognormvariate(0, 0.7) for drug in breadth}
    own = {(pair["disease_id"], pair["drug_id"]) for pair in predicted}

    def came_true(pair: Row) -> bool:
        lift = 2.5 if (pair["disease_id"], pair["drug_id"]) in own else 1
        chance = (0.04 + 0.006 * breadth[pair["drug_id"]]) * momentum[pair["drug_id"]]
        return rng.random() < min(chance * lift, 0.9)

    # Disease 10 is the parent of all others, and labels know some of their drugs for it. By chance
    # of their own: hits stay what they are without it.
    family = random.Random(f"family {seed}")  # noqa: S311 - a world is no secret
    labels += [
        {"label_set_id": 1, "disease_id": 10, "drug_id": drug, "label": 4}
        for drug in breadth
        if family.random() < 0.4
    ]
    terms = {"MONDO:0": "disease", **{f"MONDO:{n}": f"term {n}" for n in range(1, 11)}}
    above = {"MONDO:10": "MONDO:0", **{f"MONDO:{n}": "MONDO:10" for n in range(1, 10)}}
    # A few studies made most of the hits; by chance of their own, too.
    studies = random.Random(f"studies {seed}")  # noqa: S311 - a world is no secret
    release = {"release_id": 1}
    return complete(
        {
            "release": [release | {"source": "mondo"}],
            "vocabulary_release": [release],
            "vocabulary_term": [release | {"term_id": t, "label": terms[t]} for t in terms],
            "vocabulary_parent": [
                release | {"term_id": term, "parent_term_id": above[term]} for term in above
            ],
            "disease_alias": [
                {"disease_id": number, "kind": "mondo_id", "value": f"MONDO:{number}"}
                for number in range(1, 11)
            ],
            "candidate": [pair | {"candidate_set_id": 1} for pair in pairs],
            "labeled_pair": labels,
            "slate": [
                {
                    "slate_id": UUID(int=1),
                    "candidate_set_id": 1,
                    "label_set_id": 1,
                    "plan": rng.choice((None, {"breadth_span": 1.35})),
                }
            ],
            "prediction": [
                pair | {"slate_id": UUID(int=1), "tier": rng.choice(("high", "moderate"))}
                for pair in predicted
            ],
            "outcome": [
                pair
                | {
                    "outcome_id": number,
                    "slate_id": UUID(int=1),
                    "event_date": date(2026, rng.choice((3, 4)), 1),
                    "public_after": date(2026, 4, 2),
                    "public_by": date(2026, 4, 3),
                    "detail": {"record": studies.choice((None, "NCT1", "NCT2"))},
                }
                for number, pair in enumerate(filter(came_true, pairs), start=1)
            ],
        }
    )


def lists_of(world: World, slate: Row) -> Iterator[tuple[tuple[str, str, str], Row]]:
    """Yield what each tier has by window, population and name: pairs as arrays, one by one."""
    # Of the pairs of these worlds, none has a hit of two records.
    record = {
        reference.pair_of(row): row["detail"]["record"] or ""
        for row in reference.outcomes_of(world, slate)
        if isinstance(row["detail"], dict) and "record" in row["detail"]
    }
    endpoint = reference.endpoint_of(slate)
    lists = [
        (group, reference.Matched(world, slate, *group), reference.tiers_of(world, slate))
        for group in reference.GROUPS
    ]
    lists += [
        ((endpoint["evidence_window"], name), compared, [endpoint["tier"]])
        for name, compared in reference.classes_of_nearness(world, slate)
        if name != "unplaced"
    ]
    for group, compared, tiers in lists:
        pairs = sorted(compared.pairs)
        is_hit = [pair in compared.hits for pair in pairs]
        table = {
            "disease": np.array([disease for disease, _ in pairs], dtype=int),
            "drug": np.array([drug for _, drug in pairs], dtype=int),
            "level": np.array([compared.stratum(pair)[1] for pair in pairs], dtype=int),
            "hit": np.array(is_hit, dtype=float),
            "record": np.array(
                [
                    record.get(pair, "") if hit else ""
                    for pair, hit in zip(pairs, is_hit, strict=True)
                ]
            ),
        }
        for tier in tiers:
            predicted = compared.tier(tier)
            listed = [pair in predicted for pair in pairs]
            yield (*group, tier), table | {"predicted": np.array(listed, dtype=bool)}


def read(connection: Connection) -> dict[tuple[Any, ...], Row]:
    query = (
        "select stratified_ratio.*, chance, drugs, diseases, effective_drugs as n_drugs, "
        "effective_diseases as n_diseases, records, effective_records as n_records "
        "from stratified_ratio left join ratio_variance using (slate_id, list_number) "
        "where list_kind in ('tier', 'nearness')"
    )
    return {
        (
            row["slate_id"],
            row["evidence_window"],
            row["list_name"] if row["list_kind"] == "nearness" else row["population"],
            row["tier"],
        ): dict(row)
        for row in connection.execute(text(query)).mappings()
    }


def close(value: float | None, expected: float | None) -> bool:
    if value is None or expected is None:
        return value is expected
    return abs(value - expected) <= TOLERANCE * max(abs(expected), 1)


def compared(path: Path, world: World) -> list[Row]:
    """Check every list of a world; return those with a ratio above 0."""
    told = []
    dated = reference.dated(world)
    with viewed(path, world) as connection:
        rows = read(connection)
    for slate in dated["slate"]:
        if not reference.has_sets(dated, slate):
            continue
        for key, table in lists_of(dated, slate):
            found, row = figures(table), rows.pop((slate["slate_id"], *key), None)
            if row is None:
                # A list has no row where the slate has no pair of the class or tier.
                assert not found["left_in"]
                continue
            if not found["left_in"]:
                assert row["left_in_hits"] is None
                assert row["expected_hits"] == (None if "no predictions" in row["reason"] else 0)
                continue
            for mine, theirs in (("left_in", "left_in_hits"), ("hits", "listed_hits")):
                assert close(row[theirs], found[mine])
            for name in ("ratio", "own_share", "r", "s"):
                assert close(row[name], found[name]), (key, name, row[name], found[name])
            if found["ratio"]:
                expected = parts(table, found) | {"chance": found["chance"]}
                for name, value in expected.items():
                    assert close(row[name], value), (key, name, row[name], value)
                told.append(row)
    # The others are of slates without sets.
    assert all("the slate has no" in row["reason"] for row in rows.values())
    return told


@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_lists_with_many_hits_agree_with_every_pair(store_path: Path, seed: int) -> None:
    told = compared(store_path, dense_world(seed))
    assert told


def test_records_that_tie_pairs_widen_lists(store_path: Path) -> None:
    assert any(row["records"] for row in compared(store_path, dense_world(0)))


@pytest.mark.slow
def test_classes_of_nearness_agree_where_they_have_many_hits(store_path: Path) -> None:
    """Random small worlds seldom have a ratio in a class; some of these do, others say why not."""
    found = []
    for world in map(dense_world, range(4)):
        with viewed(store_path, world) as connection:
            assert not deviations(connection, "enrichment_by_nearness", world)
            found += view_rows(connection, "enrichment_by_nearness")
    assert {one["nearness"] for one in found if one["enrichment_vs_matched"]} >= {
        "near-known",
        "new",
    }
    assert all((one["enrichment_vs_matched"] is None) == bool(one["reason"]) for one in found)


def nested(world: World) -> World:
    """Return the world with its diseases in a tree, MONDO:2 and 3 below MONDO:1 and so on."""
    above = {f"MONDO:{n}": f"MONDO:{n // 2 or 10}" for n in range(1, 10)}
    rows = [
        row | {"parent_term_id": above.get(row["term_id"], row["parent_term_id"])}
        for row in world["vocabulary_parent"]
    ]
    return world | {"vocabulary_parent": rows}


def bits(world: World, hits: dict[reference.Pair, str]) -> dict[reference.Pair, float]:
    """Return the information of each hit of `nested`, whose records are given, from the labels."""
    known = {
        disease: {
            row["drug_id"]
            for row in world["labeled_pair"]
            if row["label"] > 0 and disease in (row["disease_id"], *above(row["disease_id"]))
        }
        for disease in range(1, 11)
    }
    everything = {row["drug_id"] for row in world["labeled_pair"] if row["label"] > 0}
    return {
        (disease, drug): np.log2(
            (
                min(
                    [len(everything)]
                    + [
                        len(known[one])
                        for one in above(disease)
                        if record and hits.get((one, drug)) == record
                    ]
                )
                + 1
            )
            / (len(known[disease]) + 1)
        )
        for (disease, drug), record in hits.items()
    }


def above(disease: int) -> list[int]:
    """Return the numbers of the diseases above one of `nested`, which has 10 at its top."""
    found = []
    while 1 <= disease < 10:
        disease = disease // 2 or 10
        found.append(disease)
    return found


@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_hits_weighted_by_information_agree_with_every_pair(store_path: Path, seed: int) -> None:
    world = nested(dense_world(seed))
    (slate,) = world["slate"]
    plan = slate["plan"] or {}
    key = plan.get("evidence_window", "prospective"), plan.get("population", "novel")
    tables = {(one[0], one[1]): table for one, table in lists_of(world, slate) if one[2] == "high"}
    table = tables[key]
    pairs = list(zip(table["disease"].tolist(), table["drug"].tolist(), strict=True))
    is_hit = table["hit"] > 0
    hits = {
        pair: record
        for pair, record, hit in zip(pairs, table["record"].tolist(), is_hit, strict=True)
        if hit
    }
    weighed = bits(world, hits)
    mean = np.mean(list(weighed.values()))
    weight = np.array([weighed[pair] / mean if pair in weighed else 0.0 for pair in pairs])
    found = figures(table | {"hit": weight})
    with viewed(store_path, world) as connection:
        (row,) = (
            one
            for one in view_rows(connection, "information_enrichment")
            if one["weighting"] == "information"
        )
        spread = connection.execute(
            text(
                "select chance, drugs, diseases, records, effective_drugs as n_drugs, "
                "effective_diseases as n_diseases, effective_records as n_records "
                "from stratified_ratio inner join ratio_variance using (slate_id, list_number) "
                "where list_kind = 'information'"
            )
        ).mappings()
        varies = spread.first()
    n_diseases = len({disease for disease, _ in hits})
    assert len({round(one, 9) for one in weight[is_hit]}) > 2 or n_diseases <= 2
    assert close(row["enrichment_vs_matched"], found["ratio"])
    assert close(row["weighted_hits"], found["hits"])
    assert (varies is None) == (not found["ratio"])
    if varies is not None:
        told = parts(table | {"hit": weight}, found) | {"chance": found["chance"]}
        for name, value in told.items():
            assert close(varies[name], value), name


@pytest.mark.parametrize("seed", sampled(range(6), 2))
def test_small_and_ragged_worlds_agree(store_path: Path, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - a world is no secret
    compared(store_path, random_world(rng, is_matched=seed % 2 == 0))


def test_classes_are_exact_at_their_bounds() -> None:
    """No quotient of logarithms puts a whole power of a span below its class."""
    breadth = np.arange(1, 5001, dtype=float)
    for hundredths in range(105, 301, 5):
        span = Fraction(hundredths, 100)
        number = np.floor(np.log(breadth) / np.log(float(span)) + 1e-9).astype(int) + 1
        bounds = [Fraction(1)]
        while bounds[-1] <= 5000:
            bounds.append(bounds[-1] * span)
        exact = np.searchsorted(np.array(bounds, dtype=object), breadth.astype(int), side="right")
        assert (number == exact).all(), span


def limits(ratio: stratified.Ratio) -> tuple[float, float]:
    found = stratified.interval(ratio, 40)
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def test_limits_are_students_and_garwoods() -> None:
    """t for 2 drugs' degrees of freedom, by hand; with 4 hits Poisson's limits are wider."""
    many = stratified.Ratio(2.0, 20, 10, chance=0.05, drugs=0.05, diseases=0, n_drugs=6)
    assert many.df == pytest.approx(0.1**2 / (0.05**2 / 5))
    half = scipy_stats.t.ppf(0.975, 20) * 0.1**0.5
    assert limits(many) == pytest.approx((2 * np.exp(-half), 2 * np.exp(half)))
    few = stratified.Ratio(2.0, 4, 2, chance=0.05, drugs=0, diseases=0, n_drugs=4)
    exact = [scipy_stats.chi2.ppf(0.025, 8) / 2, scipy_stats.chi2.ppf(0.975, 10) / 2]
    assert limits(few) == pytest.approx((exact[0] / 2, exact[1] / 2))


def test_what_rounding_leaves_of_a_variance_is_none() -> None:
    """As where every candidate is a hit: the ratio is 1 whatever happened."""
    ratio = stratified.Ratio(1.0, 25, 25.0, 0.0, 8.67e-19, 0.0, n_drugs=9.2, n_diseases=5.0)
    found = stratified.interval(ratio, 25)
    assert (found.low, found.high, found.p_value) == (None, None, None)
    assert found.reason == "the pairs do not vary"


def test_no_hit_has_an_upper_limit() -> None:
    """-ln(0.025) = 3.689, over 5 expected hits; p is twice the chance of none."""
    found = stratified.interval(stratified.Ratio(0.0, 0, 5.0), 10)
    assert (found.low, found.method) == (0.0, stratified.EXACT)
    assert found.high == pytest.approx(3.688879 / 5)
    assert found.p_value == pytest.approx(2 * np.exp(-5))


@pytest.mark.parametrize(
    ("n_hits", "n_drugs", "reason"),
    [
        (2, 5.0, "fewer than 3 hits"),
        (5, 1.9, "too few drugs: in effect fewer than two carry the ratio"),
    ],
)
def test_no_interval_without_hits_or_drugs(n_hits: int, n_drugs: float, reason: str) -> None:
    ratio = stratified.Ratio(2.0, n_hits, 2.5, 0.3, 0.0, 0.0, n_drugs, 3.0)
    found = stratified.interval(ratio, 10)
    assert (found.low, found.high, found.p_value) == (None, None, None)
    assert (found.reason, found.estimate) == (reason, 2.0)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_p_is_small_exactly_where_the_interval_leaves_out_1(level: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        n_hits = int(rng.integers(0, 30))
        ratio = stratified.Ratio(
            float(np.exp(rng.normal(0, 1))) if n_hits else 0.0,
            n_hits,
            float(rng.uniform(0.5, 9)),
            float(rng.uniform(0.02, 0.5)),
            float(rng.choice([0, 0.1])),
            float(rng.choice([0, 0.1])),
            float(rng.uniform(2, 30)),
            float(rng.uniform(1, 30)),
        )
        found = stratified.interval(ratio, 40, level=level)
        if found.p_value is None:
            assert 0 < n_hits < 3
            continue
        low, high = found.low, found.high
        assert low is not None
        assert high is not None
        assert low <= ratio.estimate <= high
        assert (found.p_value < 1 - level) == (not low <= 1 <= high)


def test_the_documentations_pandas_gives_the_worked_example() -> None:
    """Twelve drugs and one disease, as in tests/golden/enrichment_vs_matched/twelve_drugs.md."""
    text = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?def enrichment.*?)```", text, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - the documentation's own lines
    pairs = pd.DataFrame(
        {
            "disease": 1,
            "breadth": [0] * 5 + [2] * 4 + [11, 12, 12],
            "predicted": [letter in "AFGJ" for letter in "ABCDEFGHIJKL"],
            "hit": [letter in "BFHJK" for letter in "ABCDEFGHIJKL"],
        }
    )
    assert names["enrichment"](pairs) == pytest.approx((35 / 31, 49 / 120))
