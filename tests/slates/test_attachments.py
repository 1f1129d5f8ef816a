"""Candidates and labels that a slate gets after its freeze: what they change, and what is said."""

import json
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bench import TWINS, Bench, published
from evidence import study, write_json
from sqlalchemy import text
from support import WORLD, Tracker, exited, ok

from tracker import clock, schema, slates, store
from tracker.slates import attachments, evidence_labels, loads
from tracker.store.state import scope

pytestmark = pytest.mark.slow

SPRING = "5c9f4a52"
PUBLISHED = "469bb270"
REGISTRY = """
select '{slate}' as slate_id, * from (values
    ('Asthma', 'Alpha', 0.9, 1), ('Asthma', 'Beta', 0.8, 2), ('Gout', 'Alpha', 0.7, 1)
) as t (disease_name, drug_name, repurposing_score, rank)
"""
UNIVERSE = """disease_name,drug_name,score
Asthma,Alpha,0.9
Asthma,Beta,0.8
Asthma,Gamma,0.2
Gout,Alpha,0.7
Gout,Beta,0.1
Gout,Delta,0.1
"""
KNOWN = """disease_name,drug_name,label,approval_year
Asthma,Alpha,4,{year}
Gout,Gamma,2,
Scurvy,Beta,0,
"""
CLAIMED = """disease_name,drug_name,outcome_type,source,event_date,first_public_on
Asthma,Alpha,first_trial_seen,ctgov,2026-03-01,2026-03-02
Asthma,Gamma,first_trial_seen,ctgov,2026-03-01,2026-03-02
"""


