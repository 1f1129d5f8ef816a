"""Slates of a known truth, simulated or of real pairs, as the project's own views judge them.

A world has drugs of heavy-tailed breadth and diseases of heavy-tailed degree. The chance that a
pair becomes a hit grows smoothly with the breadth of its drug and with the activity of its disease,
which follows its degree in part; a drug may have momentum, a factor common to all its diseases that
no model knows of. Models without skill choose pairs by what can be counted at the freeze; a model
with skill multiplies the chances of the pairs it predicts by its lift, which is the ratio that
enrichment_vs_matched has to find.

`judge` makes tables in memory of what the views below VIEWS read, counted in NumPy, and builds
these views from their files. tests/properties/test_null_worlds.py compares the counts with those
of the views that make them in a store.
"""

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple, cast
from uuid import UUID

import numpy as np
import sqlalchemy as sa
from numpy.random import Generator
from numpy.typing import NDArray
from sqlalchemy import Connection, Row

from tracker.figures import Figure, IntervalMethod, with_interval
from tracker.store import catalog
from tracker.uncertainty.estimates import Estimate, endpoint, lists
from tracker.uncertainty.stats import Interval, clustered, pooling, stratified

Array = NDArray[Any]
Table = NDArray[np.bool_]

# Built from their files, over the tables of _count.
RATIO_VIEWS = (
    "population_pair",
    "candidate_hit",
    "tier_count",
    "match_kind",
    "shown_match_kind",
    "match_kind_hit_rate",
    "primary_endpoint",
    "near_pair",
    "class_candidate",
    "hit_rule",
    "counted_hit",
    "prediction_list",
    "list_member",
    "stratum_count",
    "list_stratum",
    "stratified_ratio",
    "enrichment_vs_matched",
    "stratum_fit",
    "hit_influence",
    "drug_influence",
    "ratio_influence",
    "ratio_variance",
)
VIEWS = (
    *RATIO_VIEWS,
    "tier_hit_rate",
    "breadth_baseline",
    "breadth_prediction_count",
    "tier_expectation",
    "enrichment_vs_popularity",
)
KIND_VIEWS = (*RATIO_VIEWS, "match_kind_enrichment")
DATING_VIEWS = (*RATIO_VIEWS, "enrichment_by_dating", "label_gap")
CLASS_VIEWS = (*RATIO_VIEWS, "enrichment_by_nearness")
LIST_VIEWS = (*RATIO_VIEWS, "global_list_pair", "global_list")
ENDPOINT = WINDOW, POPULATION, TIER = "all", "novel", "all"
_ENDPOINT_LISTS = """
    select slate_id, list_number from prediction_list
    where list_kind = 'tier' and evidence_window = ? and population = ? and tier = ?
    order by slate_id
"""
# The kind of match 'descendant'.
WEAKEST = 9

SPAN = 1.15
N_PER_DISEASE = 20
BASE_RATE = {12: 0.015, 50: 0.008, 300: 0.006}
MOST_LIKELY = 0.95


@dataclass(frozen=True)
class Slate:
    """Pairs of drugs and diseases; tables have shape (n_drugs, n_diseases).

    `breadth`, of shape (n_drugs,), counts the diseases a drug was known for at the freeze, also
    those that are not of the slate. `is_known` are the known pairs; population 'novel' is the rest.
    `closeness` is that of the closest known relative of a pair, as in the view nearness, 0 without
    one. `record` is the
    number of the study that made a pair a hit, 0 for one of its own. `is_dated` are the hits that
    more than a release of ChEMBL dates, all where there is none, and `is_learned` the known pairs
    that neither labels nor the evidence of the time knew.
    """

    breadth: Array
    is_known: Table
    is_predicted: Table
    is_hit: Table
    score: Array | None = None
    strength: Array | None = None
    closeness: Array | None = None
    record: Array | None = None
    is_dated: Table | None = None
    is_learned: Table | None = None


