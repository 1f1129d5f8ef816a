"""The store determines when an outcome was recorded; when it was observed is a claim."""

import json
import shutil
import xml.etree.ElementTree as ET
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from uuid import UUID

import duckdb
import pytest
import sqlalchemy as sa
from alembic import command
from bench import TWINS, Bench, published
from sqlalchemy import text
from support import WORLD
from test_bad_exchange import edit, hashes, rewrite
from worlds import complete, insert

from tracker import schema, store
from tracker.store.state import scope

pytestmark = pytest.mark.slow

SLATE = "5c9f4a52"
OUTCOMES = WORLD / "spring_outcomes.csv"
HEADER = "disease_name,drug_name,outcome_type,source,event_date,first_public_on,observed_at\n"
PAST = "2020-02-01T00:00:00+00:00"


@pytest.fixture(scope="module")
def imported(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a slate of 2025 and no outcome."""
    made = Bench(
        Path(shutil.copy(empty_store, tmp_path_factory.mktemp("imported") / "store.duckdb"))
    )
    candidates = ("--set", "world", "--model", "fable-1")
    made.accept("load", "candidates", WORLD / "candidates.csv", *candidates)
    made.accept("load", "labels", WORLD / "labels.csv", "--set", "known")
    made.accept("timestamp", "trust", WORLD / "authority.pem", "--name", "demo")
    made.accept("slate", "import", WORLD / "spring_slate")
    return made.db


@pytest.fixture
def past(imported: Path, tmp_path: Path) -> Bench:
    """A copy of that store; the slate is SLATE."""
    return Bench(Path(shutil.copy(imported, tmp_path / "store.duckdb")))


def instant(value: object) -> datetime:
    assert isinstance(value, datetime)
    return value.astimezone(UTC)


def warnings(made: Bench, *words: str) -> list[str]:
    found: list[str] = made.read(*words)["warnings"]
    return found


@pytest.mark.parametrize("form", ["json", "csv", "html"])
def test_outcomes_that_claim_the_past_do_not_change_its_reports(past: Bench, form: str) -> None:
    """The report of each earlier moment is the same, byte for byte, before and after the load."""
    moments = ("2025-08-31", datetime.now(UTC).isoformat())
    words = ("report", SLATE, "--format", form, "--as-of")
    before = [past.accept(*words, moment) for moment in moments]
    past.accept("load", "outcomes", OUTCOMES, "--slate", SLATE)
    assert [past.accept(*words, moment) for moment in moments] == before
    now = past.read("report", SLATE)
    assert now["slate"]["n_outcomes"] == len(OUTCOMES.read_text().splitlines()) - 1


def test_outcomes_loaded_since_are_explained(past: Bench) -> None:
    before = datetime.now(UTC).isoformat()
    past.accept("load", "outcomes", OUTCOMES, "--slate", SLATE)
    after = datetime.now(UTC).isoformat()
    n_rows = len(OUTCOMES.read_text().splitlines()) - 1
    for since, n_new in ((before, n_rows), (after, 0), ("2025-12-31", n_rows)):
        words = ("report", SLATE, "--explain", since, "--format", "json")
        sections = json.loads(past.accept(*words))["sections"]
        assert len(sections["outcome_card"]) == n_new
        assert bool(sections["changed_figure"]) == bool(n_new)


def test_a_load_is_stamped_and_its_claim_is_kept(past: Bench) -> None:
    before = datetime.now(UTC)
    past.accept("load", "outcomes", OUTCOMES, "--slate", SLATE)
    after = datetime.now(UTC)
    every = "select recorded_at, observed_at, outcome_origin from outcome order by outcome_id"
    rows = past.query(every)
    assert {origin for _, _, origin in rows} == {"loaded"}
    assert {before < instant(recorded) < after for recorded, _, _ in rows} == {True}
    assert len({recorded for recorded, _, _ in rows}) == 1
    claimed = {line.rsplit(",", 1)[1] for line in OUTCOMES.read_text().splitlines()[1:]}
    assert {instant(observed).isoformat() for _, observed, _ in rows} == claimed
    again = past.accept("load", "outcomes", OUTCOMES, "--slate", SLATE)
    assert again.startswith("0 of ")
    assert past.query(every) == rows


def test_the_same_event_with_another_claim_is_not_a_new_outcome(bench: Bench) -> None:
    for claim in (PAST, "2019-02-01T00:00:00+00:00", ""):
        events = bench.write("e.csv", f"{HEADER}Asthma,Alpha,fda_approved,fda,2020-01-01,,{claim}")
        bench.accept("load", "outcomes", events, "--slate", bench.slate)
    ((observed,),) = bench.query("select observed_at from outcome")
    assert instant(observed).isoformat() == PAST


def test_without_a_claim_an_outcome_was_observed_when_it_was_recorded(bench: Bench) -> None:
    events = bench.write("e.csv", f"{HEADER}Asthma,Alpha,fda_approved,fda,2020-01-01,,")
    bench.accept("load", "outcomes", events, "--slate", bench.slate)
    assert bench.query("select observed_at = recorded_at from outcome") == [(True,)]


# Where outcomes come from


def test_reports_count_loaded_outcomes_separately(past: Bench) -> None:
    past.accept("load", "outcomes", OUTCOMES, "--slate", SLATE)
    report = past.read("report", SLATE)
    counts = report["sections"]["outcome_count"]
    n_outcomes = report["slate"]["n_outcomes"]
    assert sum(row["n_loaded"] for row in counts) == n_outcomes
    assert {row["n_detected"] + row["n_imported"] for row in counts} == {0}
    n_hits = next(
        row["n_hits"]
        for row in report["sections"]["tier_hit_rate"]
        if (row["evidence_window"], row["population"], row["tier"]) == ("prospective", "all", "all")
    )
    assert n_hits > 1
    warning = (
        f"{n_outcomes} of {n_outcomes} outcomes were loaded from files rather than detected in "
        f"evidence; {n_hits} of {n_hits} prospective hits rest on them alone."
    )
    assert warning in report["warnings"]
    assert warning in warnings(past, "assess", SLATE)
    assert warning in past.accept("report", SLATE, "--format", "html")


@pytest.mark.parametrize(
    ("origins", "warning"),
    [
        ([("detected", 1), ("detected", 2)], None),
        (
            [("detected", 1), ("loaded", 1)],
            "1 of 2 outcomes were loaded from files rather than detected in evidence; "
            "0 of 1 prospective hits rest on them alone.",
        ),
        (
            [("detected", 1), ("loaded", 2), ("loaded", 1)],
            "2 of 3 outcomes were loaded from files rather than detected in evidence; "
            "1 of 2 prospective hits rest on them alone.",
        ),
        (
            [("imported", 1), ("detected", 9)],
            "1 of 2 outcomes were imported with the slate rather than detected in evidence; "
            "1 of 1 prospective hits rest on them alone.",
        ),
        (
            [("imported", 9), ("loaded", 9)],
            "2 of 2 outcomes were loaded from files or imported with the slate rather than "
            "detected in evidence.",
        ),
    ],
)
def test_the_warning_states_how_many_hits_rest_on_files(
    empty_store: Path, origins: list[tuple[str, int]], warning: str | None, tmp_path: Path
) -> None:
    """Drugs 1 and 2 are predicted, drug 9 is not."""
    made = Bench(Path(shutil.copy(empty_store, tmp_path / "store.duckdb")))
    slate = {"slate_id": UUID(int=1), "disease_id": 1}
    on = {"event_date": date(2026, 2, 1), "first_public_on": date(2026, 2, 1)}
    kinds = ("first_trial_seen", "phase_advanced", "fda_approved")
    outcomes = [
        {**slate, **on, "drug_id": drug_id, "outcome_type": kind, "outcome_origin": origin}
        for (origin, drug_id), kind in zip(origins, kinds, strict=False)
    ]
    predictions = [{**slate, "drug_id": drug_id} for drug_id in (1, 2)]
    with store.writer(made.db, run_checks=False) as connection:
        insert(connection, complete({"prediction": predictions, "outcome": outcomes}))
    found = [line for line in warnings(made, "report", str(UUID(int=1))) if "detected in" in line]
    assert found == ([warning] if warning else [])


def test_detected_outcomes_are_recorded_as_they_are_observed(demo_store: Path) -> None:
    made = Bench(demo_store)
    rows = made.query("select distinct outcome_origin, observed_at = recorded_at from outcome")
    assert rows == [("detected", True)]
    slate = made.read("report", SLATE)
    counts = slate["sections"]["outcome_count"]
    assert sum(row["n_detected"] for row in counts) == slate["slate"]["n_outcomes"] > 0
    assert not [line for line in slate["warnings"] if "detected in" in line]


# What is shown


def test_a_claimed_time_is_shown_as_claimed_and_only_where_it_differs(bench: Bench) -> None:
    events = bench.write(
        "e.csv",
        f"{HEADER}Asthma,Alpha,fda_approved,fda,2020-01-01,,{PAST}\n"
        "Asthma,Beta,fda_approved,fda,2020-01-01,,\n",
    )
    bench.accept("load", "outcomes", events, "--slate", bench.slate)
    rows = bench.read("outcome", "list", bench.slate)
    recorded = [instant(found) for (found,) in bench.query("select recorded_at from outcome")]
    assert [row["outcome_origin"] for row in rows] == ["loaded", "loaded"]
    assert [datetime.fromisoformat(row["recorded_at"]) for row in rows] == recorded
    claims = {row["drug_name"]: row["claimed_observed_at"] for row in rows}
    assert datetime.fromisoformat(claims.pop("Alpha")) == datetime.fromisoformat(PAST)
    assert claims == {"Beta": None}
    for row in rows:
        shown = bench.accept("outcome", "show", row["outcome_id"])
        fields = {line.split()[0] for line in shown.splitlines() if line.strip()}
        assert "recorded_at" in fields
        assert "observed_at" not in fields
        assert ("claimed_observed_at" in fields) == (row["drug_name"] == "Alpha")
    today = recorded[0].date()
    page = bench.accept("report", bench.slate, "--format", "html")
    assert f"fda, loaded {today}, claimed as observed 2020-02-01)" in page
    assert f"fda, loaded {today})" in page


def test_the_feed_states_when_an_outcome_was_recorded(bench: Bench) -> None:
    events = bench.write(
        "e.csv",
        f"{HEADER}Asthma,Alpha,fda_approved,fda,2020-01-01,,{PAST}\n"
        "Asthma,Beta,fda_approved,fda,2020-01-01,,\n",
    )
    bench.accept("load", "outcomes", events, "--slate", bench.slate)
    recorded = instant(bench.query("select recorded_at from outcome")[0][0])
    bench.accept("publish", "-o", bench.folder / "site")
    feed = ET.parse(bench.folder / "site" / "feed.xml").getroot()  # noqa: S314 - our own file
    name = "{http://www.w3.org/2005/Atom}"
    entries = {
        str(entry.findtext(f"{name}title")).split()[2]: entry
        for entry in feed.findall(f"{name}entry")
    }
    assert {
        datetime.fromisoformat(str(entry.findtext(f"{name}updated"))) for entry in entries.values()
    } == {recorded}
    ends = {drug: str(entry.findtext(f"{name}summary")) for drug, entry in entries.items()}
    today = recorded.date()
    assert ends["Alpha"].endswith(f"from fda; loaded {today}, claimed as observed 2020-02-01.")
    assert ends["Beta"].endswith(f"from fda; loaded {today}.")


def test_a_site_is_as_of_the_last_recording(bench: Bench) -> None:
    events = bench.write("e.csv", f"{HEADER}Asthma,Alpha,fda_approved,fda,2020-01-01,,{PAST}")
    bench.accept("load", "outcomes", events, "--slate", bench.slate)
    recorded = instant(bench.query("select recorded_at from outcome")[0][0])
    bench.accept("publish", "-o", bench.folder / "site")
    package = json.loads((bench.folder / "site" / "datapackage.json").read_text())
    assert datetime.fromisoformat(package["created"]) == recorded


def test_a_clock_set_back_does_not_unwind_the_ledger(bench: Bench) -> None:
    """The present is after every recorded instant, whatever was claimed."""
    events = bench.write("e.csv", f"{HEADER}Asthma,Alpha,fda_approved,fda,2020-01-01,,{PAST}")
    bench.accept("load", "outcomes", events, "--slate", bench.slate)
    with store.writer(bench.db) as connection:
        ahead = datetime.now(UTC) + timedelta(seconds=30)
        connection.execute(schema.event.update().values(recorded_at=ahead))
        assert store.now(connection) > ahead


# Exports


def test_an_export_carries_both_times_and_only_the_claim_is_believed(
    past: Bench, imported: Path, tmp_path: Path
) -> None:
    past.accept("load", "outcomes", OUTCOMES, "--slate", SLATE)
    kept = "select disease_id, drug_id, outcome_type, observed_at from outcome order by all"
    given = past.query(kept)
    folder = past.folder / "export"
    past.accept("slate", "export", SLATE, folder)
    with duckdb.connect() as connection:
        path = str(folder / "outcomes.parquet")
        columns = connection.read_parquet(path).columns
        origins = connection.sql(f"select distinct outcome_origin from '{path}'").fetchall()  # noqa: S608 - names of the test's own
    assert {"observed_at", "recorded_at", "outcome_origin"} <= set(columns)
    assert origins == [("loaded",)]
    (tmp_path / "other").mkdir()
    other = Bench(Path(shutil.copy(imported, tmp_path / "other" / "store.duckdb")))
    before = datetime.now(UTC)
    for n_new in (len(given), 0):
        printed = other.accept("slate", "import", folder)
        assert f"{n_new:,} new outcomes" in printed
    rows = other.query("select recorded_at, outcome_origin from outcome")
    assert {origin for _, origin in rows} == {"imported"}
    assert min(instant(recorded) for recorded, _ in rows) > before
    assert other.query(kept) == given
    hashed = "select content_sha256 from slate"
    assert other.query(hashed) == past.query(hashed)


def test_an_export_of_before_is_still_imported(past: Bench, imported: Path, tmp_path: Path) -> None:
    past.accept("load", "outcomes", OUTCOMES, "--slate", SLATE)
    folder = past.folder / "export"
    past.accept("slate", "export", SLATE, folder)
    rewrite(folder, "outcomes.parquet", "select * exclude (recorded_at, outcome_origin) from {old}")
    edit(folder, lambda found: found.update(files=hashes(folder)))
    (tmp_path / "other").mkdir()
    other = Bench(Path(shutil.copy(imported, tmp_path / "other" / "store.duckdb")))
    other.accept("slate", "import", folder)
    count = "select count(*), count(distinct recorded_at), min(outcome_origin) from outcome"
    ((n_outcomes, n_stamps, origin),) = other.query(count)
    assert n_outcomes == len(OUTCOMES.read_text().splitlines()) - 1
    assert (n_stamps, origin) == (1, "imported")


def test_published_outcomes_are_stamped_as_they_are_imported(
    empty_store: Path, tmp_path: Path
) -> None:
    made = Bench(Path(shutil.copy(empty_store, tmp_path / "store.duckdb")))
    rows = (
        f"select '{TWINS[0]}' as slate_id, 'Gout' as disease_name, 'Delta' as drug_name, "
        "'fda_approved' as outcome_type, date '2020-01-01' as outcome_date, "
        f"'fda' as outcome_source, '{PAST}' as observed_at"
    )
    before = datetime.now(UTC)
    made.accept("slate", "import", made.write("published", published(outcomes=rows)))
    ((recorded, observed, origin),) = made.query(
        "select recorded_at, observed_at, outcome_origin from outcome"
    )
    assert instant(recorded) > before
    assert (instant(observed).isoformat(), origin) == (PAST, "imported")


# Stores written before the store stamped its rows


def _older(path: Path) -> None:
    """Write a store of revision 0008: two slates, and outcomes of every origin.

    Outcome 1 was loaded, 2 detected a day later, 3 and 4 loaded after that, 5 detected, 6 loaded.
    Outcomes 2 and 5 are one row of ChEMBL, found for either slate.
    """
    engine = sa.create_engine(f"duckdb:///{path}")
    with engine.begin() as connection:
        store.upgrade(connection, "0008")
        pair = {"disease_id": 1, "drug_id": 1}
        world = complete(
            {
                "slate": [
                    {"slate_id": UUID(int=1), "origin": "frozen"},
                    {"slate_id": UUID(int=2), "origin": "published"},
                ],
                "prediction": [{"slate_id": UUID(int=n), **pair} for n in (1, 2)],
                "release": [{"release_id": 1, "released_on": date(2026, 2, 15)}],
                "drug_alias": [{"drug_id": 1, "kind": "chembl_id", "value": "CHEMBL1"}],
                "disease_alias": [{"disease_id": 1, "kind": "efo_id", "value": "EFO:1"}],
            }
        )
        # There were no timestamps yet.
        insert(connection, world | {"timestamp_token": []})
        for outcome_id, slate, release, observed in OLDER:
            connection.execute(
                text(
                    "insert into outcome by name select :outcome_id as outcome_id, "
                    "cast(:slate_id as uuid) as slate_id, 1 as disease_id, 1 as drug_id, "
                    "'fda_approved' as outcome_type, "
                    "if(:release_id is null, concat('s', :outcome_id), 'chembl') as source, "
                    "cast(:release_id as integer) as release_id, "
                    "cast(:observed_at as timestamptz) as observed_at, "
                    "cast(:detail as json) as detail"
                ),
                {
                    "outcome_id": outcome_id,
                    "slate_id": str(UUID(int=slate)),
                    "release_id": release,
                    "observed_at": f"{observed} 00:00:00+00",
                    "detail": json.dumps(DETECTED if release else {"phase": 4}),
                },
            )
    engine.dispose()


DETECTED = {"phase": 4, "record": "1", "drug_alias": "CHEMBL1", "disease_alias": "EFO:1"}
# outcome_id, slate, release, observed_at
OLDER = (
    (1, 1, None, "2026-02-01"),
    (2, 1, 1, "2026-03-02"),
    (3, 1, None, "2026-01-05"),
    (4, 2, None, "2026-01-05"),
    (5, 2, 1, "2026-04-02"),
    (6, 2, None, "2026-04-03"),
)


def test_an_older_store_is_stamped_from_its_own_records(tmp_path: Path) -> None:
    """A detected row was stamped by the store; another was there when the next one was detected.

    Rows are numbered as they are written, so row 1 was there by 2026-03-02, 3 and 4 by
    2026-04-02, and 6 by the upgrade.
    """
    path = tmp_path / "store.duckdb"
    _older(path)
    before = datetime.now(UTC)
    with store.writer(path):
        pass
    rows = Bench(path).query(
        "select event_id, observed_at, recorded_at, event_origin, phase, slate_id, event_type "
        "from event order by event_id"
    )
    found = [(row[0], instant(row[2]).date().isoformat(), row[3]) for row in rows]
    assert found[:4] == [
        (1, "2026-03-02", "loaded"),
        (2, "2026-03-02", "detected"),
        (3, "2026-04-02", "loaded"),
        (4, "2026-04-02", "imported"),
    ]
    assert (found[4][0], found[4][2]) == (6, "imported")
    assert before < instant(rows[4][2]) < datetime.now(UTC)
    observed = {row[0]: row[3] for row in OLDER}
    assert {row[0]: instant(row[1]).date().isoformat() for row in rows}.items() <= observed.items()
    assert {row[4] for row in rows} == {4.0}
    # What is loaded or detected is a fact for both slates, what came with slate 2 its own.
    assert {row[0]: row[5] for row in rows if row[5]} == dict.fromkeys((4, 6), UUID(int=2))
    assert {row[0] for row in rows if row[6] == "indication_phase"} == {2}
    # Event 1 and 2 for either slate; then 3 as well, and 4 for slate 2.
    for as_of, n_outcomes in (("2026-03-01", 0), ("2026-03-03", 4), ("2026-04-03", 7)):
        instant_of = datetime.fromisoformat(f"{as_of}T00:00:00Z")
        with (
            store.reader(path, as_of=instant_of) as connection,
            scope.of_views(connection, "outcome_timing"),
        ):
            count = connection.execute(text("select count(*) from outcome_timing")).scalar_one()
        assert count == n_outcomes


def test_a_downgrade_keeps_what_publishers_claim(tmp_path: Path) -> None:
    """The other events are of no slate; the older tracker detects and loads them again."""
    path = tmp_path / "store.duckdb"
    _older(path)
    claims = "from outcome where outcome_id in (4, 6) order by outcome_id"
    before = Bench(path).query(claims)
    with store.writer(path):
        pass
    engine = sa.create_engine(f"duckdb:///{path}")
    with engine.begin() as connection:
        config = store.alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "0008")
    engine.dispose()
    assert Bench(path).query("from outcome order by outcome_id") == before
    with store.writer(path):
        pass
    assert Bench(path).query("select count(*) from event") == [(2,)]