@pytest.fixture(scope="module")
def unattached(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a slate published without sets, and a candidate set and labels for it."""
    bench = Bench(
        Path(shutil.copy(empty_store, tmp_path_factory.mktemp("unattached") / "store.duckdb"))
    )
    record = {"slate_id": TWINS[0], "created_at": "2026-01-01T00:00:00+00:00"}
    folder = bench.write("published", published(REGISTRY.format(slate=TWINS[0]), [record]))
    bench.accept("slate", "import", folder)
    universe = bench.write("universe.csv", UNIVERSE)
    bench.accept("load", "candidates", universe, "--set", "whole", "--model", "m")
    bench.accept("load", "labels", bench.write("known.csv", KNOWN.format(year=1999)), "--set", "k")
    return bench.db


@pytest.fixture
def given(unattached: Path, db: Path) -> Bench:
    """A copy of that store in the test's own folder."""
    shutil.copy(unattached, db)
    return Bench(db)


@pytest.fixture(scope="module")
def various(unattached: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """That store with further sets and slates; what is refused there changes nothing."""
    folder = tmp_path_factory.mktemp("various")
    bench = Bench(Path(shutil.copy(unattached, folder / "store.duckdb")))
    narrow = bench.write("narrow.csv", "disease_name,drug_name,score\nAsthma,Alpha,0.9\n")
    bench.accept("load", "candidates", narrow, "--set", "narrow", "--model", "m")
    wide = bench.write("wide.csv", UNIVERSE + "Scurvy,Lemon,0.9\n")
    bench.accept("load", "candidates", wide, "--set", "wide", "--model", "m")
    labels = bench.write("elsewhere.csv", "disease_name,drug_name,label\nAsthma,Lemon,4\n")
    bench.accept("load", "labels", labels, "--set", "elsewhere")
    bench.accept("slate", "import", WORLD / "spring_slate")
    bench.accept("slate", "freeze", "--candidates", "whole")
    return bench


def _report(bench: Bench, *words: str) -> dict[str, Any]:
    loaded: dict[str, Any] = bench.read("report", PUBLISHED, *words)
    return loaded


def _enrichment(report: dict[str, Any]) -> dict[str, Any]:
    keys = {"evidence_window": "all", "population": "all", "tier": "all"}
    rows: list[dict[str, Any]] = report["sections"]["enrichment_vs_popularity"]
    (row,) = [row for row in rows if keys.items() <= row.items()]
    return row


def test_a_published_slate_gets_a_universe_and_labels(given: Bench) -> None:
    outcomes = given.write("outcomes.csv", CLAIMED)
    given.accept("load", "outcomes", outcomes)
    before = _report(given)
    hash_before = given.query("select content_sha256 from slate")
    assert _enrichment(before)["reason"] == "the slate has no candidate set and no labeled pairs"
    between = datetime.now(UTC)
    done = given.accept("slate", "attach", PUBLISHED, "--candidates", "whole", "--labels", "k")
    assert done.splitlines() == [
        "candidate set 'whole' (6 pairs): attached to slate 469bb270",
        "label set 'k' (3 pairs): attached to slate 469bb270",
    ]
    after = _report(given)
    # Breadth: alpha, gamma and beta 1 each, delta 0. One hit among three predictions.
    assert _enrichment(after)["expected_hits"] is not None
    assert {row["knowledge"] for row in after["sections"]["known_at_freeze"]} == {
        "approved",
        "nothing",
    }
    assert given.query("select content_sha256 from slate") == hash_before
    given.accept("slate", "verify")
    given.accept("check")
    # A report of before the attachment is the one that was made then.
    earlier = _report(given, "--as-of", between.isoformat())
    assert earlier["sections"] == _report(given, "--as-of", between.isoformat())["sections"]
    assert _enrichment(earlier) == _enrichment(before)
    assert earlier["slate"]["candidate_set"] is None
    assert not any("attached" in warning for warning in earlier["warnings"])


def test_every_form_of_the_report_says_so(given: Bench) -> None:
    given.accept("slate", "attach", PUBLISHED, "--candidates", "whole", "--labels", "k")
    today = datetime.now(UTC).date()
    report = _report(given)
    assert report["slate"]["candidate_set"] == f"whole (6 pairs), attached on {today}"
    assert report["slate"]["label_set"] == f"k (3 pairs), attached on {today}"
    sentences = [
        f"The candidate set 'whole' was attached on {today}, after the freeze (2026-01-01), and is "
        "not part of the slate's hash.",
        f"The label set 'k' was attached on {today}, after the freeze (2026-01-01), and is not "
        "part of the slate's hash. What was known at the freeze, so 'novel', and popularity rest "
        "on it; it may have what became known after the freeze",
    ]
    shown = " ".join(given.accept("report", PUBLISHED, "--section", "warnings").split())
    for sentence in sentences:
        assert sentence in shown
    given.accept("publish", "-o", given.folder / "site")
    page = (given.folder / "site" / "slates" / f"{TWINS[0]}.html").read_text()
    for sentence in sentences:
        assert sentence in page.replace("&#39;", "'")
    given.accept("verify", given.folder / "site")


def test_sets_attached_or_frozen_give_the_same_figures(empty_store: Path, tmp_path: Path) -> None:
    """The spring slate names its sets by hash; they are found at the import, or attached later."""
    reports = []
    for name, order in (("frozen", "sets first"), ("attached", "slate first")):
        bench = Bench(Path(shutil.copy(empty_store, tmp_path / f"{name}.duckdb")))
        loading: list[tuple[object, ...]] = [
            ("load", "candidates", WORLD / "candidates.csv", "--set", "world", "--model", "fable"),
            ("load", "labels", WORLD / "labels.csv", "--set", "known"),
        ]
        importing: list[tuple[object, ...]] = [("slate", "import", WORLD / "spring_slate")]
        for words in loading + importing if order == "sets first" else importing + loading:
            bench.accept(*words)
        if order == "slate first":
            bench.accept("slate", "attach", SPRING, "--candidates", "world", "--labels", "known")
        # With the candidates at hand, the claims of candidate pairs come in, too.
        bench.accept("slate", "import", WORLD / "spring_slate")
        bench.accept("load", "outcomes", WORLD / "spring_outcomes.csv", "--slate", SPRING)
        bench.accept("check")
        reports.append(bench.read("report", SPRING))
    frozen, attached = reports
    assert attached["sections"] == frozen["sections"]
    own = [warning for warning in attached["warnings"] if warning not in frozen["warnings"]]
    assert len(own) == 2
    assert all(
        warning.endswith("its file is the one the slate was frozen with.") for warning in own
    )


def test_attaching_again_adds_nothing(given: Bench) -> None:
    words = ("slate", "attach", PUBLISHED, "--candidates", "whole")
    given.accept(*words)
    before = given.query("from slate_attachment")
    assert given.accept(*words) == (
        "candidate set 'whole' (6 pairs): already the set of slate 469bb270\n"
    )
    assert given.query("from slate_attachment") == before
    given.accept(*words, "--labels", "k")
    kinds = given.query("select set_kind from slate_attachment order by 1")
    assert kinds == [("candidates",), ("labels",)]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([PUBLISHED], 2, "give --candidates, --labels or both"),
        (["ffff", "--labels", "k"], 3, "no slate begins with 'ffff'; see 'tracker slate list'"),
        ([PUBLISHED, "--candidates", "none"], 3, "no candidate set is named 'none'; known: "),
        ([PUBLISHED, "--labels", "none"], 3, "no label set is named 'none'; known: "),
        # A set of the other kind.
        ([PUBLISHED, "--candidates", "k"], 3, "no candidate set is named 'k'; known: "),
        ([PUBLISHED, "--labels", "whole"], 3, "no label set is named 'whole'; known: "),
        (
            [PUBLISHED, "--candidates", "narrow"],
            3,
            "candidate set 'narrow' lacks 2 of the 3 predictions of slate 469bb270: drug 'Beta' "
            "for disease 'Asthma', for instance",
        ),
        (
            [PUBLISHED, "--labels", "elsewhere"],
            3,
            "label set 'elsewhere' has none of the drugs of slate 469bb270",
        ),
        # The labels would do, but all of it is refused.
        ([PUBLISHED, "--candidates", "narrow", "--labels", "k"], 3, "'narrow' lacks 2 of the 3"),
        (
            ["FROZEN", "--candidates", "wide"],
            3,
            "has the candidate set 'whole'; a slate keeps its sets",
        ),
        (
            ["IMPORTED", "--candidates", "whole"],
            3,
            "slate 5c9f4a52 was frozen with candidates of SHA-256 70568105346a..., and 'whole' was "
            "loaded from another file; load the original",
        ),
        (["IMPORTED", "--labels", "k"], 3, "slate 5c9f4a52 was frozen with labels of SHA-256 "),
    ],
)
def test_what_does_not_fit_is_refused(
    various: Bench, words: list[str], code: int, message: str
) -> None:
    named = {"FROZEN": various.slate, "IMPORTED": SPRING}
    various.refuse(
        "slate", "attach", *[named.get(word, word) for word in words], message=[message], code=code
    )
    assert various.query("select count(*) from slate_attachment") == [(0,)]


