"""In worlds of known truth the primary endpoint finds skill, and none in popularity.

A slice of tests/speed/null_worlds.py. The bounds of a share allow for four standard errors of a
binomial count, so that a seed is not what decides.
"""

from collections import defaultdict
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sqlalchemy as sa
from null_world import (
    MODELS,
    NO_TIE_NAMES,
    POPULATION,
    WINDOW,
    Setting,
    Slate,
    Summary,
    Trial,
    count,
    draw_slate,
    draw_world,
    judge,
    judge_kinds,
    judge_lists,
    simulate,
    summarise,
)

from tracker.store import catalog
from tracker.uncertainty import stats
from tracker.uncertainty.stats import clustered

N_WORLDS = 60
PAIR = ("disease_id", "drug_id")


def test_popularity_has_no_enrichment_and_a_lift_of_3_is_found() -> None:
    rng = np.random.default_rng(2026)
    world = draw_world(Setting(50, 0.5), rng)
    slates, ratios = zip(
        *[
            draw_slate(world, MODELS[name], rng)
            for name in ("popularity", "degree product", "skill 3 by breadth")
        ],
        strict=True,
    )
    popular, product, skilled = judge(slates)
    for judged in (popular, product):
        assert judged.n_hits > 30
        assert judged.enrichment is None
        assert judged.observed is not None
        assert 0.9 < judged.observed < 1.1
        assert judged.own_share is not None
        assert judged.own_share > 0.9
        assert judged.reason is not None
        assert judged.reason.startswith("no fair comparison")
        assert judged.decile_enrichment is not None
        assert judged.decile_enrichment > 1.5
    assert skilled.versus_matched is not None
    interval = skilled.versus_matched
    assert interval.low is not None
    assert interval.high is not None
    assert 1 < interval.low < ratios[2] < interval.high
    assert skilled.versus_matched.p_value is not None
    assert skilled.versus_matched.p_value < 0.001


def test_known_pairs_count_for_nothing_among_novel_ones() -> None:
    rng = np.random.default_rng(7)
    world = draw_world(Setting(12, 0.5), rng)
    slate, _ = draw_slate(world, MODELS["skill 3 by breadth"], rng)
    more = Slate(slate.breadth, slate.is_known, slate.is_predicted | slate.is_known, slate.is_hit)
    alone, beside = judge([slate, more])
    assert beside == alone


def test_each_kind_of_match_has_the_figure_of_its_hits_alone() -> None:
    rng = np.random.default_rng(13)
    world = draw_world(Setting(12, 0.5), rng)
    slate, _ = draw_slate(world, MODELS["skill 3 by breadth"], rng)
    strength = rng.choice([2, 6], slate.is_hit.shape)
    by_kind = judge_kinds(replace(slate, strength=strength))
    strong, whole = judge([replace(slate, is_hit=slate.is_hit & (strength == 2)), slate])
    assert strong.n_hits < whole.n_hits
    assert [one.row_key["strength"] for one in by_kind] == [2, 6, 9]
    for one, judged in zip(by_kind, (strong, whole, whole), strict=True):
        assert judged.versus_matched is not None
        interval = judged.versus_matched
        assert interval.low is not None
        assert one.value == judged.enrichment
        # Cells where nothing can be expected are left out of a kind, so that sums differ in order.
        found = (one.low, one.high, one.p_value)
        wanted = (interval.low, interval.high, judged.versus_matched.p_value)
        assert found == pytest.approx(wanted, rel=1e-9)


