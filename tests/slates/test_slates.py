"""Freezing, verifying, exporting and importing slates."""

import hashlib
import json
import shutil
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text
from support import WORLD, Tracker, as_json, exited, ok, sampled, tracker_on

from tracker import entities, slates, store
from tracker.errors import InputRefused
from tracker.slates import exports, freezing, imports, loads, plans
from tracker.slates.aliases import load_aliases

TAMPERINGS = {
    "score": "score + 1e-15",
    "rank": "rank + 1",
    "tier": "'exploratory'",
    "disease_identifier": "disease_identifier || ' '",
    "drug_identifier": "upper(drug_identifier)",
    "known_label": "3",
    "known_max_phase": "0.5",
    "first_approval_year": "1999",
    "criterion": "'monitor'",
    "criterion_min_phase": "3",
    "criterion_horizon_years": "10",
    "line_checksum": "reverse(line_checksum)",
    # Another disease or drug with which the pair is not predicted yet.
    "disease_id": "(select min(disease_id) from disease where (disease_id, drug_id) not in "
    "(select (disease_id, drug_id) from prediction))",
    "drug_id": "(select min(drug_id) from drug where (disease_id, drug_id) not in "
    "(select (disease_id, drug_id) from prediction))",
}
SLATE_TAMPERINGS = {
    "created_at": "created_at + interval 1 microsecond",
    "frozen_on": "frozen_on - 1",
    "description": "description || '.'",
    "model_version": "'v2'",
    "parameters": "'{}'",
    "plan": "'{}'",
    "fingerprint": "'{}'",
    "is_replay": "not is_replay",
    "candidate_sha256": "null",
    "label_sha256": "reverse(label_sha256)",
    "alias_sha256": "reverse(alias_sha256)",
    "previous_sha256": "content_sha256",
    "content_sha256": "reverse(content_sha256)",
    "n_predictions": "n_predictions + 1",
}