def test_an_attached_set_is_never_replaced(given: Bench) -> None:
    given.accept("slate", "attach", PUBLISHED, "--labels", "k")
    other = given.write("other.csv", KNOWN.format(year=2000))
    given.accept("load", "labels", other, "--set", "other")
    given.refuse(
        "slate",
        "attach",
        PUBLISHED,
        "--candidates",
        "whole",
        "--labels",
        "other",
        message=["slate 469bb270 has the label set 'k'; a slate keeps its sets"],
    )


def test_a_slate_frozen_without_labels_gets_them(given: Bench) -> None:
    given.accept("slate", "freeze", "--candidates", "whole")
    frozen = given.slate
    done = given.accept("slate", "attach", frozen, "--candidates", "whole", "--labels", "k")
    assert "candidate set 'whole' (6 pairs): already the set of slate" in done
    kinds = given.query("select set_kind from slate_attachment")
    assert kinds == [("labels",)]
    given.accept("check")


@pytest.mark.parametrize(
    ("loaded", "frozen_on", "year", "words"),
    [
        ("2025-12-31", "2026-01-01", 1999, "popularity rest on it; it was in the store by the"),
        ("2026-06-01", "2026-01-01", 1999, "it may have what became known after the freeze, and a"),
        ("2026-06-01", "2026-01-01", 2026, "it may have what became known after the freeze, and a"),
        ("2026-06-01", "2026-01-01", 2027, "1 pair of it is dated after the year of the freeze, "),
        # By its own dates, whatever the clock said.
        ("2025-12-31", "2026-01-01", 2027, "1 pair of it is dated after the year of the freeze, "),
    ],
)
def test_labels_that_may_know_too_much(
    given: Bench,
    monkeypatch: pytest.MonkeyPatch,
    loaded: str,
    frozen_on: str,
    year: int,
    words: str,
) -> None:
    labels = given.write("labels.csv", KNOWN.format(year=year))
    monkeypatch.setenv(clock.ACCEPT, "1")
    with monkeypatch.context() as patch, store.writer(given.db) as connection:
        instant = datetime.fromisoformat(loaded).replace(tzinfo=UTC)
        patch.setattr(clock, "now", lambda _: instant)
        loads.load_labels(connection, labels, "later")
    given.accept("slate", "attach", PUBLISHED, "--labels", "later")
    (warning,) = [line for line in _report(given)["warnings"] if "'later'" in line]
    assert f"after the freeze ({frozen_on})" in warning
    assert words in warning


