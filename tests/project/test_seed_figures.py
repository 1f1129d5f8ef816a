"""The figures of the first definitions, recomputed from the rows by pandas and NumPy alone.

Nothing here reads a view but to compare: hits, tiers, rates, deciles and days are counted anew from
the published files, where they are present, and from a small world with candidates and labels.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support import Tracker

HIGH_SIGNAL = ("first_trial_seen", "phase_advanced", "fda_approved")
PAIR = ["disease", "drug"]
TIERS = ("high", "moderate", "exploratory")
Rows = dict[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Given:
    """What the figures rest on: a row per prediction, outcome, candidate and label.

    Names are folded. `known` are the pairs that were known at the freeze, None where only the
    population 'all' is compared.
    """

    predictions: pd.DataFrame
    outcomes: pd.DataFrame
    stated_on: date
    counted_from: date
    ends_on: date
    known: set[tuple[str, str]] | None = None
    candidates: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=PAIR))
    labels: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=PAIR))

    @property
    def populations(self) -> tuple[str, ...]:
        return ("all",) if self.known is None else ("all", "novel")

    def counted(self, window: str) -> pd.DataFrame:
        """Return the outcomes of a window: all on record, or those foreseen by the horizon."""
        if window == "all":
            return self.outcomes
        event, public = self.outcomes["event_date"], self.outcomes["public_on"]
        start, end = pd.Timestamp(self.counted_from), pd.Timestamp(self.ends_on)
        return self.outcomes[(event > start) & (public > start) & (event <= end) & (public <= end)]

    def marked(self, pairs: pd.DataFrame, window: str, population: str) -> pd.DataFrame:
        """Return the pairs of a population, with whether they are hits or have any outcome."""
        counted = self.counted(window)
        seen = pd.MultiIndex.from_frame(counted[PAIR])
        hit = pd.MultiIndex.from_frame(counted[counted["outcome_type"].isin(HIGH_SIGNAL)][PAIR])
        index = pd.MultiIndex.from_frame(pairs[PAIR])
        found = pairs.assign(is_hit=index.isin(hit), is_seen=index.isin(seen))
        if population == "all":
            return found
        return found[~index.isin(pd.MultiIndex.from_tuples(sorted(self.known or ())))]

    def tiers(self) -> list[str]:
        return [tier for tier in TIERS if (self.predictions["tier"] == tier).any()] + ["all"]

    def groups(self) -> Iterator[tuple[tuple[str, str, str], pd.DataFrame, pd.DataFrame]]:
        """Yield window, population and tier with the pairs of the tier, and those of all tiers."""
        for window in ("all", "prospective"):
            for population in self.populations:
                every = self.marked(self.predictions, window, population)
                for tier in self.tiers():
                    own = every if tier == "all" else every[every["tier"] == tier]
                    yield (window, population, tier), own, every

    def deciles(self) -> pd.DataFrame:
        """Return NTILE(10) of each drug of the candidates and labels by breadth."""
        drugs = sorted({*self.candidates["drug"], *self.labels["drug"]})
        breadth = self.labels.groupby("drug")["disease"].nunique().reindex(drugs, fill_value=0)
        ordered = breadth.sort_values()
        assert ordered.is_unique, "the order of tied drugs is no part of these figures"
        sizes = [len(part) for part in np.array_split(np.arange(len(ordered)), 10)]
        return pd.DataFrame(
            {"breadth": ordered.to_numpy(), "decile": np.repeat(np.arange(1, 11), sizes)},
            index=ordered.index,
        )


def share(part: float, whole: float) -> float | None:
    return None if whole == 0 else float(part) / float(whole)


def mean(values: pd.Series) -> float | None:
    return None if values.empty else float(values.mean())


def by_tier(given: Given) -> dict[str, Rows]:
    views: dict[str, Rows] = {
        "tier_hit_rate": {},
        "enrichment_vs_random": {},
        "precision_proxy": {},
        "score_calibration": {},
    }
    for key, own, every in given.groups():
        n_hits, n_pairs = int(own["is_hit"].sum()), len(own)
        rate, overall = share(n_hits, n_pairs), share(every["is_hit"].sum(), len(every))
        views["tier_hit_rate"][key] = {
            "n_predictions": n_pairs,
            "n_hits": n_hits,
            "hit_rate": rate,
        }
        views["enrichment_vs_random"][key] = {
            "enrichment_vs_random": share(rate, overall) if rate is not None and overall else None
        }
        n_seen = int(own["is_seen"].sum())
        views["precision_proxy"][key] = {
            "n_hits": n_hits,
            "n_with_any_outcome": n_seen,
            "precision_proxy": share(n_hits, n_seen),
        }
        views["score_calibration"][key] = {
            "mean_score_hits": mean(own[own["is_hit"]]["score"]),
            "mean_score_misses": mean(own[~own["is_hit"]]["score"]),
        }
    return views


def over_time(given: Given) -> dict[str, Rows]:
    dated = given.outcomes[given.outcomes["outcome_type"].isin(HIGH_SIGNAL)]
    dated = dated.dropna(subset=["event_date"])
    first = dated.groupby(PAIR)["event_date"].min().rename("first").reset_index()
    events = given.predictions.merge(first, on=PAIR)
    events["stated"] = (events["first"] - pd.Timestamp(given.stated_on)).dt.days
    events["counted"] = (events["first"] - pd.Timestamp(given.counted_from)).dt.days
    medians: Rows = {}
    for tier in given.tiers():
        own = events if tier == "all" else events[events["tier"] == tier]
        medians[(tier,)] = {
            "n_events": len(own),
            "median_days": None if own.empty else float(own["stated"].median()),
            "median_days_from_counted": None if own.empty else float(own["counted"].median()),
            "n_negative": int((own["stated"] < 0).sum()),
            "n_zero": int((own["stated"] == 0).sum()),
            "n_positive": int((own["stated"] > 0).sum()),
        }
    return {
        "time_to_event": {
            (disease, drug): {
                "first_event_date": day,
                "days_to_event": stated,
                "days_from_counted": counted,
            }
            for disease, drug, day, stated, counted in zip(
                events["disease"].tolist(),
                events["drug"].tolist(),
                events["first"].dt.strftime("%Y-%m-%d").tolist(),
                events["stated"].tolist(),
                events["counted"].tolist(),
                strict=True,
            )
        },
        "median_time_to_event": medians,
    }


def by_breadth(given: Given) -> dict[str, Rows]:
    """Return what popularity expects: of each decile, and of the tiers' predictions."""
    decile = given.deciles()["decile"]
    baselines, rates, enrichments = Rows(), Rows(), Rows()
    for window in ("all", "prospective"):
        for population in given.populations:
            pairs = given.marked(given.candidates, window, population)
            every = given.marked(given.predictions, window, population)
            pairs, every = (
                one.assign(decile=decile.reindex(one["drug"]).to_numpy()) for one in (pairs, every)
            )
            expected = {}
            for number in range(1, 11):
                own, predicted = (one[one["decile"] == number] for one in (pairs, every))
                expected[number] = share(own["is_hit"].sum(), len(own))
                key = (window, population, number)
                baselines[key] = {
                    "n_candidates": len(own),
                    "n_candidate_hits": int(own["is_hit"].sum()),
                    "baseline_hit_rate": expected[number],
                }
                rates[key] = {
                    "n_predictions": len(predicted),
                    "n_hits": int(predicted["is_hit"].sum()),
                    "hit_rate": share(predicted["is_hit"].sum(), len(predicted)),
                }
            for tier in given.tiers():
                own = every if tier == "all" else every[every["tier"] == tier]
                # A decile with predictions of the population has them among its candidates.
                hits = sum(expected[number] or 0.0 for number in own["decile"])
                rate = share(own["is_hit"].sum(), len(own))
                enrichments[window, population, tier] = {
                    "expected_hits": hits if len(own) else None,
                    "expected_hit_rate": share(hits, len(own)),
                    "enrichment_vs_popularity": share(own["is_hit"].sum(), hits)
                    if rate is not None
                    else None,
                }
    return {
        "popularity_baseline": baselines,
        "breadth_decile_hit_rate": rates,
        "enrichment_vs_popularity": enrichments,
    }