def test_the_counts_are_those_of_the_views() -> None:
    """What `judge` counts in NumPy, the project's views count alike from the pairs themselves."""
    rng = np.random.default_rng(5)
    world = draw_world(Setting(12, 0.5, n_drugs=90), rng, n_universe=12)
    slate, _ = draw_slate(world, MODELS["skill 3 by breadth"], rng)
    closeness = rng.choice(6, slate.is_known.shape, p=[0.8, *[0.04] * 5])
    slate = replace(slate, closeness=closeness)
    tables = count(slate)
    n_drugs, n_diseases = slate.is_known.shape
    engine = sa.create_engine("duckdb:///:memory:")
    drug, disease = (place.ravel() for place in np.indices((n_drugs, n_diseases)))
    everything = {
        "drug_id": drug,
        "disease_id": disease,
        "is_known": slate.is_known.ravel(),
        "is_hit": slate.is_hit.ravel(),
        "is_predicted": slate.is_predicted.ravel(),
        "closeness": closeness.ravel(),
    }
    made = {
        "slate": "select 1 as slate_id, '{}' as plan, timestamp '2026-01-01' as recorded_at",
        "slate_sets": "select 1 as slate_id, 2 as candidate_set_id, 3 as label_set_id",
        "candidate": "select 2 as candidate_set_id, disease_id, drug_id from everything",
        "labeled_pair": "select 3 as label_set_id, *, 1 as label from everything where is_known",
        "prediction": "select 1 as slate_id, disease_id, drug_id from everything"
        " where is_predicted",
        "pair_event": "select 1 as slate_id, 'all' as evidence_window, *, null as first_event_date,"
        " null as match_strength from everything where is_hit",
        "setting_pair_event": "select *, 'plan' as study_setting, false as has_failed "
        "from pair_event",
        "pair_known_phase": "select 1 as slate_id, *, false as is_learned_later from everything"
        " where is_known",
        "marked_candidate": "select 1 as slate_id, *, is_hit as is_prospective_hit, "
        "false as is_learned_later from everything where is_known or is_hit",
        "nearness": "select 1 as slate_id, *, true as is_candidate from everything "
        "where closeness > 0",
    }
    views = {view.name: view for view in catalog.read_views()}
    with engine.connect() as connection:
        connection.execute(
            sa.text("register(:name, :columns)"), {"name": "everything", "columns": everything}
        )
        for name, select in made.items():
            connection.exec_driver_sql(f"create table {name} as {select}")
        connection.exec_driver_sql(NO_TIE_NAMES)
        for name in (
            "breadth_span",
            "drug_breadth",
            "candidate_drug_count",
            "near_pair",
            "class_candidate",
            "breadth_cell",
        ):
            connection.exec_driver_sql(f"create view {name} as\n{views[name].select}")
        breadth = connection.exec_driver_sql(
            "select drug_id, breadth, breadth_class, breadth_decile from drug_breadth"
            " order by drug_id"
        ).all()
        by_drug = connection.exec_driver_sql(
            "select drug_id, n_candidates, n_candidate_hits from candidate_drug_count"
            " where evidence_window = ? and population = ? order by drug_id",
            (WINDOW, POPULATION),
        ).all()
        classes = connection.exec_driver_sql(
            "select distinct disease_id, drug_id, nearness from class_candidate order by all"
        ).all()
        cells = connection.exec_driver_sql(
            "select disease_id, breadth_class, cast(sum(n_candidates) as bigint) "
            "from breadth_cell group by all"
        ).all()
    engine.dispose()

    def rows(table: str, *columns: str) -> list[tuple[int, ...]]:
        return list(zip(*[tables[table][name].tolist() for name in columns], strict=True))

    assert breadth == rows("drug_breadth", "drug_id", "breadth", "breadth_class", "breadth_decile")
    assert by_drug == rows("candidate_drug_count", "drug_id", "n_candidates", "n_candidate_hits")
    known = {pair[:2] for pair in rows("marked_candidate", *PAIR, "is_known") if pair[2]}
    near = {pair[:2] for pair in rows("nearness", *PAIR)} - known
    assert classes == sorted(
        [*((*pair, "known") for pair in known), *((*pair, "near-known") for pair in near)]
    )
    # Cells of strata without a hit or without a prediction are not counted.
    assert {*rows("breadth_cell", "disease_id", "breadth_class", "n_candidates")} <= {*cells}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["popularity", "half of the popular"])