@dataclass(frozen=True)
class Judged:
    """What the views and intervals say about the novel pairs of a slate.

    Values are None where they are unknown; the interval of `versus_matched` is None where the view
    has no figure; `observed` is over expected, the predictions left in.
    """

    n_hits: int
    enrichment: float | None
    observed: float | None
    own_share: float | None
    reason: str | None
    versus_matched: Interval | None
    decile_enrichment: float | None
    versus_deciles: Interval
    hit_rate: Interval


class World(NamedTuple):
    """Drugs, diseases and chances of becoming a hit, without and with momentum."""

    breadth: Array
    degree: Array
    activity: Array
    is_known: Table
    chance: Array


class Setting(NamedTuple):
    """How many diseases a slate has, and the spread of drugs' momentum on the log scale."""

    n_diseases: int
    momentum: float
    n_drugs: int = 1200


class Model(NamedTuple):
    """How a model chooses pairs, and by how much it multiplies their chances."""

    pick: Callable[[World, Generator], Table]
    lift: float = 1.0


def draw_world(setting: Setting, rng: Generator, *, n_universe: int = 400) -> World:
    """Return a world whose slate has some of `n_universe` diseases."""
    popularity = np.minimum(rng.pareto(1.1, setting.n_drugs) + 0.15, 60)
    share = rng.lognormal(0, 1.1, n_universe)
    mean = np.outer(popularity, share / share.sum())
    known = rng.random(mean.shape) < 1 - np.exp(-mean)
    breadth = known.sum(axis=1)
    known = known[:, rng.permutation(n_universe)[: setting.n_diseases]]
    degree = known.sum(axis=0)
    size = np.log1p(degree)
    size = (size - size.mean()) / max(size.std(), 1e-9)
    activity = np.exp(0.5 * size + 0.6 * rng.standard_normal(setting.n_diseases))
    chance = np.outer((1.0 + breadth) ** 0.8, activity)
    chance *= BASE_RATE[setting.n_diseases] / chance[~known].mean()
    momentum = np.exp(
        setting.momentum * rng.standard_normal(setting.n_drugs) - setting.momentum**2 / 2
    )
    return World(breadth, degree, activity, known, chance * momentum[:, None])


def draw_slate(world: World, model: Model, rng: Generator) -> tuple[Slate, float]:
    """Return a model's slate with its hits, and the ratio its skill achieved on novel pairs.

    A chance is at most 0.95, so that the ratio of likely hits is less than the lift.
    """
    predicted = model.pick(world, rng)
    lifted = np.minimum(world.chance * np.where(predicted, model.lift, 1.0), MOST_LIKELY)
    hit = (rng.random(lifted.shape) < lifted) & ~world.is_known
    novel = predicted & ~world.is_known
    without = np.minimum(world.chance, MOST_LIKELY)[novel].sum()
    ratio = float(lifted[novel].sum() / without) if without > 0 else 1.0
    return Slate(world.breadth, world.is_known, predicted, hit), ratio


def top(score: Array, known: Table, n: int = N_PER_DISEASE) -> Table:
    """Return the n best-scored unknown drugs of each disease."""
    open_score = np.where(known, -np.inf, score)
    chosen = np.argpartition(-open_score, n - 1, axis=0)[:n]
    predicted = np.zeros(known.shape, dtype=np.bool_)
    np.put_along_axis(predicted, chosen, True, axis=0)
    return predicted & ~known


def by_popularity(breadth: Array, known: Table, rng: Generator) -> Table:
    """Return the broadest drugs of each disease, ties broken alike everywhere."""
    return top(np.repeat(_untied(breadth, rng)[:, None], known.shape[1], axis=1), known)


def by_degree_product(breadth: Array, degree: Array, known: Table, rng: Generator) -> Table:
    """Return as many pairs, those of the largest products of breadth and degree."""
    score = np.where(known, -1.0, np.outer(_untied(breadth, rng), degree + 0.5)).ravel()
    n = N_PER_DISEASE * known.shape[1]
    predicted = np.zeros(known.size, dtype=np.bool_)
    predicted[np.argpartition(-score, n)[:n]] = True
    return predicted.reshape(known.shape) & ~known