GRAINS = {
    "time_to_event": ("disease_name", "drug_name"),
    "median_time_to_event": ("tier",),
    "popularity_baseline": ("evidence_window", "population", "breadth_decile"),
    "breadth_decile_hit_rate": ("evidence_window", "population", "breadth_decile"),
}
BY_TIER = ("evidence_window", "population", "tier")


def assert_equal(report: dict[str, Any], views: dict[str, Rows], populations: Any) -> int:
    """Compare every row of the views with the recomputed ones; return how many there are."""
    n_rows = 0
    for view, expected in views.items():
        grain = GRAINS.get(view, BY_TIER)
        actual = {
            tuple(str(row[name]).casefold() if "name" in name else row[name] for name in grain): row
            for row in report["sections"][view]
            if row.get("population", "all") in populations
        }
        assert actual.keys() == expected.keys(), view
        for key, figures in expected.items():
            for name, value in figures.items():
                is_rounded = isinstance(value, float) and actual[key][name] is not None
                same = pytest.approx(value, rel=1e-12, abs=0) if is_rounded else value
                assert actual[key][name] == same, (view, key, name)
        n_rows += len(expected)
    return n_rows


# The slates published in 2026


def published(folder: Path, slate_id: str, counted_from: date) -> Given:
    """Return what the files say of a slate: each pair once, at its best rank."""
    rows = pd.read_parquet(folder / "registry.parquet")
    rows = rows[rows["slate_id"].str.startswith(slate_id)]
    seen = pd.read_parquet(folder / "outcomes.parquet")
    seen = seen[seen["slate_id"].str.startswith(slate_id)]
    rows, seen = (
        one.assign(disease=one["disease_name"].str.casefold(), drug=one["drug_name"].str.casefold())
        for one in (rows, seen)
    )
    rows = rows.sort_values(["rank", "repurposing_score"], ascending=[True, False])
    rows = rows.drop_duplicates(PAIR)
    tier = np.select([rows["rank"] <= 10, rows["rank"] <= 50], TIERS[:2], TIERS[2])
    return Given(
        predictions=rows[PAIR].assign(score=rows["repurposing_score"], tier=tier),
        outcomes=seen[[*PAIR, "outcome_type"]].assign(
            event_date=pd.to_datetime(seen["outcome_date"]),
            # When an outcome became public is not stated: none is known to be prospective.
            public_on=pd.Series(pd.NaT, index=seen.index),
        ),
        stated_on=pd.to_datetime(rows["created_at"], utc=True).iloc[0].date(),
        counted_from=counted_from,
        ends_on=counted_from,
    )


