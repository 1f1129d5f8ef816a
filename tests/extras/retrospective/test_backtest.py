"""tracker backtest: lists of past origins, judged as real slates are, without leaving a trace."""

import json
import shutil
from collections.abc import Iterator, Sequence
from datetime import date
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from evidence import study, write_json
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection
from support import exited, ok, tracker_on

from tracker import rankers, schema, store
from tracker.extras.retrospective import backtest_ranking, backtests
from tracker.extras.retrospective.backtest_recipe import Recipe
from tracker.log import sealing
from tracker.rankers import Ids, LabeledPairs, Scores
from tracker.slates import loads
from tracker.store import queries

# Its backtests are made first.
pytestmark = pytest.mark.slow

N_DRUGS, N_DISEASES, N_GROUPS = 60, 24, 3
ORIGINS = ("2015-01-01", "2017-01-01", "2019-01-01")
LAST_ORIGIN = "2021-01-01"
RUN = ("run", "--ranker", "cf", "--from", "2015-01-01", "--every", "24m", "--top-k", "5")


class Store:
    """Runs commands on a store."""

    def __init__(self, db: Path) -> None:
        self.db = db

    def __call__(self, *words: object) -> Result:
        return tracker_on(self.db)(*words)

    def query(self, statement: str) -> list[tuple[object, ...]]:
        with store.reader(self.db) as connection:
            _, batches = queries.Query(connection, statement).rows()
            return [row for batch in batches for row in batch]


def _studies() -> Iterator[dict[str, object]]:
    """Yield studies of 2008 to 2021: drugs are tried within their group far more than outside."""
    chance = np.random.default_rng(3)
    favour = chance.lognormal(0, 0.6, N_DRUGS)
    number = 0
    for drug in range(N_DRUGS):
        for disease in range(N_DISEASES):
            alike = drug % N_GROUPS == disease % N_GROUPS
            if chance.random() < (0.45 if alike else 0.04) * favour[drug]:
                number += 1
                year, month = chance.integers(2008, 2022), chance.integers(1, 13)
                yield study(
                    f"NCT{number:08d}",
                    conditions=[f"Disease {disease}"],
                    meshes=[],
                    interventions=[{"type": "DRUG", "name": f"Drug {drug}"}],
                    posted=f"{year}-{month:02d}-05",
                    start=f"{year}-{month:02d}-20",
                    updated="2023-06-01",
                )