def _untied(breadth: Array, rng: Generator) -> Array:
    return breadth + 0.5 * rng.random(len(breadth))


def _popularity(world: World, rng: Generator) -> Table:
    return by_popularity(world.breadth, world.is_known, rng)


def _degree_product(world: World, rng: Generator) -> Table:
    return by_degree_product(world.breadth, world.degree, world.is_known, rng)


def _random(world: World, rng: Generator) -> Table:
    return top(rng.random(world.is_known.shape), world.is_known)


def _in_proportion(world: World, rng: Generator) -> Table:
    race = rng.standard_exponential(world.is_known.shape)
    return top(-race / (world.breadth + 0.2)[:, None], world.is_known)


def _among(drugs: Array, world: World, rng: Generator) -> Table:
    """Return 20 of these drugs for each disease, all of them where fewer are unknown."""
    score = rng.random(world.is_known.shape)
    score[drugs] += 2
    predicted = top(score, world.is_known)
    predicted[np.setdiff1d(np.arange(len(world.breadth)), drugs)] = False
    return predicted


def _favourites(world: World, rng: Generator) -> Table:
    drugs = rng.permutation(len(world.breadth))[: rng.integers(30, 61)]
    return _among(drugs, world, rng)


def _popular_favourites(world: World, rng: Generator) -> Table:
    race = rng.standard_exponential(len(world.breadth)) / (world.breadth + 0.1)
    return _among(np.argsort(race)[: rng.integers(30, 61)], world, rng)


def _half_of_popular(world: World, rng: Generator) -> Table:
    return _among(np.argsort(-_untied(world.breadth, rng))[:40], world, rng)


def _in_active_diseases(world: World, rng: Generator) -> Table:
    predicted = _in_proportion(world, rng)
    predicted[:, world.activity < np.quantile(world.activity, 0.6)] = False
    return predicted


def _known_pairs(world: World, rng: Generator) -> Table:
    """Return 20 known pairs of each disease, and up to 3 others where that leaves room."""
    n_known = np.minimum(world.is_known.sum(axis=0), N_PER_DISEASE)
    n_more = np.minimum(N_PER_DISEASE - n_known, 3) * (rng.random(len(world.degree)) < 0.5)
    score = np.where(world.is_known, 2.0, 0.0) + rng.random(world.is_known.shape)
    place = np.argsort(np.argsort(-score, axis=0), axis=0)
    return np.asarray(place < n_known + n_more)


MODELS = {
    "popularity": Model(_popularity),
    "degree product": Model(_degree_product),
    "favourites": Model(_favourites),
    "popular favourites": Model(_popular_favourites),
    "known pairs": Model(_known_pairs),
    "random": Model(_random),
    "half of the popular": Model(_half_of_popular),
    **{
        f"skill {lift:g} {where}": Model(pick, lift)
        for where, pick in (
            ("at random", _random),
            ("by breadth", _in_proportion),
            ("among the popular", _half_of_popular),
            ("in active diseases", _in_active_diseases),
        )
        for lift in (1.5, 3.0)
    },
}


# Without names equals stand by the numbers of drugs and diseases, as they are counted in NumPy.
NO_TIE_NAMES = (
    "create table entity_tie_name (entity_kind varchar, entity_id integer, name_number bigint, "
    "folded_name varchar, named_since timestamp, named_until timestamp)"
)


def judge(slates: Sequence[Slate]) -> list[Judged]:
    """Return what the views say about each slate, and the intervals of what they say."""
    with _viewed(slates, VIEWS) as connection:
        return [_judge(connection, number, slate) for number, slate in enumerate(slates, start=1)]


def _stratified(view: str) -> tuple[Figure, IntervalMethod]:
    """Return the figure of a view that is a stratified ratio."""
    return next(one for one in with_interval("stratified") if one[0].view == view)


def _of_figure(
    connection: Connection, slate: Any, figure: Figure, how: IntervalMethod
) -> Iterator[Estimate]:
    known = lists.ratios(connection, slate)
    return lists.of_figure(connection, slate, figure, how, 1.3, known)