@pytest.mark.slow
@pytest.mark.parametrize("slate_id", ["469bb270", "302b34f7"])
@pytest.mark.parametrize("dates", ["claimed", "counted"])
def test_every_row_of_a_published_slate(
    tracker: Tracker, shared: Path, slate_id: str, dates: str
) -> None:
    imported = tracker("slate", "import", shared / "exmplr_2026q1")
    assert imported.exit_code == 0, imported.output
    printed = tracker("report", slate_id, "--dates", dates, "--format", "json")
    assert printed.exit_code == 0, printed.output
    report = json.loads(printed.output)
    counted_from = date.fromisoformat(report["slate"]["counted_from"])
    given = published(shared / "exmplr_2026q1", slate_id, counted_from)
    assert (counted_from == given.stated_on) == (dates == "claimed")
    views = {**by_tier(given), **over_time(given)}
    assert assert_equal(report, views, given.populations) > 20
    if slate_id == "469bb270":
        high = views["tier_hit_rate"]["all", "all", "high"]
        every = views["median_time_to_event"][("all",)]
        assert (high["n_hits"], high["n_predictions"]) == (10, 70)
        assert (every["median_days"], every["n_negative"], every["n_positive"]) == (-4474, 31, 1)


# A small world with candidates and labels

FREEZE, HORIZON_END = date(2023, 1, 15), date(2024, 1, 15)
N_DRUGS, N_PREDICTED = 27, 14
DISEASES = ("ague", "catarrh", "dropsy", "gravel")
# A disease and a drug by their numbers, what happened, when, and when it became public.
OUTCOMES = (
    *[(0, drug, "first_trial_seen", "2023-06-01", "2023-05-20") for drug in (2, 9, 17, 25)],
    *[(1, drug, "phase_advanced", "2023-03-01", "2023-03-01") for drug in (1, 4, 11, 20, 26)],
    # Before the freeze, planned and public by it, and on the horizon's last day.
    (2, 3, "fda_approved", "2011-11-11", "2011-11-11"),
    (2, 8, "first_trial_seen", "2023-04-01", "2022-12-01"),
    (2, 14, "first_trial_seen", "2024-01-15", "2024-01-15"),
    # After the horizon, by one day and by five months; one that became public after it.
    (2, 19, "first_trial_seen", "2024-01-16", "2024-01-16"),
    (0, 5, "first_trial_seen", "2024-06-15", "2024-06-15"),
    (1, 6, "phase_advanced", "2023-12-01", "2024-02-01"),
    # Undated; dated without a first public day; a low signal alone; and twice the same pair.
    (3, 7, "fda_approved", "", ""),
    (3, 13, "first_trial_seen", "2023-05-05", ""),
    (3, 21, "status_transition", "2023-05-05", "2023-05-05"),
    (3, 24, "phase_advanced", "2023-08-01", "2023-08-01"),
    (3, 24, "fda_approved", "2023-02-01", "2023-02-01"),
)