@pytest.fixture(scope="module")
def registry(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one snapshot of a small registry, and every pair as a candidate."""
    folder = tmp_path_factory.mktemp("registry")
    made = Store(Path(shutil.copy(empty_store, folder / "store.duckdb")))
    lines = [
        f"Disease {disease},Drug {drug},0.5"
        for disease in range(N_DISEASES)
        for drug in range(N_DRUGS)
    ]
    (folder / "whole.csv").write_text("\n".join(["disease_name,drug_name,score", *lines]))
    ingest = ("ingest", "trials", write_json(folder / "ctgov.json", list(_studies())))
    for words in (
        ("load", "candidates", folder / "whole.csv", "--set", "whole", "--model", "m"),
        (*ingest, "--released", "2023-07-01"),
        ("refresh", "detect"),
    ):
        ok(made(*words))
    return made.db


@pytest.fixture(scope="module")
def run_once(registry: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The store after a backtest, and what that printed."""
    made = Store(Path(shutil.copy(registry, tmp_path_factory.mktemp("ran") / "store.duckdb")))
    done = ok(made("backtest", *RUN))
    return made.db, done.stdout


@pytest.fixture
def fresh(registry: Path, tmp_path: Path) -> Store:
    return Store(Path(shutil.copy(registry, tmp_path / "store.duckdb")))


@pytest.fixture
def ran(run_once: tuple[Path, str], tmp_path: Path) -> Store:
    return Store(Path(shutil.copy(run_once[0], tmp_path / "store.duckdb")))


def test_what_is_printed(run_once: tuple[Path, str]) -> None:
    printed = run_once[1]
    said = " ".join(printed.split())
    assert "cf (24 months): " in said
    assert "more than equally popular drugs would have had" in said
    assert "Leak test of cf (24 months): with shuffled labels its enrichment is" in said
    assert "One snapshot of ClinicalTrials.gov (2023-07-01)" in said
    for origin in ORIGINS:
        assert origin in said
    # The horizon of 2021-01-01 ends before the snapshot, that of 2023 after it.
    assert "2021-01-01" in said
    assert "Origins 2015-01-01 to 2021-01-01, every 24 months" in said
    assert max(map(len, printed.splitlines())) <= 80


def test_the_store_keeps_figures_alone(fresh: Store) -> None:
    tables = ("slate", "prediction", "candidate_set", "candidate", "label_set", "drug", "event")
    counts = [fresh.query(f"select count(*) from {table}") for table in tables]  # noqa: S608 - names of the test's own
    ok(fresh("backtest", *RUN))
    assert [fresh.query(f"select count(*) from {table}") for table in tables] == counts  # noqa: S608 - as above
    assert fresh.query("select count(*) from backtest_run") == [(4 * 5,)]
    assert [path.name for path in fresh.db.parent.iterdir() if ".tracker-" in path.name] == []


def test_sets_of_the_store_may_have_any_name(ran: Store, fresh: Store, tmp_path: Path) -> None:
    file = tmp_path / "other.csv"
    file.write_text("disease_name,drug_name,score\nDisease 0,Drug 1,0.5\n")
    for name in ("cf", "cf, shuffled", "popularity"):
        ok(fresh("load", "candidates", file, "--set", name, "--model", "m"))
    known = ("load", "labels", "--from-evidence", "--set", f"known on {ORIGINS[0]}")
    ok(fresh(*known, "--as-of", ORIGINS[1]))
    ok(fresh("backtest", *RUN))
    figures = "select * exclude (computed_at) from backtest_run order by all"
    assert fresh.query(figures) == ran.query(figures)


@pytest.mark.parametrize("origin", ORIGINS[:2])
def test_an_origin_is_judged_as_a_slate_frozen_on_that_day(
    ran: Store, origin: str, tmp_path: Path
) -> None:
    """The same list, made by hand: labels of the day, the unknown pairs, a replay."""
    known = ("load", "labels", "--from-evidence", "--set", "known", "--as-of", origin)
    ok(ran(*known))
    rows = ran.query(
        "with known as (select disease_id, drug_id from labeled_pair) "
        "select disease.name, drug.name from disease cross join drug "
        "anti join known using (disease_id, drug_id) "
        "semi join (select distinct disease_id from known) using (disease_id) "
        "semi join (select distinct drug_id from known) using (drug_id)"
    )
    lines = [f"{disease},{drug},0.5" for disease, drug in rows]
    novel = tmp_path / "novel.csv"
    novel.write_text("\n".join(["disease_name,drug_name,score", *lines]))
    plan = tmp_path / "plan.toml"
    plan.write_text("horizon_months = 24\n")
    sets = ("--candidates", "novel", "--labels", "known")
    freeze = ("slate", "freeze", *sets, "--ranker", "cf", "--top-k", "5")
    for words in (
        ("load", "candidates", novel, "--set", "novel", "--model", "m"),
        (*freeze, "--plan", plan, "--replay-as-of", origin),
    ):
        ok(ran(*words))
    (by_hand,) = ran.query(
        "select n_predictions, n_hits, expected_hits, enrichment_vs_matched "
        "from enrichment_vs_matched where evidence_window = 'prospective' "
        "and population = 'novel' and tier = 'all'"
    )
    found = ran.query(
        "select origin_on, n_predictions, n_hits, expected_hits, enrichment "
        "from backtest_origin where ranker = 'cf' and not is_shuffled"
    )
    assert [row[1:] for row in found if str(row[0]) == origin] == [by_hand]


def test_an_interrupted_backtest_continues(ran: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    before = ran.query("select * exclude (computed_at) from backtest_run order by all")
    # Rows are taken out as an interruption would leave the store; its log must not mind.
    monkeypatch.setattr(sealing, "require_counts", lambda *_: None)
    with store.writer(ran.db) as connection:
        for table in (schema.backtest_run, schema.backtest_influence):
            connection.execute(table.delete().where(table.c.origin_on > "2016-01-01"))
    seen = []
    at_origin = backtests._at_origin

    def noted(
        connection: Connection, recipe: Recipe, origin: date, wanted: Sequence[backtests.Key]
    ) -> list[backtests.Result]:
        seen.append(str(origin))
        return at_origin(connection, recipe, origin, wanted)

    monkeypatch.setattr(backtests, "_at_origin", noted)
    done = ran("backtest", *RUN)
    assert "backtest 1: 15 new runs" in done.stderr
    assert sorted(seen) == ["2017-01-01", "2019-01-01", "2021-01-01"]
    assert ran.query("select * exclude (computed_at) from backtest_run order by all") == before
    assert "backtest 1: 0 new runs" in ran("backtest", *RUN).stderr


def test_new_evidence_makes_another_backtest(ran: Store, tmp_path: Path) -> None:
    more = write_json(tmp_path / "later.json", list(_studies())[:-1])
    ok(ran("ingest", "trials", more, "--released", "2023-08-01"))
    assert "backtest 2: 20 new runs" in ran("backtest", *RUN).stderr
    assert "One snapshot" not in " ".join(ran("backtest", "report", 2).stdout.split())


def test_the_report_says_how_many_studies_have_a_history(ran: Store, tmp_path: Path) -> None:
    studies = list(_studies())
    lines = []
    for one in studies:
        section = one["protocolSection"]
        assert isinstance(section, dict)
        nct_id = section["identificationModule"]["nctId"]
        posted = section["statusModule"]["studyFirstPostDateStruct"]["date"]
        lines.append(json.dumps({"nctId": nct_id, "version": 0, "date": posted, "study": one}))
    for few, said in (
        (lines[:3], f"at the origin of 3 of {len(studies):,} studies, by their history"),
        (lines, "that the studies stated at the origin, by their history"),
    ):
        (tmp_path / "past.jsonl").write_text("\n".join(few))
        done = ok(ran("ingest", "trials", tmp_path / "past.jsonl", "--released", "2023-07-01"))
        ok(ran("refresh", "detect"))
        done = ok(ran("backtest", *RUN))
        report = " ".join(done.stdout.split())
        assert "One snapshot of ClinicalTrials.gov (2023-07-01)" in report
        assert said in report


def test_several_workers_find_the_same(ran: Store, fresh: Store) -> None:
    ok(fresh("backtest", *RUN, "--workers", "1"))
    figures = "select * exclude (computed_at) from backtest_run order by all"
    assert fresh.query(figures) == ran.query(figures)


class Clairvoyant:
    """Scores a drug by its group, whatever it is told: it knows the future."""

    def __init__(self, _seed: int) -> None:
        self._pairs: LabeledPairs

    def fit(self, training: LabeledPairs) -> None:
        self._pairs = training

    def score(self, disease_id: int, drug_ids: Ids) -> Scores:
        group = int(self._pairs.diseases[disease_id].split()[-1]) % N_GROUPS
        own = [int(self._pairs.drugs[drug].split()[-1]) % N_GROUPS for drug in drug_ids.tolist()]
        scores: Scores = (np.array(own) == group).astype(np.float64)
        return scores


def test_a_ranker_that_knows_the_future_fails_the_leak_test(
    fresh: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = EntryPoint("clairvoyant", f"{__name__}:Clairvoyant", rankers.GROUP)
    known = {**rankers.available(), "clairvoyant": entry}
    monkeypatch.setattr(rankers, "available", lambda: known)
    done = ok(fresh("backtest", *(word.replace("cf", "clairvoyant") for word in RUN)))
    assert "Leak test of clairvoyant (24 months) failed" in " ".join(done.stdout.split())


def test_scores_come_from_files(
    fresh: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loads, "MOST_STORED_PAIRS", 9)
    for origin in ("2015-01-01", "2017-01-01"):
        lines = [
            f"Disease {disease},Drug {drug},{0.9 if drug % N_GROUPS == disease % N_GROUPS else 0.1}"
            for disease in range(N_DISEASES)
            for drug in range(N_DRUGS)
        ]
        file = tmp_path / f"scores_{origin}.csv"
        file.write_text("\n".join(["disease_name,drug_name,score", *lines]))
    pattern = str(tmp_path / "scores_{date}.csv")
    words = ("backtest", "run", "--scores", pattern, "--from", "2015-01-01", "--every", "2y")
    done = ok(fresh(*words, "--to", "2018-01-01", "--top-k", 5))
    said = " ".join(done.stdout.split())
    assert "scores_{date}.csv (24 months)" in said
    assert "no leak test is possible" in said
    # So many pairs would have been sealed beside the store, in the folder of its next set.
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []
    missing = exited(3, fresh(*words, "--to", "2019-01-01"))
    assert "scores_2019-01-01.csv" in missing.stderr
    assert len(missing.stderr.splitlines()) == 1


def test_an_altered_set_is_not_judged(fresh: Store) -> None:
    ok(fresh("candidate", "seal", "whole"))
    (part,) = fresh.db.parent.glob("sealed-*/*/*.parquet")
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 1
    part.write_bytes(content)
    done = exited(4, fresh("backtest", *RUN, "--candidates", "whole"))
    assert "part 1 of the sealed candidate set 1 was altered after" in done.stderr


def test_each_horizon_has_its_figures(fresh: Store) -> None:
    ok(fresh("backtest", *RUN, "--horizon", "12m", "--horizon", "2y", "--to", "2017-01-01"))
    found = fresh.query(
        "select horizon_months, n_hits from backtest_pooled "
        "where ranker = 'cf' and not is_shuffled order by all"
    )
    (_, in_one_year), (_, in_two) = found
    assert 0 < int(str(in_one_year)) < int(str(in_two))


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (("--ranker", "vibes", "--from", "2015-01-01"), 3, "no ranker is named 'vibes'"),
        (("--from", "2015-01-01"), 3, "give at least one --ranker, or --scores"),
        (("--scores", "s.csv", "--from", "2015-01-01"), 3, "has no {date}"),
        (
            ("--scores", "{date}/popularity", "--from", "2015-01-01"),
            3,
            "files named 'popularity' would be taken for the ranker of that name",
        ),
        (
            ("--scores", "{date}/cf", "--ranker", "cf", "--from", "2015-01-01"),
            3,
            "files named 'cf' would be taken for the ranker of that name",
        ),
        (("--ranker", "cf", "--from", "2015-01-01", "--every", "90d"), 2, "--every is in months"),
        (("--ranker", "cf", "--from", "2015-01-01", "--top-k", "1000000"), 2, "1<=x<=999999"),
        (("--ranker", "cf", "--from", "2022-01-01"), 3, "ends on 2024-01-01, but evidence reaches"),
        (("--ranker", "cf", "--from", "1999-01-01", "--to", "1999-01-01"), 3, "shows no pair by"),
        (
            ("--ranker", "cf", "--from", "2017-01-01", "--to", "2015-01-01"),
            3,
            "--to 2015-01-01 is before --from 2017-01-01",
        ),
        (("--ranker", "cf", "--from", "2015-01-01", "--candidates", "none"), 3, "known: whole"),
    ],
)
def test_wrong_input_gets_one_line(
    fresh: Store, words: tuple[str, ...], code: int, line: str
) -> None:
    done = exited(code, fresh("backtest", "run", *words))
    assert line in done.stderr
    assert len(done.stderr.splitlines()) <= (5 if code == 2 else 1)
    assert fresh.query("select count(*) from backtest") == [(0,)]


def test_a_backtest_that_is_not_there(fresh: Store) -> None:
    done = exited(3, fresh("backtest", "report", 7))
    assert "there is no backtest 7; make one with 'tracker backtest run'" in done.stderr


def test_every_format(ran: Store) -> None:
    found = json.loads(ran("backtest", "report", 1, "--format", "json").stdout)
    pooled = {
        (row["ranker"], row["is_shuffled"]): row for row in found["sections"]["backtest_pooled"]
    }
    assert set(pooled) == {
        *((name, False) for name in ("cf", *rankers.BASELINES)),
        ("cf", True),
    }
    assert pooled["cf", False]["enrichment_low"] > 1
    page = ran("backtest", "report", 1, "--format", "html").stdout
    assert "What would these rankers have achieved?" in page
    assert "2017-01-01" in ran("backtest", "report", 1, "--format", "markdown").stdout
    assert ran("backtest", "report", 1, "--format", "csv").stdout.startswith("backtest_id,view")
    assert "cf" in ran("backtest", "list").stdout


@pytest.mark.parametrize("last_own", [ORIGINS[0], LAST_ORIGIN])
def test_origins_that_are_their_own_baseline_are_not_pooled(
    ran: Store, last_own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows are as `run` stores them where almost every equally popular drug is listed."""
    monkeypatch.setattr(sealing, "require_counts", lambda *_: None)
    table = schema.backtest_run
    own = dict.fromkeys(("enrichment", "enrichment_low", "enrichment_high", "p_value"))
    with store.writer(ran.db, run_checks=False) as connection:
        connection.execute(
            table.update()
            .where(table.c.origin_on <= last_own)
            .values(
                **own,
                **dict.fromkeys(("log_variance", "df", "r", "s")),
                n_hits=102,
                n_predictions=120,
                expected_hits=100.0,
                reason="no fair comparison: its own baseline",
            )
        )
    text = ran("backtest", "report", 1).stdout
    said = " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80
    assert "1.02 times" not in said + ran("backtest", "report", 1, "--format", "html").stdout
    assert "observed over expected hits is 1.02 there, the list's own among those expected" in said
    if last_own == LAST_ORIGIN:
        assert "enrichment is not known: no fair comparison: its own baseline." in said
        assert "Leak test of cf (24 months) is not possible: no fair comparison" in said
    else:
        assert "No enrichment at 1 origin:" in said
        assert "with shuffled labels its enrichment at 3 of 4 origins is" in said


@given(
    st.sets(st.tuples(st.integers(1, 6), st.integers(1, 9)), min_size=1, max_size=40),
    st.integers(0, 99),
)
def test_shuffling_keeps_degrees(pairs: set[tuple[int, int]], seed: int) -> None:
    disease, drug = np.array(sorted(pairs), dtype=np.int32).T
    names = {number: f"name {number}" for number in range(1, 10)}
    given_pairs = LabeledPairs(disease, drug, np.ones(len(drug), dtype=np.int8), names, names)
    found = backtest_ranking.shuffled(given_pairs, seed)
    shuffled = list(zip(found.disease_id.tolist(), found.drug_id.tolist(), strict=True))
    assert shuffled == sorted(set(shuffled))
    n_lost = len(pairs) - len(shuffled)
    # With other numbers for the same names the same pairs are found.
    turned = {number: names[10 - number] for number in names}
    order = np.lexsort((10 - drug, 10 - disease))
    again = backtest_ranking.shuffled(
        LabeledPairs(
            (10 - disease)[order],
            (10 - drug)[order],
            np.ones(len(drug), dtype=np.int8),
            turned,
            turned,
        ),
        seed,
    )
    assert shuffled == sorted(zip(10 - again.disease_id, 10 - again.drug_id, strict=True))
    for own, other in ((disease, found.disease_id), (drug, found.drug_id)):
        missing = np.bincount(own, minlength=10) - np.bincount(other, minlength=10)
        assert missing.min() >= 0
        assert missing.sum() == n_lost