def judge_lists(slates: Sequence[Slate]) -> list[list[Estimate]]:
    """Return the estimates of the global lists of each slate's novel pairs."""
    figure, how = _stratified("global_list")
    with _viewed(slates, LIST_VIEWS) as connection:
        return [
            [
                estimate
                for estimate in _of_figure(connection, _row(number), figure, how)
                if (estimate.evidence_window, estimate.population) == (WINDOW, POPULATION)
            ]
            for number in range(1, len(slates) + 1)
        ]


def judge_parts(slates: Sequence[Slate]) -> list[pooling.Part | None]:
    """Return what is pooled of the novel pairs of each slate, None where nothing was expected."""
    with _viewed(slates, RATIO_VIEWS) as connection:
        return [
            endpoint.judge(connection, endpoint.OWN, row.slate_id, row.list_number, 1)[1]
            for row in connection.exec_driver_sql(_ENDPOINT_LISTS, ENDPOINT)
        ]


def judge_kinds(slate: Slate) -> list[Estimate]:
    """Return the estimates of a slate's enrichment by each kind of match."""
    figure, how = _stratified("match_kind_enrichment")
    with _viewed([slate], KIND_VIEWS) as connection:
        return list(_of_figure(connection, _row(1), figure, how))


def judge_classes(slates: Sequence[Slate]) -> list[dict[str, Estimate]]:
    """Return the estimates of the enrichment of each slate by class of nearness."""
    figure, how = _stratified("enrichment_by_nearness")
    with _viewed(slates, CLASS_VIEWS) as connection:
        return [
            {
                estimate.row_key["nearness"]: estimate
                for estimate in _of_figure(connection, _row(number), figure, how)
            }
            for number in range(1, len(slates) + 1)
        ]


def judge_dating(slates: Sequence[Slate]) -> list[tuple[Estimate, Estimate, Estimate | None]]:
    """Return of each slate the estimates of the endpoint by every hit, by dated ones, and gaps."""
    with _viewed(slates, DATING_VIEWS) as connection:
        judged = []
        for number in range(1, len(slates) + 1):
            # In alphabetical order of what dates the hits.
            dated, every = _of_figure(
                connection, _row(number), *_stratified("enrichment_by_dating")
            )
            gaps = list(_of_figure(connection, _row(number), *_stratified("label_gap")))
            judged.append((every, dated, gaps[0] if gaps else None))
        return judged


@contextlib.contextmanager
def _viewed(slates: Sequence[Slate], names: Sequence[str]) -> Iterator[Connection]:
    """Open tables in memory of what these views read, and of what they say."""
    engine = sa.create_engine("duckdb:///:memory:")
    with engine.connect() as connection:
        connection.exec_driver_sql("set threads = 1")
        for name, columns in _tables(slates).items():
            if name not in names:
                create(connection, name, columns)
        # As in a store, candidates are of a set.
        connection.exec_driver_sql("alter table candidate drop column slate_id")
        connection.exec_driver_sql(NO_TIE_NAMES)
        views = {view.name: view for view in catalog.read_views()}
        for name in catalog.in_reading_order(names):
            connection.exec_driver_sql(f"create table {name} as\n{views[name].select}")
        yield connection
    engine.dispose()


def _row(number: int) -> Row[Any]:
    return cast(Row[Any], SimpleNamespace(slate_id=slate_id(number)))


def slate_id(number: int) -> UUID:
    return UUID(int=number)


def create(connection: Connection, name: str, columns: dict[str, Array]) -> None:
    """Create a table of these columns; `slate` numbers the slates and becomes their slate_id."""
    connection.execute(
        sa.text("register(:name, :columns)"), {"name": "new_table", "columns": columns}
    )
    # DuckDB takes an empty column of texts for one of numbers.
    texts = [column for column, values in columns.items() if values.dtype == object]
    kept = "".join(f" cast({column} as varchar) as {column}," for column in texts)
    connection.exec_driver_sql(
        f"create table {name} as from new_table select * exclude ({', '.join(['slate', *texts])}),"
        f"{kept} cast(format('{{:032x}}', slate) as uuid) as slate_id"
    )