def test_the_top_of_a_list_of_popular_drugs_is_as_expected(name: str) -> None:
    """Ordered by popularity over all diseases: no ratio, or one whose interval holds 1.

    The broadest drugs are their own baseline; of half of them the lists of 100 and more, which have
    ten hits, are 1 in the mean. Lists are those of a sort in NumPy.
    """
    slates = []
    for seed in range(24):
        rng = np.random.default_rng([3, seed])
        world = draw_world(Setting(12, 0.5), rng)
        slate, _ = draw_slate(world, MODELS[name], rng)
        score = np.outer(world.breadth, world.degree + 0.5) + rng.random(slate.is_known.shape)
        slates.append(replace(slate, score=score))
    ratios, n_withheld, n_given, n_apart = defaultdict[int, list[float]](list), 0, 0, 0
    for slate, estimates in zip(slates, judge_lists(slates), strict=True):
        assert slate.score is not None
        wanted = slate.is_predicted & ~slate.is_known
        best = slate.is_hit[wanted][np.argsort(-slate.score[wanted])]
        for estimate in estimates:
            size = estimate.row_key["list_size"]
            if estimate.metric == "hit_rate":
                assert estimate.value == best[:size].mean()
                continue
            if estimate.value is None:
                assert estimate.reason is not None
                n_withheld += "no fair comparison" in estimate.reason
                continue
            ratios[size].append(estimate.value)
            if estimate.low is not None and estimate.high is not None:
                n_given += 1
                n_apart += not estimate.low <= 1 <= estimate.high
    if name == "popularity":
        assert n_withheld > 0.9 * 4 * len(slates)
    else:
        assert all(0.9 < np.mean(ratios[size]) < 1.1 for size in (100, 500))
        assert n_given > 60
    assert n_apart <= most(0.05, n_given)


@cache
def found(n_diseases: int, momentum: float, models: tuple[str, ...]) -> dict[str, Summary]:
    trials = defaultdict[str, list[Trial]](list)
    for trial in simulate(Setting(n_diseases, momentum), models, N_WORLDS, seed=2026):
        trials[trial.model].append(trial)
    return {model: summarise(trials[model]) for model in models}


def most(share: float, n: float) -> float:
    return float(share + 4 * (share * (1 - share) / n) ** 0.5)


@pytest.mark.exhaustive
@pytest.mark.simulation
@pytest.mark.parametrize(("n_diseases", "momentum"), [(12, 1.0), (50, 0.5)])
def test_models_without_skill_are_rejected_no_more_often_than_stated(
    n_diseases: int, momentum: float
) -> None:
    models = ("favourites", "popular favourites", "random", "half of the popular")
    for summary in found(n_diseases, momentum, models).values():
        n_given = round(N_WORLDS * (1 - summary.without_interval))
        assert n_given >= 10
        assert summary.below + summary.above <= most(0.05, n_given)
        assert 1 - summary.rate_inside <= most(0.05, N_WORLDS)
        assert 1 - summary.gap_inside <= most(0.05, N_WORLDS)
        if summary.n_hits >= 10:
            assert 0.85 < summary.bias < 1.15


@pytest.mark.exhaustive
@pytest.mark.simulation
@pytest.mark.parametrize("n_diseases", [12, 50])
def test_popularity_is_its_own_baseline(n_diseases: int) -> None:
    """The figure over breadth deciles, for comparison, credits it."""
    for summary in found(n_diseases, 0.5, ("popularity", "degree product")).values():
        # In a rare world a list has strata that it does not fill, and so an interval.
        assert summary.without_interval >= 0.95
        assert summary.own_share > 0.9
        assert summary.deciles > 1.5


@pytest.mark.exhaustive
@pytest.mark.simulation
def test_skill_is_found_and_its_size_covered() -> None:
    models = ("skill 3 at random", "skill 3 by breadth", "skill 3 in active diseases")
    for summary in found(50, 0.5, models).values():
        assert summary.without_interval <= 0.1
        assert summary.above > 0.8
        assert 1 - summary.inside <= most(0.05, N_WORLDS)
        assert 0.85 < summary.bias < 1.15


@pytest.mark.exhaustive
@pytest.mark.simulation
def test_a_bootstrap_of_diseases_is_too_narrow_where_drugs_repeat() -> None:
    """Why intervals of slates are clustered by drug too: 30 to 60 drugs in 300 diseases."""
    rates = []
    for seed in range(40):
        rng = np.random.default_rng([1, seed])
        world = draw_world(Setting(300, 1.0), rng)
        slate, _ = draw_slate(world, MODELS["popular favourites"], rng)
        drug, disease = np.nonzero(slate.is_predicted)
        hit = slate.is_hit[drug, disease]
        hits, pairs = (np.bincount(of, minlength=300) for of in (disease[hit], disease))
        over_diseases = stats.hit_rate(hits, pairs, seed=1, n_replicates=500)
        rates.append((over_diseases, clustered.hit_rate(hit, drug, disease)))
    truth = np.mean([interval.estimate for _, interval in rates])
    inside = np.array(
        [[(one.low or 0) <= truth <= (one.high or 1) for one in both] for both in rates]
    )
    assert inside[:, 0].mean() < 0.75
    assert inside[:, 1].mean() > inside[:, 0].mean() + 0.2
