"""Simulation: a slate that draws drugs at random within breadth deciles has enrichment 1.

One candidate set of 400 drugs and five diseases in which broad drugs hit far more often: 2 % of
the pairs in the lowest breadth decile, 60 % in the highest. Preferring broad drugs then looks good
against all candidates and must not against popularity. The drugs of a decile share one breadth,
so that decile and cohort are the same groups and both enrichment columns have expectation 1:
the draw is without replacement, the expected hits of a mix are fixed, and observed hits are
unbiased for them. Hundreds of slates share the set and one query measures them all.
"""

import random
import statistics
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import Connection, text
from worlds import Row, World, complete, insert, view_rows

from tracker import store

pytestmark = pytest.mark.exhaustive

SEED = 20260101
N_DRUGS = 400
DISEASES = (1, 2, 3, 4, 5)
N_SLATES = 120
N_PICKED = 200
# Four of these are 0.05: a bias of 10 % in either direction is at least 4 standard errors outside.
LARGEST_STANDARD_ERROR = 0.0125
COLUMNS = ("enrichment_vs_popularity", "enrichment_vs_popularity_tie_safe")
RANDOM_MIXES = ("own mix", "broad mix", "any mix")

Pair = tuple[int, int]
Groups = dict[int, list[Pair]]


def decile_of(drug_id: int) -> int:
    """Return the breadth decile: 40 drugs each, those of decile k labeled for k diseases."""
    return 1 + (drug_id - 1) * 10 // N_DRUGS


def make_candidates(rng: random.Random) -> list[Pair]:
    """Return the scored pairs: broad drugs are candidates for more of the diseases."""
    return [
        (disease_id, drug_id)
        for disease_id in DISEASES
        for drug_id in range(1, N_DRUGS + 1)
        if rng.random() < 0.4 + 0.05 * decile_of(drug_id)
    ]


def make_hits(rng: random.Random, candidates: list[Pair]) -> list[Pair]:
    rates = {decile: 0.02 + 0.58 * (decile - 1) / 9 for decile in range(1, 11)}
    return [pair for pair in candidates if rng.random() < rates[decile_of(pair[1])]]


def by_decile(pairs: list[Pair]) -> Groups:
    groups: Groups = {decile: [] for decile in range(1, 11)}
    for pair in pairs:
        groups[decile_of(pair[1])].append(pair)
    return groups


def draw(rng: random.Random, groups: Groups, mix: dict[int, int]) -> list[Pair]:
    """Return `mix[decile]` pairs drawn without replacement from each decile."""
    return [pair for decile, n in mix.items() for pair in rng.sample(groups[decile], n)]


def make_pickers(
    candidates: list[Pair], hits: list[Pair]
) -> dict[str, Callable[[random.Random], list[Pair]]]:
    groups, groups_of_hits = by_decile(candidates), by_decile(hits)
    own_mix = {
        decile: round(N_PICKED * len(pairs) / len(candidates)) for decile, pairs in groups.items()
    }
    # The picks of a model that has learnt only popularity.
    broad_mix = {1: 2, 3: 3, 5: 10, 7: 15, 8: 30, 9: 60, 10: 80}

    def any_mix(rng: random.Random) -> list[Pair]:
        return draw(rng, groups, {decile: rng.randint(5, 35) for decile in groups})

    def pick_hits(rng: random.Random) -> list[Pair]:
        known = {decile: min(5, len(pairs)) for decile, pairs in groups_of_hits.items()}
        return draw(rng, groups, own_mix) + draw(rng, groups_of_hits, known)

    return {
        "own mix": lambda rng: draw(rng, groups, own_mix),
        "broad mix": lambda rng: draw(rng, groups, broad_mix),
        "any mix": any_mix,
        "picks hits": pick_hits,
    }


def add_slate(connection: Connection, slate_id: UUID, picks: list[Pair], hits: list[Pair]) -> None:
    """Store the predictions of a slate and its ledger, which has every hit of the set."""
    columns = {"slate_id": str(slate_id)}
    connection.execute(
        text(
            "insert into prediction (slate_id, disease_id, drug_id, disease_identifier, "
            "drug_identifier, score, rank, tier, criterion, line_checksum) "
            "select cast(:slate_id as uuid), unnest(cast(:diseases as integer[])), "
            "unnest(cast(:drugs as integer[])), '', '', 0.5, 1, 'high', 'any_activity', '-'"
        ),
        columns | {"diseases": [pair[0] for pair in picks], "drugs": [pair[1] for pair in picks]},
    )
    connection.execute(
        text(
            "insert into event (event_id, slate_id, disease_id, drug_id, event_type, event_date, "
            "public_after, public_by, source, observed_at, recorded_at, event_origin) "
            "select :first_id + unnest(range(:n_hits)), cast(:slate_id as uuid), "
            "unnest(cast(:diseases as integer[])), unnest(cast(:drugs as integer[])), "
            "'first_trial_seen', date '2026-03-01', date '2026-01-31', date '2026-02-01', "
            "'ctgov', "
            "cast('2026-04-01 00:00:00+00' as timestamptz), "
            "cast('2026-04-01 00:00:00+00' as timestamptz), 'imported'"
        ),
        columns
        | {"first_id": slate_id.int * 10_000, "n_hits": len(hits)}
        | {"diseases": [pair[0] for pair in hits], "drugs": [pair[1] for pair in hits]},
    )