def _tables(slates: Sequence[Slate]) -> dict[str, dict[str, Array]]:
    """Return the columns of each table the views read."""
    parts = [count(slate) for slate in slates]
    tables: dict[str, dict[str, Array]] = {}
    for name, first in parts[0].items():
        sizes = [len(next(iter(part[name].values()))) for part in parts]
        tables[name] = {
            "slate": np.repeat(np.arange(1, len(slates) + 1), sizes),
            **{column: np.concatenate([part[name][column] for part in parts]) for column in first},
        }
    for name in ("slate_sets", "candidate"):
        tables[name]["candidate_set_id"] = tables[name]["slate"]
    return tables


def count(slate: Slate) -> dict[str, dict[str, Array]]:
    """Return the tables of one slate; drugs and diseases are numbered as in its arrays.

    Of the candidates, all pairs, hits and known pairs are marked. Cohorts and positive deciles,
    which nothing here reads, repeat the deciles.
    """
    n_drugs, n_diseases = slate.is_known.shape
    # As in a store, a disease without a prediction has neither cells nor events.
    is_listed = slate.is_predicted.any(axis=0)
    all_hits = slate.is_hit & is_listed
    novel, novel_hit = ~slate.is_known & is_listed, all_hits & ~slate.is_known
    decile = deciles(slate.breadth)
    drug, disease = (place.astype(np.int32) for place in np.nonzero(slate.is_predicted))
    hit_drug, hit_disease = (place.astype(np.int32) for place in np.nonzero(all_hits))
    known_drug, known_disease = (place.astype(np.int32) for place in np.nonzero(slate.is_known))
    marked_drug, marked_disease = (
        place.astype(np.int32) for place in np.nonzero(all_hits | slate.is_known)
    )
    is_hit = slate.is_hit[drug, disease]
    score = slate.breadth[drug] if slate.score is None else slate.score[drug, disease]
    strength = np.ones_like(slate.is_hit, int) if slate.strength is None else slate.strength
    plan = {"evidence_window": WINDOW, "population": POPULATION, "tier": TIER}
    classes = breadth_class(slate.breadth)
    stratum = classes[:, None] * n_diseases + np.arange(n_diseases)
    n_strata = (classes.max() + 1) * n_diseases
    is_dated = slate.is_hit if slate.is_dated is None else slate.is_dated
    is_learned = np.zeros_like(slate.is_hit) if slate.is_learned is None else slate.is_learned
    # Candidates of strata with a hit, or what counts in place of one, and a prediction.
    counted = all_hits | (is_learned & is_listed)
    has_both = (np.bincount(stratum[counted], minlength=n_strata) > 0) & (
        np.bincount(stratum[slate.is_predicted], minlength=n_strata) > 0
    )
    in_drug, in_disease = (
        place.astype(np.int32) for place in np.nonzero(has_both[stratum] & is_listed)
    )
    n_pairs = np.bincount(stratum[in_drug, in_disease], minlength=n_strata)
    closeness = np.zeros_like(slate.is_known, int) if slate.closeness is None else slate.closeness
    near_drug, near_disease = (
        place.astype(np.int32) for place in np.nonzero((closeness > 0) & is_listed)
    )
    made = np.zeros_like(slate.is_hit, int) if slate.record is None else slate.record
    # A hit of its own has a record of its own.
    record = np.array(
        [f"study {n}" if n else f"pair {i}" for i, n in enumerate(made[hit_drug, hit_disease])],
        dtype=object,
    )
    filled = np.flatnonzero(n_pairs)
    # Neither months nor parts of a slate are judged, nor is it compared with others.
    no_text, no_number = np.array([], dtype=object), np.array([], dtype=np.int64)
    no_pair = {"disease_id": no_number, "drug_id": no_number}
    no_group = {"evidence_window": no_text, "population": no_text}
    return {
        "followed_month": {"month": no_number, "ends_on": _undated(0), "hit_month": no_number},
        "prediction_part": {**no_group, "part": no_text, **no_pair},
        "part_count": {**no_group, "part": no_text},
        "global_list_pair": {**no_group, **no_pair, "place": no_number, "n_predictions": no_number},
        "candidate": {"disease_id": in_disease, "drug_id": in_drug},
        "breadth_cell": {
            "disease_id": filled % n_diseases,
            "breadth_class": filled // n_diseases,
            "n_candidates": n_pairs[filled],
        },
        "nearness": {
            "disease_id": near_disease,
            "drug_id": near_drug,
            "closeness": closeness[near_drug, near_disease],
            "is_known": slate.is_known[near_drug, near_disease],
            "is_candidate": np.ones(len(near_drug), dtype=np.bool_),
        },
        "placed_disease": {
            "disease_id": np.arange(n_diseases, dtype=np.int32),
            "has_term": np.ones(n_diseases, dtype=np.bool_),
            "has_relatives": np.ones(n_diseases, dtype=np.bool_),
        },
        "disease_information": {
            "disease_id": np.arange(n_diseases, dtype=np.int32),
            "n_drugs": np.full(n_diseases, np.count_nonzero(slate.breadth)),
            "n_known_drugs": slate.is_known.sum(axis=0),
        },
        "broader_disease": {"disease_id": no_number, "broader_disease_id": no_number},
        "slate": {
            "plan": np.array([json.dumps(plan)], dtype=object),
            "recorded_at": np.array([np.datetime64("2026-01-01T00:00:00", "us")]),
        },
        "slate_match_kind": {"strength": np.array([WEAKEST])},
        "slate_sets": {
            "label_set_id": np.array([1]),
            "reason": np.array([None], dtype=object),
        },
        "prediction": {
            "disease_id": disease,
            "drug_id": drug,
            "score": score.astype(np.float64),
            "rank": _ranks(score, drug, disease),
            "tier": np.full(len(drug), "high"),
        },
        "pair_outcome": {
            "disease_id": disease,
            "drug_id": drug,
            "evidence_window": np.full(len(drug), WINDOW),
            "tier": np.full(len(drug), "high"),
            "score": score.astype(np.float64),
            "rank": _ranks(score, drug, disease),
            "is_novel": novel[drug, disease],
            "has_any_outcome": is_hit,
            "is_hit": is_hit,
            "is_dated_hit": is_dated[drug, disease],
            "is_later_hit": np.zeros(len(drug), dtype=np.bool_),
            "first_event_date": _undated(len(drug)),
            "match_strength": strength[drug, disease],
            "has_failed": np.zeros(len(drug), dtype=np.bool_),
            "first_record": np.full(len(drug), "", dtype=object),
            "last_failure_date": _undated(len(drug)),
        },
        "pair_known_phase": {
            "disease_id": known_disease,
            "drug_id": known_drug,
            "is_known": np.ones(len(known_drug), dtype=np.bool_),
            "is_learned_later": is_learned[known_drug, known_disease],
        },
        "drug_breadth": {
            "drug_id": np.arange(n_drugs, dtype=np.int32),
            "breadth": slate.breadth.astype(np.int64),
            "breadth_class": classes,
            "breadth_decile": decile,
            "breadth_cohort": decile,
            "positive_decile": decile,
        },
        "marked_candidate": {
            "disease_id": marked_disease,
            "drug_id": marked_drug,
            "is_known": slate.is_known[marked_drug, marked_disease],
            "is_learned_later": is_learned[marked_drug, marked_disease],
        },
        "pair_event": {
            "disease_id": hit_disease,
            "drug_id": hit_drug,
            "evidence_window": np.full(len(hit_drug), WINDOW),
            "is_hit": np.ones(len(hit_drug), dtype=np.bool_),
            "first_event_date": _undated(len(hit_drug)),
            "match_strength": strength[hit_drug, hit_disease],
        },
        "setting_pair_event": {
            "disease_id": hit_disease,
            "drug_id": hit_drug,
            "study_setting": np.full(len(hit_drug), "plan", dtype=object),
            "evidence_window": np.full(len(hit_drug), WINDOW),
            "is_hit": np.ones(len(hit_drug), dtype=np.bool_),
            "is_dated_hit": is_dated[hit_drug, hit_disease],
            "has_failed": np.zeros(len(hit_drug), dtype=np.bool_),
            "first_event_date": _undated(len(hit_drug)),
            "match_strength": strength[hit_drug, hit_disease],
            "first_record": record,
            "first_failure_record": record,
        },
        "pair_study_setting": {**no_pair, "study_setting": no_text},
        "candidate_drug_count": {
            "evidence_window": np.full(n_drugs, WINDOW),
            "population": np.full(n_drugs, POPULATION),
            "drug_id": np.arange(n_drugs, dtype=np.int32),
            "n_candidates": novel.sum(axis=1),
            "n_candidate_hits": novel_hit.sum(axis=1),
        },
    }