def small_world() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return candidates, labels and outcomes; every drug has a breadth of its own."""
    rng = np.random.default_rng(7)
    names = [f"drug {number:02}" for number in range(N_DRUGS)]
    candidates = pd.DataFrame(
        [(disease, drug) for disease in DISEASES for drug in names], columns=PAIR
    )
    candidates["score"] = (1 + rng.permutation(len(candidates)) / len(candidates)) / 2
    kept = rng.permutation(N_DRUGS)
    labels = pd.DataFrame(
        [
            (f"other {place:02}", names[drug], 1)
            for drug, breadth in enumerate(kept)
            for place in range(breadth)
        ],
        columns=[*PAIR, "label"],
    )
    outcomes = pd.DataFrame(
        [(DISEASES[disease], names[drug], *rest) for disease, drug, *rest in OUTCOMES],
        columns=[*PAIR, "outcome_type", "event_date", "public_on"],
    )
    return candidates, labels, outcomes


@pytest.mark.slow
def test_every_row_of_a_small_world(tracker: Tracker, tmp_path: Path) -> None:
    candidates, labels, outcomes = small_world()
    names = {"disease": "disease_name", "drug": "drug_name", "public_on": "first_public_on"}
    for name, frame in (("candidates", candidates), ("labels", labels)):
        frame.rename(columns=names).to_csv(tmp_path / f"{name}.csv", index=False)
    outcomes.rename(columns=names).assign(source="ctgov").to_csv(
        tmp_path / "outcomes.csv", index=False
    )
    for words in (
        ("load", "candidates", tmp_path / "candidates.csv", "--set", "c", "--model", "m"),
        ("load", "labels", tmp_path / "labels.csv", "--set", "l"),
        (
            "slate",
            "freeze",
            "--candidates",
            "c",
            "--labels",
            "l",
            "--top-k",
            N_PREDICTED,
            "--replay-as-of",
            FREEZE,
        ),
    ):
        done = tracker(*words)
        assert done.exit_code == 0, done.output
    (slate,) = json.loads(tracker("slate", "list", "--format", "json").output)
    loaded = tracker("load", "outcomes", tmp_path / "outcomes.csv", "--slate", slate["slate_id"])
    assert loaded.exit_code == 0, loaded.output
    rank = candidates.groupby("disease")["score"].rank(ascending=False).astype(int)
    predictions = candidates.assign(tier=np.where(rank <= 10, "high", "moderate"))
    dated = outcomes.assign(
        event_date=pd.to_datetime(outcomes["event_date"]),
        public_on=pd.to_datetime(outcomes["public_on"]),
    )
    public_by_freeze = dated[dated["public_on"] <= pd.Timestamp(FREEZE)]
    given = Given(
        predictions=predictions[rank <= N_PREDICTED],
        outcomes=dated,
        stated_on=FREEZE,
        counted_from=FREEZE,
        ends_on=HORIZON_END,
        # An outcome of unknown date may have been public by the freeze.
        known={*map(tuple, public_by_freeze[PAIR].to_numpy())},
        candidates=candidates,
        labels=labels,
    )
    report = json.loads(tracker("report", slate["slate_id"], "--format", "json").output)
    views = {**by_tier(given), **over_time(given), **by_breadth(given)}
    assert assert_equal(report, views, given.populations) > 100
    decile = given.deciles()
    stored = json.loads(
        tracker(
            "sql",
            "select name, breadth, breadth_decile from drug_breadth join drug using (drug_id)",
            "--format",
            "json",
        ).output
    )
    assert {row["name"]: (row["breadth"], row["breadth_decile"]) for row in stored} == {
        str(name): (row.breadth, row.decile) for name, row in decile.iterrows()
    }


def test_the_small_world_tells_the_rules_apart() -> None:
    """The window 'all' has hits that the horizon, the dates or a first public day keep out."""
    candidates, labels, outcomes = small_world()
    assert labels.groupby("drug").size().is_unique
    assert candidates["score"].is_unique
    late = outcomes["event_date"] > HORIZON_END.isoformat()
    assert late.sum() == 2
    assert (outcomes["event_date"] == "").sum() == 1