@pytest.fixture(scope="module")
def frozen(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two slates of the demo world, the second chained to the first."""
    path = Path(shutil.copy(empty_store, tmp_path_factory.mktemp("frozen") / "store.duckdb"))
    with store.writer(path) as connection:
        loads.load_candidates(connection, WORLD / "candidates.csv", "world", "m")
        loads.load_labels(connection, WORLD / "labels.csv", "known")
        for top_k in (60, 5):
            freezing.freeze(
                connection, candidates="world", labels="known", top_k=top_k, min_score=0.3
            )
    return path


def _altered(frozen: Path, folder: Path, *statements: str) -> list[str | None]:
    path = folder / "altered.duckdb"
    shutil.copy(frozen, path)
    with store.writer(path, run_checks=False) as connection:
        for statement in statements:
            connection.execute(text(statement))
    with store.reader(path) as connection:
        return [verdict.problem for verdict in slates.verify(connection)]


def test_untouched_slates_verify(frozen: Path, tmp_path: Path) -> None:
    assert _altered(frozen, tmp_path) == [None, None]


@pytest.mark.slow
@pytest.mark.parametrize("column", sampled(sorted(TAMPERINGS), 5))
def test_an_altered_prediction_is_named(frozen: Path, tmp_path: Path, column: str) -> None:
    with store.reader(frozen) as connection:
        first = slates.all_slates(connection)[0].slate_id
        row = connection.execute(
            text(
                "select disease_id, drug_id, disease_identifier, drug_identifier from prediction "
                "where slate_id = :slate_id and known_label is null and rank = 7 order by all"
            ),
            {"slate_id": str(first)},
        ).first()
    assert row is not None
    problems = _altered(
        frozen,
        tmp_path,
        f"update prediction set {column} = {TAMPERINGS[column]} "  # noqa: S608 - names of the test's own
        f"where slate_id = '{first}' and disease_id = {row.disease_id} "
        f"and drug_id = {row.drug_id}",
    )
    assert problems[0] is not None
    assert row.drug_identifier in problems[0].lower()
    assert row.disease_identifier in problems[0]
    assert problems[1] is None


def test_altered_prediction_exits_4(frozen: Path, db: Path, tracker: Tracker) -> None:
    shutil.copy(frozen, db)
    with store.writer(db, run_checks=False) as connection:
        connection.execute(text("update prediction set score = score / 2 where rank = 3"))
    verified = exited(4, tracker("slate", "verify"))
    assert "(rank 3) is not as it was frozen" in verified.output


@pytest.mark.parametrize("column", sampled(sorted(SLATE_TAMPERINGS), 5))
def test_an_altered_slate_is_found(frozen: Path, tmp_path: Path, column: str) -> None:
    with store.reader(frozen) as connection:
        second = slates.all_slates(connection)[1].slate_id
    # DuckDB does not update rows that others refer to, so the predictions are set aside meanwhile.
    path = tmp_path / "altered.duckdb"
    shutil.copy(frozen, path)
    for statement in (
        "delete from prediction",
        f"update slate set {column} = {SLATE_TAMPERINGS[column]} "  # noqa: S608 - names of the test's own
        f"where slate_id = '{second}'",
        "insert into prediction from source.prediction",
    ):
        with duckdb.connect(str(path)) as connection:
            connection.execute(f"attach '{frozen}' as source (read_only)")
            connection.execute(statement)
    with store.reader(path) as connection:
        found = [verdict.problem for verdict in slates.verify(connection)]
    assert found[0] is None
    assert found[1] is not None


@pytest.mark.parametrize(
    ("statement", "telling"),
    [
        ("delete from prediction where rank = 60", "720 predictions were frozen, 708 are stored"),
        ("delete from drug_alias where value = 'belantrine'", "another drug"),
        (
            "insert into drug_alias select 'synonym', 'late', 1, min(added_at) from drug_alias",
            "aliases present at the freeze were altered",
        ),
    ],
)
def test_other_alterations_are_found(
    frozen: Path, tmp_path: Path, statement: str, telling: str
) -> None:
    problem = _altered(frozen, tmp_path, statement)[0]
    assert problem is not None
    assert telling in problem


def test_aliases_added_later_break_nothing(empty_store: Path, frozen: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(empty_store, tmp_path / "store.duckdb"))
    shutil.copy(frozen, path)
    aliases = tmp_path / "aliases.csv"
    aliases.write_text("entity,name,kind,value\ndrug,belantrine,synonym,Bel\n")
    with store.writer(path) as connection:
        assert load_aliases(connection, aliases).n_added == 1
        assert load_aliases(connection, aliases).n_added == 0
    with store.reader(path) as connection:
        assert [verdict.problem for verdict in slates.verify(connection)] == [None, None]


def test_a_parent_of_several_drugs_is_loaded_once_for_each(frozen: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(frozen, tmp_path / "store.duckdb"))
    aliases = tmp_path / "aliases.csv"
    with store.writer(path) as connection:
        names = connection.exec_driver_sql("select name from drug order by drug_id limit 2").all()
        rows = [f"drug,{name},parent_chembl_id,CHEMBL999999\n" for (name,) in names]
        aliases.write_text("".join(["entity,name,kind,value\n", *rows, rows[0]]))
        assert load_aliases(connection, aliases).n_added == 2
        assert load_aliases(connection, aliases).n_added == 0


def test_ranks_tiers_and_knowledge(frozen: Path) -> None:
    """Compare a frozen slate with a plain sort of the candidates and a look-up in the labels."""
    with store.reader(frozen) as connection:
        first = slates.all_slates(connection)[0]
        candidates = connection.execute(
            text("select disease_id, drug_id, score from candidate where score >= 0.3")
        ).all()
        labels = {
            (row.disease_id, row.drug_id): row
            for row in connection.execute(text("from labeled_pair"))
        }
        predictions = connection.execute(
            text("from prediction where slate_id = :s"), {"s": str(first.slate_id)}
        ).all()
        names = [
            {row[0]: entities.fold(row[1]) for row in connection.execute(text(query))}
            for query in ("select disease_id, name from disease", "select drug_id, name from drug")
        ]
    by_disease: dict[int, list[tuple[float, str, int]]] = {}
    for disease_id, drug_id, score in candidates:
        pair = f"{names[0][disease_id]}\n{names[1][drug_id]}"
        order = hashlib.md5(pair.encode()).hexdigest()  # noqa: S324 - an order, no secret
        by_disease.setdefault(disease_id, []).append((-score, order, drug_id))
    expected = {
        (disease_id, drug_id): rank
        for disease_id, pairs in by_disease.items()
        for rank, (*_, drug_id) in enumerate(sorted(pairs)[:60], start=1)
    }
    assert {(p.disease_id, p.drug_id): p.rank for p in predictions} == expected
    for p in predictions:
        assert p.tier == ("high" if p.rank <= 10 else "moderate" if p.rank <= 50 else "exploratory")
        label = labels.get((p.disease_id, p.drug_id))
        assert p.known_label == (label.label if label else None)
        assert p.known_max_phase == (label.max_phase if label and label.label else None)
        phase = label.label if label else 0
        rule = (
            ("monitor", None, None)
            if phase == 4
            else ("exceed_phase", float(phase), 3)
            if phase > 0
            else {
                "high": ("reach_phase", 2.0, 3),
                "moderate": ("reach_phase", 1.0, 5),
                "exploratory": ("any_activity", None, 5),
            }[p.tier]
        )
        assert (p.criterion, p.criterion_min_phase, p.criterion_horizon_years) == rule


@pytest.mark.slow
def test_a_freeze_says_what_ties_decide(tmp_path: Path, tracker: Tracker) -> None:
    scores = tmp_path / "scores.csv"
    # Of fever all scores are equal and far below 0, of cough each is another.
    rows = [f"fever,drug {n},-50\ncough,drug {n},{n}\n" for n in range(10)]
    scores.write_text("disease_name,drug_name,score\n" + "".join(rows))
    ok(tracker("load", "candidates", scores, "--set", "s", "--model", "m"))
    done = ok(tracker("slate", "freeze", "--candidates", "s", "--top-k", "4"))
    assert "8 predictions" in done.stdout
    assert (
        "4 predictions chosen among 10 candidates with equal scores\n"
        "  in 1 of 2 diseases; by a hash of the names\n"
    ) in done.stdout
    assert "fewer distinct scores than predictions in 1 of 2 diseases: 'fever'" in done.stderr
    assert "left out" not in done.stderr
    done = tracker("slate", "freeze", "--candidates", "s", "--min-score", "3", "-d", "cough")
    assert "7 predictions" in done.stdout
    assert "ties" not in done.stdout + done.stderr
    assert "3 of the best candidates scored below 3 and were left out" in done.stderr


@pytest.mark.slow
def test_a_replay_is_marked_and_dated(frozen: Path, db: Path, tracker: Tracker) -> None:
    shutil.copy(frozen, db)
    options = ("--candidates", "world", "--labels", "known", "--replay-as-of", "2024-06-30")
    ok(tracker("slate", "freeze", *options))
    listed = as_json(tracker, "slate", "list")
    assert (listed[-1]["is_replay"], listed[-1]["frozen_on"]) == (True, "2024-06-30")
    report = " ".join(tracker("report", listed[-1]["slate_id"]).output.split())
    made = "Made after the events it is compared with, so not a prospective test."
    assert f"Replay: too early. {made}" in report


def test_a_plan_is_frozen_and_hashed(frozen: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text("fda_drug_level = true\n[thresholds]\nsuccess_bar = 1.5\n[tiers]\nhigh = 3\n")
    with store.writer(_copy(frozen, tmp_path)) as connection:
        made = freezing.freeze(
            connection, candidates="world", labels="known", plan=plans.read(plan)
        )
        stored = slates.find(connection, str(made.slate.slate_id))
        tiers = connection.execute(
            text(
                "select tier, max(rank) from prediction where slate_id = :slate_id "
                "group by tier order by 2"
            ),
            {"slate_id": str(made.slate.slate_id)},
        ).all()
    assert stored.plan == made.slate.header["plan"] == plans.read(plan).document
    assert stored.plan["fda_drug_level"] is True
    assert stored.plan["thresholds"] == {"success_bar": 1.5, "min_refreshes": 2}
    assert [tuple(row) for row in tiers] == [("high", 3), ("moderate", 50)]
    assert stored.parameters["tiers"] == {"high": 3, "moderate": 50}


def _copy(frozen: Path, folder: Path) -> Path:
    return Path(shutil.copy(frozen, folder / "store.duckdb"))


@pytest.mark.slow
def test_an_export_is_imported_with_the_same_hash(frozen: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.duckdb"
    with store.reader(frozen) as connection:
        rows = slates.all_slates(connection)
    for row in rows:
        exports.export_slate(frozen, str(row.slate_id), tmp_path / str(row.slate_id))
    with store.writer(other) as connection:
        for row in rows:
            imported = imports.import_folder(connection, tmp_path / str(row.slate_id))
            assert [entry.is_new for entry in imported] == [True]
        again = imports.import_folder(connection, tmp_path / str(rows[0].slate_id))
        assert [entry.is_new for entry in again] == [False]
    with store.reader(other) as connection:
        verdicts = slates.verify(connection)
    exports.export_slate(other, str(rows[0].slate_id), tmp_path / "again")
    assert [v.content_sha256 for v in verdicts] == [row.content_sha256 for row in rows]
    assert [v.problem for v in verdicts] == [None, None]
    for name in ("predictions.parquet", "outcomes.parquet"):
        first = (tmp_path / str(rows[0].slate_id) / name).read_bytes()
        assert (tmp_path / "again" / name).read_bytes() == first


@pytest.mark.slow
def test_an_import_finds_the_sets_it_was_frozen_with(db: Path) -> None:
    with store.writer(db) as connection:
        loads.load_candidates(connection, WORLD / "candidates.csv", "any name", "m")
    named = Path(shutil.copy(db, db.with_name("named.duckdb")))
    for path, expected in ((db, 1), (named, 2)):
        with store.writer(path) as connection:
            if path == named:
                loads.load_candidates(connection, WORLD / "candidates.csv", "world", "m")
            imports.import_folder(connection, WORLD / "spring_slate")
            row = slates.all_slates(connection)[0]
        assert (row.candidate_set_id, row.label_set_id, row.origin) == (expected, None, "imported")


@given(
    header=st.fixed_dictionaries(
        {
            "description": st.text(max_size=40),
            "parameters": st.dictionaries(
                st.text(max_size=8), st.floats(allow_nan=False, allow_infinity=False), max_size=3
            ),
        }
    )
)
def test_a_header_survives_its_manifest(header: dict[str, Any]) -> None:
    """The header line written from a manifest read back is the header line that was hashed."""
    slate = slates.Slate(
        slate_id=UUID(int=1),
        created_at=datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
        frozen_on=date(2026, 1, 2),
        model_version="m",
        fingerprint={},
        n_predictions=1,
        **header,
    )
    written = json.dumps(slate.header, indent=2, sort_keys=True, ensure_ascii=False)
    line = json.dumps(
        json.loads(written), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    assert line + "\n" == slate.header_line


def test_a_further_field_of_a_slate_does_not_break_stored_hashes() -> None:
    @dataclass(frozen=True)
    class Wider(slates.Slate):
        embargoed_until: date | None = date(2027, 1, 1)

    facts: dict[str, Any] = {
        "slate_id": UUID(int=1),
        "created_at": datetime(2026, 1, 2, tzinfo=UTC),
        "frozen_on": date(2026, 1, 2),
        "description": "d",
        "model_version": "m",
        "parameters": {},
        "fingerprint": {},
        "n_predictions": 1,
    }
    assert Wider(**facts).header_line == slates.Slate(**facts).header_line
    assert set(slates.HEADER_FIELDS) == {field.name for field in fields(slates.Slate)}


def test_a_model_named_as_another_slate_begins_is_ambiguous(frozen: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(frozen, tmp_path / "store.duckdb"))
    with store.reader(path) as connection:
        first, second = (row.slate_id for row in slates.all_slates(connection))
    for model in (str(first)[:8], str(first)):
        with duckdb.connect(str(path)) as opened:
            opened.execute("update slate set model_version = ? where slate_id = ?", [model, second])
        with store.reader(path) as connection:
            assert slates.find(connection, str(first)).slate_id == first
            if model != str(first):
                with pytest.raises(InputRefused, match=f"'{model}' is ambiguous"):
                    slates.find(connection, model)


def freeze_again(path: Path) -> None:
    freeze = ("--candidates", "world", "--labels", "known", "--replay-as-of", "2020-01-01")
    ok(tracker_on(path)("slate", "freeze", *freeze))


@pytest.mark.slow
def test_slates_by_number_and_the_latest(frozen: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(frozen, tmp_path / "store.duckdb"))
    freeze_again(path)
    with store.reader(path) as connection:
        recorded = [row.slate_id for row in slates.all_slates(connection)]
        n_slates = len(recorded)
        assert n_slates > 1
        for number, slate_id in enumerate(recorded, start=1):
            assert slates.find(connection, f"@{number}").slate_id == slate_id
        assert slates.find(connection, " @Latest ").slate_id == recorded[-1]
        for word in ("@0", f"@{n_slates + 1}", "@-1", "@", "@x", "@" + "9" * 5_000, "@²"):
            with pytest.raises(InputRefused, match=f"give @latest, @1 to @{n_slates}"):
                slates.find(connection, word)


@pytest.mark.slow
def test_a_report_is_of_the_latest_slate_as_of_a_day(frozen: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(frozen, tmp_path / "store.duckdb"))
    freeze_again(path)
    with store.reader(path) as connection:
        recorded = [row.slate_id for row in slates.all_slates(connection)]
    with duckdb.connect(str(path)) as opened:
        opened.execute(
            "update slate set created_at = '2020-01-01' where slate_id = ?", [recorded[1]]
        )
    for words, place in (
        ((), -1),
        ((f"@{len(recorded)}",), -1),
        (("--as-of", "2020-06-30"), 1),
    ):
        done = tracker_on(path)("report", *words)
        assert done.stdout.startswith(f"Slate {str(recorded[place])[:8]}"), done.output


def test_a_store_without_slates_has_no_latest(tracker: Tracker) -> None:
    done = tracker("report")
    assert (done.exit_code, done.stderr.count("\n")) == (3, 1)
    assert "the store has none" in done.stderr


@pytest.mark.slow
def test_a_freeze_says_what_its_lowest_score_leaves_out(tracker: Tracker, tmp_path: Path) -> None:
    path = tmp_path / "candidates.csv"
    rows = ("Asthma,Aspirin,0.3", "Asthma,Codeine,0.2", "Gout,Aspirin,0.1", "Gout,Codeine,0.01")
    path.write_text("\n".join(("disease_name,drug_name,score", *rows)) + "\n")
    ok(tracker("load", "candidates", path, "--set", "s", "--model", "m"))
    freeze = ("slate", "freeze", "--candidates", "s")
    lowest = ("--min-score", "0.3")
    for words, counts in (((), (3, 1)), (("--top-k", "1"), (1, 1)), (("-d", "Asthma"), (1, 0))):
        done = ok(tracker(*freeze, *lowest, *words))
        emptied = ", 1 disease as a whole" if counts[1] else ""
        assert (
            f"{counts[0]} of the best candidates scored below 0.3 and were left out{emptied}; see "
            "--min-score\n"
        ) in done.stderr
        beyond = "2 of 4 candidates are not among the best 1 of a disease\n"
        assert (beyond in done.stdout) == ("--top-k" in words)
    for words in ((), ("--min-score", "0")):
        assert "left out" not in tracker(*freeze, *words).stderr