def _undated(n: int) -> Array:
    return np.full(n, np.datetime64("NaT"), "datetime64[us]")


def _ranks(score: Array, drug: Array, disease: Array) -> Array:
    """Return the rank of each prediction within its disease, equal scores by drug."""
    order = np.lexsort((drug, -score, disease))
    ordered = disease[order]
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - np.searchsorted(ordered, ordered) + 1
    return rank


def breadth_class(breadth: Array, span: float = SPAN) -> Array:
    """Return the class of each breadth, as the view drug_breadth does."""
    number = 1 + np.floor(np.log(np.maximum(breadth, 1)) / np.log(span) + 1e-9)
    return np.where(breadth > 0, number, 0).astype(np.int64)


def deciles(breadth: Array) -> Array:
    """Return NTILE(10) over breadth, drugs of equal breadth by their number."""
    decile = np.empty(len(breadth), dtype=np.int64)
    order = np.argsort(breadth, kind="stable")
    for number, drugs in enumerate(np.array_split(order, 10), start=1):
        decile[drugs] = number
    return decile


def _judge(connection: Connection, number: int, slate: Slate) -> Judged:
    key = str(slate_id(number))
    where = "where slate_id = ? and population = 'novel'"
    figure = connection.exec_driver_sql(
        f"from enrichment_vs_matched {where} and tier = 'all'", (key,)
    ).one_or_none()
    decile_figure = connection.exec_driver_sql(
        f"from enrichment_vs_popularity {where} and tier = 'all'", (key,)
    ).one_or_none()
    rates = connection.exec_driver_sql(
        f"from breadth_baseline {where} and grouping_kind = 'decile'", (key,)
    )
    of_decile = np.zeros(11)
    for row in rates:
        of_decile[row.breadth_group] = row.baseline_hit_rate or 0.0
    drug, disease = np.nonzero(slate.is_predicted & ~slate.is_known)
    hit = slate.is_hit[drug, disease]
    value = figure.enrichment_vs_matched if figure else None
    compared = None
    if figure and value is not None:
        ratio = lists.ratios(connection, _row(number))[figure.list_number]
        compared = stratified.interval(ratio, figure.n_predictions)
    return Judged(
        int(hit.sum()),
        value,
        figure.observed_vs_expected if figure else None,
        figure.own_share if figure else None,
        figure.reason if figure else "no novel predictions",
        compared,
        decile_figure.enrichment_vs_popularity if decile_figure else None,
        clustered.ratio(hit, of_decile[deciles(slate.breadth)[drug]], drug, disease),
        clustered.hit_rate(hit, drug, disease),
    )