@pytest.mark.parametrize(
    ("day", "words"),
    [
        ("2025-12-31", "; it has what evidence showed by 2025-12-31."),
        ("2026-01-02", "; it may have what became known after the freeze, and a hit"),
    ],
)
def test_labels_from_evidence_are_as_late_as_their_day(given: Bench, day: str, words: str) -> None:
    with store.writer(given.db) as connection:
        row = {"label_set_id": 9, "name": "shown", "sha256": "0" * 64, "n_pairs": 1}
        row |= {"origin": f"evidence as of {day}", "loaded_at": store.now(connection)}
        connection.execute(schema.label_set.insert(), row)
        pair = {"label_set_id": 9, "disease_id": 1, "drug_id": 1, "label": 4}
        connection.execute(schema.labeled_pair.insert(), pair)
    given.accept("slate", "attach", PUBLISHED, "--labels", "shown")
    (warning,) = [line for line in _report(given)["warnings"] if "'shown'" in line]
    assert words in warning


def test_only_a_day_of_evidence_is_read_from_an_origin() -> None:
    assert evidence_labels.day_of("evidence as of 2020-01-31") == date(2020, 1, 31)
    for origin in ("labels.csv", "evidence as of", "evidence as of 2020-01-31.csv", ""):
        assert evidence_labels.day_of(origin) is None


def test_an_export_says_what_was_attached(given: Bench, empty_store: Path, tmp_path: Path) -> None:
    given.accept("slate", "attach", PUBLISHED, "--candidates", "whole")
    given.accept("slate", "export", PUBLISHED, given.folder / "exported")
    manifest = json.loads((given.folder / "exported" / "manifest.json").read_text())
    (attached,) = manifest["attached"]
    assert (attached["set_kind"], attached["name"]) == ("candidates", "whole")
    assert datetime.fromisoformat(attached["attached_at"]) <= datetime.now(UTC)
    assert manifest["header"]["candidate_sha256"] is None
    other = Bench(Path(shutil.copy(empty_store, tmp_path / "other.duckdb")))
    done = other.run("slate", "import", given.folder / "exported")
    assert done.exit_code == 0
    assert "it had candidates 'whole' attached after the freeze" in done.stderr
    assert other.query("select count(*) from slate_attachment") == [(0,)]
    path = given.folder / "exported" / "manifest.json"
    for broken, message in (
        ("none", "attached: 'none' is not a list"),
        ([{"set_kind": "other"}], "attached[1].set_kind: 'other' is not one of"),
        ([1], "attached[1]: 1 is not an object of named fields"),
    ):
        path.write_text(json.dumps({**manifest, "attached": broken}))
        refused = exited(3, other.run("slate", "import", path.parent))
        assert message in refused.stderr
    # An export of before there were attachments has none.
    del manifest["attached"]
    path.write_text(json.dumps(manifest))
    assert "already stored" in other.accept("slate", "import", path.parent)