class Simulation:
    """The measured rows of tier 'all' by picker, and the hit rate of all candidates."""

    def __init__(self, path: Path) -> None:
        rng = random.Random(SEED)  # noqa: S311 - a test's data
        candidates = make_candidates(rng)
        hits = make_hits(rng, candidates)
        pickers = make_pickers(candidates, hits)
        slates = {
            UUID(int=number * N_SLATES + repeat + 1): name
            for number, name in enumerate(pickers)
            for repeat in range(N_SLATES)
        }
        world: World = {
            "drug": [{"drug_id": drug_id} for drug_id in range(1, N_DRUGS + 1)],
            "label_set": [{"label_set_id": 1}],
            # None of these diseases is predicted for, so that every pair is novel.
            "labeled_pair": [
                {"label_set_id": 1, "disease_id": 1000 + number, "drug_id": drug_id}
                for drug_id in range(1, N_DRUGS + 1)
                for number in range(decile_of(drug_id))
            ],
            "candidate": [
                {"candidate_set_id": 1, "disease_id": disease_id, "drug_id": drug_id}
                for disease_id, drug_id in candidates
            ],
            "slate": [
                {"slate_id": slate_id, "label_set_id": 1, "candidate_set_id": 1}
                for slate_id in slates
            ],
        }
        with store.writer(path, run_checks=False) as connection:
            insert(connection, complete(world))
            for slate_id, name in slates.items():
                add_slate(connection, slate_id, sorted(set(pickers[name](rng))), hits)
        self.rate_of_all_candidates = len(hits) / len(candidates)
        self.rows: dict[str, list[Row]] = {name: [] for name in pickers}
        with store.reader(path) as connection:
            for row in view_rows(connection, "enrichment_vs_popularity"):
                if row["tier"] == "all":
                    self.rows[slates[row["slate_id"]]].append(row)

    def values(
        self, picker: str, column: str, window: str = "all", population: str = "all"
    ) -> list[float]:
        return [
            row[column]
            for row in self.rows[picker]
            if (row["evidence_window"], row["population"]) == (window, population)
        ]


@pytest.fixture(scope="module")
def simulation(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    return Simulation(tmp_path_factory.mktemp("simulation") / "store.tracker")


def mean_and_error(values: list[float]) -> tuple[float, float]:
    """Return the mean and its Monte Carlo standard error."""
    return statistics.fmean(values), statistics.stdev(values) / len(values) ** 0.5


@pytest.mark.parametrize("population", ["all", "novel"])
@pytest.mark.parametrize("window", ["all", "prospective"])
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("picker", RANDOM_MIXES)
def test_random_draws_within_deciles_have_enrichment_one(
    simulation: Simulation, picker: str, column: str, window: str, population: str
) -> None:
    values = simulation.values(picker, column, window, population)
    assert len(values) == N_SLATES
    mean, error = mean_and_error(values)
    stated = f"{picker}: mean {mean:.4f}, standard error {error:.4f}"
    assert 0 < error <= LARGEST_STANDARD_ERROR, stated
    assert abs(mean - 1) <= 4 * error, stated


@pytest.mark.parametrize("column", COLUMNS)
def test_picking_hits_shows_as_enrichment(simulation: Simulation, column: str) -> None:
    values = simulation.values("picks hits", column)
    assert len(values) == N_SLATES
    mean, error = mean_and_error(values)
    assert mean - 10 * error > 1.1, f"mean {mean:.4f}, standard error {error:.4f}"


def test_preferring_broad_drugs_beats_all_candidates_but_not_popularity(
    simulation: Simulation,
) -> None:
    """The confounding is real: without the correction the same slates look well above chance."""
    observed = simulation.values("broad mix", "observed_hit_rate")
    naive, naive_error = mean_and_error(
        [rate / simulation.rate_of_all_candidates for rate in observed]
    )
    assert naive - 10 * naive_error > 1.2
    mean, error = mean_and_error(simulation.values("broad mix", COLUMNS[0]))
    assert abs(mean - 1) <= 4 * error