class Trial(NamedTuple):
    """A model's slate in one world; `ratio` is the true one, and scores say nothing of hits."""

    model: str
    ratio: float
    judged: Judged
    score_gap: Interval


def simulate(
    setting: Setting, models: Sequence[str], n_worlds: int, *, seed: int, batch: int = 6
) -> Iterator[Trial]:
    """Yield the trial of each model in each world; the views see `batch` worlds at a time."""
    for start in range(0, n_worlds, batch):
        slates, ratios, gaps = [], [], []
        for number in range(start, min(start + batch, n_worlds)):
            rng = np.random.default_rng([seed, number])
            world = draw_world(setting, rng)
            for model in models:
                slate, ratio = draw_slate(world, MODELS[model], rng)
                slates.append(slate)
                ratios.append(ratio)
                gaps.append(_random_gap(slate, rng))
        names = list(models) * (len(slates) // len(models))
        for trial in zip(names, ratios, judge(slates), gaps, strict=True):
            yield Trial(*trial)


def _random_gap(slate: Slate, rng: Generator) -> Interval:
    """Return the gap of scores alike within drugs and diseases, and in truth 0."""
    drug, disease = np.nonzero(slate.is_predicted & ~slate.is_known)
    n_drugs, n_diseases = slate.is_known.shape
    score = (
        rng.normal(size=(n_drugs,))[drug]
        + 0.5 * rng.normal(size=(n_diseases,))[disease]
        + rng.standard_normal(len(drug))
    )
    return clustered.score_gap(score, slate.is_hit[drug, disease], drug, disease)


@dataclass(frozen=True)
class Summary:
    """Shares of the worlds of a setting in which a model was judged as stated, NaN for none.

    `without_interval` counts worlds in which the figure has none, as its own baseline or for too
    few drugs; the other shares, and `bias`, the geometric mean of figure over truth, are of the
    remaining ones. `rate_inside` and `gap_inside` are of all worlds that have these intervals; the
    true hit rate is that of all worlds together. `n_hits`, `own_share`, `shown` and `deciles`, the
    figure and the one over deciles, are medians.
    """

    n_worlds: int
    n_hits: float
    own_share: float
    shown: float
    without_interval: float
    below: float
    above: float
    inside: float
    bias: float
    deciles: float
    deciles_apart: float
    rate_inside: float
    gap_inside: float


def summarise(trials: Sequence[Trial]) -> Summary:
    """Return the summary of one model's trials in one setting."""
    judged = [trial.judged for trial in trials]
    limits = [
        (trial.ratio, trial.judged.enrichment or 0.0, *_limits(trial.judged.versus_matched))
        for trial in trials
        if trial.judged.versus_matched and trial.judged.versus_matched.low is not None
    ]
    table: Array = np.array(limits).reshape(-1, 4)
    truth, value, low, high = (table[:, place] for place in range(4))
    biased = np.log(value[value > 0] / truth[value > 0])
    apart = [_limits(one.versus_deciles) for one in judged]
    rates = [one.hit_rate for one in judged if one.hit_rate.low is not None]
    n_pairs = sum(rate.n for rate in rates)
    rate_truth = sum(one.n_hits for one in judged) / n_pairs if n_pairs else np.nan
    gaps = [_limits(trial.score_gap) for trial in trials]
    return Summary(
        len(trials),
        float(np.median([one.n_hits for one in judged])),
        _median([one.own_share for one in judged]),
        _median([one.enrichment for one in judged]),
        1 - len(limits) / len(trials),
        _share(high < 1),
        _share(low > 1),
        _share((low <= truth) & (truth <= high)),
        float(np.exp(biased.mean())) if len(biased) else float("nan"),
        _median([one.decile_enrichment for one in judged]),
        _share(np.array([not low <= 1 <= high for low, high in apart if not np.isnan(low)])),
        _share(np.array([(r.low or 0) <= rate_truth <= (r.high or 1) for r in rates])),
        _share(np.array([low <= 0 <= high for low, high in gaps if not np.isnan(low)])),
    )


def _limits(compared: Interval | None) -> tuple[float, float]:
    low = compared.low if compared else None
    high = compared.high if compared else None
    return (np.nan, np.nan) if low is None or high is None else (low, high)


def _median(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else float("nan")


def _share(flags: Array) -> float:
    return float(np.mean(flags)) if len(flags) else float("nan")