def test_outcomes_of_attached_candidates_count(given: Bench) -> None:
    outcomes = given.write("outcomes.csv", CLAIMED)
    loading = ("load", "outcomes", outcomes, "--slate", PUBLISHED)
    given.refuse(*loading, message=["'Gamma'"])
    given.accept("slate", "attach", PUBLISHED, "--candidates", "whole")
    given.accept(*loading)
    given.accept("check")
    hits = "select count(*) from pair_event where is_hit and evidence_window = 'all'"
    with store.reader(given.db) as connection:
        assert connection.execute(text(hits)).scalar_one() == 2


@pytest.mark.parametrize(
    ("claimed", "is_warned"), [(("Alpha",), True), (("Alpha", "Gamma"), False), ((), False)]
)
def test_claims_for_predictions_alone_flatter_the_slate(
    given: Bench, claimed: tuple[str, ...], is_warned: bool
) -> None:
    given.accept("slate", "attach", PUBLISHED, "--candidates", "whole", "--labels", "k")
    with store.writer(given.db) as connection:
        slate = slates.find(connection, PUBLISHED)
        for number, name in enumerate(claimed, start=1):
            pair = (
                "insert into event by name select :number as event_id, :slate_id as slate_id, "
                "disease_id, drug_id, 'fda_approved' as event_type, 'f' as source, "
                "now() as observed_at, now() as recorded_at, 'imported' as event_origin "
                "from disease cross join drug "
                "where disease.name = 'Asthma' and drug.name = :name"
            )
            known = {"number": number, "slate_id": str(slate.slate_id), "name": name}
            connection.execute(text(pair), known)
    words = "of its predictions alone, while nobody looked for those of the attached candidates"
    assert any(words in warning for warning in _report(given)["warnings"]) is is_warned


def test_evidence_of_drugs_that_came_with_the_candidates_counts(given: Bench) -> None:
    """Else no candidate could be a hit but the predictions, and every slate would look good."""
    trials = [
        study(
            f"NCT0000000{number}",
            start="2026-07",
            posted="2026-06-30",
            updated="2026-06-30",
            interventions=[{"type": "DRUG", "name": drug}],
        )
        for number, drug in enumerate(("Alpha", "Gamma", "Delta"), start=1)
    ]
    path = write_json(given.folder / "ctgov.json", trials)
    given.accept("ingest", "trials", path, "--released", "2026-08-01")
    given.accept("slate", "attach", PUBLISHED, "--candidates", "whole")
    given.accept("refresh", "detect")
    named = (
        "select drug.name from pair_event inner join drug using (drug_id) "
        "where is_hit and evidence_window = 'all' order by 1"
    )
    # By the publisher's own date: these trials precede the import.
    with (
        store.reader(given.db, as_claimed=True) as connection,
        scope.of_views(connection, "pair_event"),
    ):
        assert connection.execute(text(named)).scalars().all() == ["Alpha", "Gamma"]


def test_a_refresh_goes_through_the_evidence_after_an_attachment(
    given: Bench, tracker: Tracker
) -> None:
    (given.folder / "tracker.toml").write_text(
        f'settle_seconds = 0\n[[source]]\nkind = "chembl"\npath = "{WORLD}/chembl_91.db"\n'
    )
    words = ("refresh", "--config", given.folder / "tracker.toml", "--fail-if-unchanged")
    ok(tracker(*words))
    n_updates = "select count(distinct recorded_at) from scoreboard"
    assert given.query(n_updates) == [(1,)]
    exited(6, tracker(*words))
    assert given.query(n_updates) == [(1,)]
    given.accept("slate", "attach", PUBLISHED, "--labels", "k")
    tracker(*words)
    assert given.query(n_updates) == [(2,)]
    tracker(*words)
    assert given.query(n_updates) == [(2,)]


def test_attached_at_never_runs_behind_the_store(given: Bench) -> None:
    with store.writer(given.db) as connection:
        slate = slates.find(connection, PUBLISHED)
        attachments.attach(connection, slate, candidates="whole")
        attached_at = connection.execute(
            text("select attached_at from slate_attachment")
        ).scalar_one()
        assert store.now(connection) > attached_at > slate.recorded_at
        assert clock.in_order(connection, attached_at - timedelta(days=1)) > attached_at
