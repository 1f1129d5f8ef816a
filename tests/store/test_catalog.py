"""The catalog: headers, build order, comments, and the rules for every view."""

import json
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from bench import TWINS, published
from evidence import ema, medicine, obo, openfda, study, write_json
from sqlalchemy import Connection, text
from support import ROOT, WORLD
from worlds import scratch

from tracker import (
    evidence,
    schema,
    slates,
    store,
)
from tracker.errors import TrackerError
from tracker.evidence import detection, matching
from tracker.extras.benchmarks import definitions, submitting
from tracker.extras.benchmarks.options import Definition
from tracker.extras.retrospective import backtests, evaluations, leave_one_out, temporal
from tracker.extras.retrospective.backtest_recipe import Recipe
from tracker.log import timestamps
from tracker.schema import BenchmarkKind
from tracker.slates import annulments, attachments, freezing, imports, loads, outcomes, plans
from tracker.store import building, catalog
from tracker.store.state import scope
from tracker.uncertainty import scoreboard

VIEWS = catalog.read_views()
CHECKS = catalog.read_checks()
SUBMISSIONS: dict[BenchmarkKind, str] = {
    "regression": "linear.csv",
    "binary": "model.csv",
    "ordinal": "random.csv",
    "multilabel": "model.csv",
}


@pytest.fixture(scope="module")
def world(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo world in a store, evaluated, with the benchmarks of the demos."""
    path = Path(shutil.copy(empty_store, tmp_path_factory.mktemp("world") / "store.duckdb"))
    with store.writer(path) as connection:
        loads.load_candidates(connection, WORLD / "candidates.csv", "world", "m")
        loads.load_labels(connection, WORLD / "labels.csv", "known")
        evidence.ingest_chembl(connection, str(WORLD / "chembl_91.db"))
        timestamps.trust(connection, WORLD / "authority.pem", "demo")
        for season in ("spring", "autumn"):
            imported = imports.import_folder(connection, WORLD / f"{season}_slate")
            slate = slates.find(connection, str(imported[0].slate_id))
            outcomes.load(connection, WORLD / f"{season}_outcomes.csv", slate)
        opted = plans.parse({"fda_drug_level": True, "matching": {"kinds": []}}, "the plan")
        freezing.freeze(
            connection,
            candidates="world",
            labels="known",
            plan=opted,
            replay_as_of=date(2025, 3, 3),
        )
        _freeze_variants(connection, path.parent / "variants.csv")
        _attach_late(connection, path.parent)
        _submit_to_benchmarks(connection)
        _submit_on_another_scale(connection, path.parent)
        _evaluate_crowded_scores(connection, path.parent)
        evaluation_id, _ = evaluations.create(connection, "world", "known", 4)
        scoreboard.append(connection, [slate.slate_id], store.now(connection))
        _enter_round(connection)
    _ingest_evidence(path)
    leave_one_out.run(path, evaluation_id, "popularity", workers=1)
    temporal.run(path, evaluation_id, "popularity", cutoff=2015, first=2016, last=2024, workers=1)
    past = Recipe(("cf",), date(2025, 3, 1), date(2025, 6, 1), every_months=3, horizons=(2,))
    backtests.run(path, past, workers=1)
    return path


def _enter_round(connection: Connection) -> None:
    """Freeze replays as entries of a round: a baseline, and two teams with the same list."""
    frozen = [
        freezing.freeze(
            connection, candidates="world", labels="known", replay_as_of=date(2025, 3, 3)
        ).slate.slate_id
        for _ in range(3)
    ]
    random, *teams = [slates.find(connection, str(slate_id)) for slate_id in frozen]
    now = store.now(connection)
    ended = datetime(2025, 3, 3, tzinfo=UTC)
    asked = {"round_id": 1, "name": "spring", "question": {}, "question_sha256": "-"}
    sets = {"candidate_set_id": random.candidate_set_id, "label_set_id": random.label_set_id}
    opened = {"deadline": ended, "is_replay": True, "opened_at": now}
    connection.execute(schema.round_.insert(), {**asked, **sets, **opened})
    entry = {"round_id": 1, "entered_at": now}
    own = {"slate_id": random.slate_id, "entry_kind": "baseline", "entry_name": "random"}
    connection.execute(schema.round_entry.insert(), {**entry, **own})
    for number, slate in enumerate(teams, start=1):
        connection.execute(
            schema.timestamp_token.insert(),
            {
                "token_id": 1000 + number,
                "sha256": slate.candidate_sha256,
                "reply": "",
                "generated_at": ended - timedelta(hours=number),
                "authority": "test",
                "root_sha256": "-",
                "recorded_at": now,
            },
        )
        connection.execute(
            schema.round_deposit.insert(),
            {
                "deposit_id": number,
                "round_id": 1,
                "team": f"Lab {number}",
                "model": "m",
                "sha256": slate.candidate_sha256,
                "token_id": 1000 + number,
                "deposited_at": now,
            },
        )
        own = {"slate_id": slate.slate_id, "entry_kind": "team", "deposit_id": number}
        named = {"entry_name": f"Lab {number}: m"}
        connection.execute(schema.round_entry.insert(), {**entry, **own, **named})


def _ingest_evidence(path: Path) -> None:
    """Some outcomes are detected and since withdrawn, other events yet to be detected."""
    with store.writer(path) as connection:
        evidence.ingest_chembl(connection, str(WORLD / "chembl_92.db"))
        detection.detect(connection, slates.all_slate_ids(connection))
    with store.writer(path) as connection:
        warned = _warned(path.with_name("chembl_93.db"))
        evidence.ingest_chembl(connection, str(warned))
        first, second = WORLD / "trials-2025-02-20.json", WORLD / "trials-2026-01-10.jsonl"
        observed = path.with_name("observed.json"), "NCT9999", _observational
        running = path.with_name("running.json"), "NCT9998", _running
        stopped = path.with_name("stopped.json"), "NCT9998", _stopped
        silent = path.with_name("completed.json"), "NCT9997", _completed
        foreign = {"studies": [study("NCT09999999")]}
        for day, files in (
            (date(2025, 2, 20), [first]),
            (date(2025, 2, 20), [_changed(first, *observed), _changed(first, *running)]),
            (date(2026, 1, 10), [second]),
            (date(2026, 1, 10), [_changed(first, *stopped)]),
            (date(2026, 1, 10), [_changed(first, *silent)]),
            (date(2026, 1, 10), [_past_versions(second, path.with_name("past.jsonl"))]),
            (date(2026, 1, 10), [write_json(path.with_name("foreign.json"), foreign)]),
        ):
            evidence.ingest_trials(connection, files, released_on=day)
        evidence.ingest_ema(connection, [_medicines(path.with_name("medicines.xlsx"))])
        evidence.ingest_fda(connection, _generic(path.with_name("generic.json")))
        _record_generic(connection)
        evidence.ingest_vocabulary(connection, obo(path.with_name("doid.obo")))
        evidence.ingest_vocabulary(connection, _family(path.with_name("family.obo")))
        detection.detect(connection, slates.all_slate_ids(connection))
        evidence.ingest_fda(connection, WORLD / "drugsatfda.zip")
        evidence.ingest_chembl(connection, str(_renumbered(path.with_name("chembl_94.db"))))
        shared = {"kind": "synonym", "value": "a shared name", "added_at": store.now(connection)}
        connection.execute(
            schema.drug_alias.insert(), [{**shared, "drug_id": 1}, {**shared, "drug_id": 2}]
        )
        parent = {
            "kind": "parent_chembl_id",
            "value": "CHEMBL9009998",
            "added_at": shared["added_at"],
        }
        connection.execute(
            schema.drug_alias.insert(), [{**parent, "drug_id": 3}, {**parent, "drug_id": 4}]
        )
        matching.match_texts(connection)
        _annul(connection)


def _annul(connection: Connection) -> None:
    """Take back the first outcome that came from a file."""
    given = text("select min(event_id) from event where event_origin <> 'detected'")
    annulments.annul(connection, connection.execute(given).scalar_one(), "of another drug")


def _changed(studies: Path, path: Path, prefix: str, change: Callable[[int, Any], object]) -> Path:
    """Make studies of the same pairs, numbered from a prefix, each with its protocol changed."""
    document = json.loads(studies.read_text())
    for number, one in enumerate(document["studies"]):
        section = one["protocolSection"]
        section["identificationModule"]["nctId"] = f"{prefix}{number:04}"
        change(number, section)
    return write_json(path, document)


def _observational(_number: int, section: Any) -> None:
    section["designModule"]["studyType"] = "OBSERVATIONAL"


def _running(number: int, section: Any) -> None:
    """Every second study is diagnostic."""
    purpose = "DIAGNOSTIC" if number % 2 else "TREATMENT"
    section["designModule"]["designInfo"] = {"primaryPurpose": purpose}
    section["statusModule"]["overallStatus"] = "RECRUITING"


def _stopped(number: int, section: Any) -> None:
    """Stop a running study for futility, with results."""
    _running(number, section)
    section["statusModule"] |= {
        "overallStatus": "TERMINATED",
        "whyStopped": "Futility",
        "resultsFirstPostDateStruct": {"date": "2026-01-05"},
        "lastUpdatePostDateStruct": {"date": "2026-01-05"},
    }


def _completed(_number: int, section: Any) -> None:
    """Complete a study years ago, without results."""
    status = section["statusModule"]
    status |= {"overallStatus": "COMPLETED", "completionDateStruct": {"date": "2020-01-05"}}
    status.pop("primaryCompletionDateStruct", None)


def _family(path: Path) -> Path:
    """Make a vocabulary with all diseases of the world: siblings, the last a kind of the first."""
    lines = (WORLD / "candidates.csv").read_text().splitlines()[1:]
    diseases = sorted({line.split(",")[0] for line in lines})
    kinds = [*((name, 2) for name in diseases[:-1]), (diseases[-1], 3)]
    terms = [("disease", ""), ("fabled area", 0), ("fabled family", 1), *kinds]
    stanzas = [
        f"\n[Term]\nid: FABLE:{number:04}\nname: {name}\n"
        + (f"is_a: FABLE:{parent:04}\n" if parent != "" else "")
        for number, (name, parent) in enumerate(terms)
    ]
    header = "format-version: 1.4\ndata-version: 2024-08-01\nontology: fable\n"
    path.write_text(header + "".join(stanzas), encoding="utf-8")
    return path


def _past_versions(studies: Path, path: Path) -> Path:
    """Make a first version of each study, without the terms that the registry derives."""
    lines = []
    for line in studies.read_text().splitlines():
        study = json.loads(line)
        nct_id = study["protocolSection"]["identificationModule"]["nctId"]
        study.pop("derivedSection", None)
        past = {"nctId": nct_id, "version": 0, "date": "2020-01-01", "study": study}
        lines.append(f"{json.dumps(past)}\n")
    path.write_text("".join(lines))
    return path


def _medicines(path: Path) -> Path:
    """Make a medicine of every pair of the world's first disease, and a generic."""
    lines = (WORLD / "candidates.csv").read_text().splitlines()[1:]
    disease = lines[0].split(",")[0]
    drugs = sorted({line.split(",")[1] for line in lines if line.startswith(f"{disease},")})
    made = [
        medicine(number, inn=drug, substance=drug, areas=disease, indication=disease)
        for number, drug in enumerate(drugs, start=1)
    ]
    return ema(path, [*made, medicine(len(made) + 1, generic="Yes")], "10/01/2026 - 10:00")


def _generic(path: Path) -> Path:
    """Make a generic's approval of every drug of the world."""
    names = sorted(
        {line.split(",")[1] for line in (WORLD / "candidates.csv").read_text().splitlines()}
    )
    document = openfda("2025-04-01")
    (record,) = document["results"]
    record["application_number"] = "ANDA000001"
    record["products"] = [
        {"product_number": f"{number:03}", "brand_name": name} for number, name in enumerate(names)
    ]
    return write_json(path, document)


def _record_generic(connection: Connection) -> None:
    """Record the generic's action as an approval, as earlier versions did."""
    connection.execute(
        text(
            "insert into event by name select "
            "(select max(event_id) from event) + row_number() over () as event_id, "
            "entity_id as drug_id, "
            "'drug_approval' as event_type, 4 as phase, status_date as event_date, "
            "status_date - 1 as public_after, status_date as public_by, 'fda' as source, "
            "release_id, record, name as drug_alias, 'name' as match_kind, "
            "json_object('phase', 4) as detail, cast(:moment as timestamptz) as observed_at, "
            "cast(:moment as timestamptz) as recorded_at, 'detected' as event_origin "
            "from approval_action join entity_key on name = value "
            "where entity_kind = 'drug' and record like 'ANDA%'"
        ),
        {"moment": store.now(connection)},
    )


def _warned(path: Path) -> Path:
    """Make the world's second release of ChEMBL with a withdrawal of every molecule."""
    shutil.copy(WORLD / "chembl_93.db", path)
    path.chmod(0o600)
    with sqlite3.connect(path) as database:
        database.execute(
            "create table drug_warning as select molregno as warning_id, molregno, "
            "'Withdrawn' as warning_type, 2004 as warning_year from molecule_dictionary"
        )
    database.close()
    return path


def _renumbered(path: Path) -> Path:
    """Make a release of ChEMBL with references, in which a molecule has another identifier."""
    shutil.copy(WORLD / "chembl_93.db", path)
    path.chmod(0o600)
    with sqlite3.connect(path) as database:
        database.execute("update version set name = 'ChEMBL_94' where name like 'ChEMBL%'")
        database.execute(
            "update molecule_dictionary set chembl_id = 'CHEMBL9009999' where molregno = 1"
        )
        database.execute(
            "insert into indication_refs select drugind_id, drugind_id, 'ClinicalTrials', "
            "'NCT00100530,' || printf('NCT%08d', 2600000 + drugind_id), '' from drug_indication"
        )
    database.close()
    return path


def _freeze_variants(connection: Connection, scores: Path) -> None:
    """Freeze slates with two names of one drug, one of which declares probabilities."""
    scores.write_text("disease_name,drug_name,score\nGout,Relvin,1\nGout,Relvin sodium,1\n")
    loads.load_candidates(connection, scores, "variants", "m")
    freezing.freeze(connection, candidates="variants", labels=None)
    declared = plans.parse({"scores": {"are": "probabilities"}}, "the plan")
    freezing.freeze(connection, candidates="variants", labels=None, plan=declared)


def _attach_late(connection: Connection, folder: Path) -> None:
    """Import a published slate, and give it candidates, one of a new drug, and labels."""
    registry = (
        f"select '{TWINS[0]}' as slate_id, 'Gout' as disease_name, 'belantrine' as drug_name, "
        "0.9 as repurposing_score, 1 as rank"
    )
    record = {"slate_id": TWINS[0], "created_at": "2025-01-01T00:00:00+00:00"}
    published(registry, [record])(folder / "published")
    (imported,) = imports.import_folder(connection, folder / "published")
    scores = folder / "late.csv"
    scores.write_text("disease_name,drug_name,score\nGout,belantrine,0.9\nGout,Latecomer,0.1\n")
    loads.load_candidates(connection, scores, "late", "m")
    slate = slates.find(connection, str(imported.slate_id))
    attachments.attach(connection, slate, candidates="late", labels="known")


def _evaluate_crowded_scores(connection: Connection, folder: Path) -> None:
    """Evaluate twenty positives of which one scores far above the rest, which share a bin."""
    pairs = [f"crowd,crowded {number}" for number in range(20)]
    scores = [*range(19), 1e9]
    for name, column, values in (("candidates", "score", scores), ("labels", "label", [4] * 20)):
        lines = [f"{pair},{value}" for pair, value in zip(pairs, values, strict=True)]
        header = f"disease_name,drug_name,{column}"
        (folder / f"{name}.csv").write_text("\n".join([header, *lines]))
    loads.load_candidates(connection, folder / "candidates.csv", "crowded", "m")
    loads.load_labels(connection, folder / "labels.csv", "crowded")
    evaluations.create(connection, "crowded", "crowded", 4)


def _submit_to_benchmarks(connection: Connection) -> None:
    for kind, submission in SUBMISSIONS.items():
        folder = ROOT / "fixtures" / "benchmarks" / kind
        files = {name: folder / f"{name}.csv" for name in ("targets", "labels")}
        definition = Definition(
            kind,
            kind=kind,
            truth=folder / "truth.csv",
            targets=files["targets"] if files["targets"].exists() else None,
            labels=files["labels"] if files["labels"].exists() else None,
            fold_column="fold" if kind == "regression" else None,
        )
        definitions.define(connection, definition)
        track = "cv" if kind == "regression" else "test"
        submitting.submit(connection, kind, folder / submission, submitter="lab", track=track)


def _submit_on_another_scale(connection: Connection, folder: Path) -> None:
    """Submit a value far outside the truth's range."""
    linear = ROOT / "fixtures" / "benchmarks" / "regression" / SUBMISSIONS["regression"]
    sent = folder / "scaled.csv"
    sent.write_text(linear.read_text().replace("57.39", "5739"))
    submitting.submit(connection, "regression", sent, submitter="scaled", track="cv")


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_header_is_complete(view: catalog.View) -> None:
    assert {"Title", "Formula", "Units", "Grain"} <= view.header.keys()
    assert all(view.header.values())


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_a_star_leaves_out_one_column_at_most(view: catalog.View) -> None:
    """DuckDB writes several in no fixed order: the store's view would not be the installed one."""
    assert not re.search(r"exclude \([^)]*,", view.select)


@pytest.fixture(scope="module")
def reading(world: Path) -> Iterator[Connection]:
    """A connection that reads the world, the views that most others read computed once."""
    with (
        store.reader(world) as connection,
        scope.computed_once(connection, scope.shared([view.name for view in VIEWS], "slate_id")),
    ):
        yield connection


# A record has a name, a drug and a disease have a number.
MAY_BE_NULL = {
    **dict.fromkeys(("ratio_influence", "comparison_influence"), ("entity_id", "record")),
    "drug_influence": ("hit_disease_id", "record"),
    # A list of labels is of no target, and only lists have a cut-off.
    "truth_agreement": ("target",),
    **dict.fromkeys(("leaderboard", "baseline"), ("target", "k")),
}


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_grain_identifies_a_row(view: catalog.View, reading: Connection) -> None:
    grain = ", ".join(view.grain)
    given = [column for column in view.grain if column not in MAY_BE_NULL.get(view.name, ())]
    missing = " or ".join(f"{column} is null" for column in given)
    total, distinct, nulls = reading.execute(
        text(
            f"select count(*), count(distinct row({grain})), count(*) filter (where {missing}) "  # noqa: S608 - names of the test's own
            f"from {view.name}"
        )
    ).one()
    assert total > 0
    assert (distinct, nulls) == (total, 0)


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_the_world_is_sound(check: catalog.View, reading: Connection) -> None:
    assert check.header["When"] in ("write", "audit")
    assert store.violations(reading, check, limit=1) == []


AUROC = next(view.select for view in VIEWS if view.name == "auroc")

FOLLOW_UP = next(view.select for view in VIEWS if view.name == "follow_up_pair")

# The statement that violates each check in a sound store.
BREAKAGES = {
    # Positives taken for negatives: every figure of the curve's corners is consistent, and wrong.
    "auroc_agreement": "create or replace view auroc as "
    + AUROC.replace("value >= 1", "value < 1"),
    "benchmark_item_unique": "insert into benchmark_item from benchmark_item limit 1",
    "candidate_unique": "insert into stored_candidate from stored_candidate limit 1",
    "cutoff_shipped": "delete from cutoff where k = 50",
    "indication_reference_unique": "insert into indication_reference values (-1, 'ATC', 'A')",
    "match_unique": "insert into drug_match values "
    "(-1, 'a', false, null, 1, 'name', null, 'a', null, now())",
    "medicine_position": "update medicine_area set position = position + 1",
    "molecule_key_unique": "insert into molecule_key from molecule_key limit 1",
    "molecule_name_unique": "insert into molecule_name from molecule_name limit 1",
    "study_number_unique": "insert into study_number values ('NCT00000001', 'ISRCTN00000001', -1)",
    "recall_target_shipped": "delete from recall_target where recall = 0.5",
    "event_pair": "insert into event by name select 99999 as event_id, disease_id, drug_id, "
    "(select min(slate_id) from slate) as slate_id, 'fda_approved' as event_type, 'f' as source, "
    "loaded_at as observed_at, loaded_at as recorded_at, 'imported' as event_origin "
    "from candidate join candidate_set using (candidate_set_id) where name = 'crowded' limit 1",
    "event_unique": "insert into event select event_id + 9999, * exclude (event_id) "
    "from event limit 1",
    "moved_pair_count": "insert into sealed_set select candidate_set_id, 1, 'a', loaded_at "
    "from candidate_set; insert into moved_entry select 0, max(candidate_set_id), 0, null "
    "from candidate_set",
    "popularity_universe": "delete from stored_candidate where drug_id = 1",
    "prediction_identifier": "delete from drug_alias where drug_id = 1",
    "prediction_reference": "update prediction set drug_id = -1 where rank = 1",
    "prediction_rank_follows_score": "update prediction set score = 0.1 where rank = 1",
    "prediction_rank_unique": "update prediction set rank = 1 where rank = 2",
    "prediction_unique": "insert into prediction from prediction limit 1",
    "ranked_prediction_reference": "update ranked_prediction set label_id = 0 where position = 1",
    "ranked_prediction_unique": "insert into ranked_prediction from ranked_prediction limit 1",
    "scoreboard_chain": "update scoreboard set value = 1.5 where scoreboard_id = 3",
    "round_entry_dated": "update round set deadline = timestamptz '2024-01-01'",
    "sealed_pair_count": "insert into sealed_set select candidate_set_id, 1, 'a', loaded_at "
    "from candidate_set",
    "shared_name_unique": "insert into shared_name values (-1, 'drug', 'name', 'a', 'drug 1', 1)",
    "slate_attachment_needed": "insert into slate_attachment select slate_id, 'labels', null, "
    "label_set_id, recorded_at from slate where label_set_id is not null limit 1",
    "slate_prediction_count": "delete from prediction where rank = 1",
    # Pairs without an event are followed a day further than evidence reaches.
    "survival_agreement": "create or replace view follow_up_pair as "
    + FOLLOW_UP.replace(
        "least(coalesce(first_event_date, last_day), last_day)",
        "coalesce(first_event_date, last_day + 1)",
    ),
    "submission_partial": "delete from submission_target where target_id = "
    "(select min(target_id) from submission_target)",
    "submission_value_count": "delete from submission_value where item_id = 1",
    "submission_value_reference": "update submission_value set item_id = 0 where item_id = 1",
    "submission_value_unique": "insert into submission_value from submission_value limit 1",
    "trial_condition_position": "update trial_condition set position = position + 1",
    "trial_intervention_position": "update trial_intervention set trial_id = -trial_id",
    "trial_version_unique": "insert into trial select trial_id + 9999, * exclude (trial_id) "
    "from trial limit 1",
    "truth_class": "update truth set value = 0.5 where value = 0",
    "truth_label_unique": "insert into truth_label from truth_label limit 1",
    "truth_reference": "update truth set item_id = 0 where item_id = 1",
    "truth_unique": "insert into truth from truth limit 1",
    "truth_value_count": "delete from truth where item_id = 1",
    "vocabulary_mapping_unique": "insert into vocabulary_mapping from vocabulary_mapping limit 1",
    "vocabulary_name_unique": "update vocabulary_name set term_id = 'DOID:0'",
    "vocabulary_parent_unique": "insert into vocabulary_parent from vocabulary_parent limit 1",
    "vocabulary_row_count": "delete from vocabulary_parent",
    "vocabulary_term_unique": "update vocabulary_term set label = 'other' where label = 'gout'",
}


# A repeated row, for checks that something else breaks above; and the other table of a check.
FURTHER_BREAKAGES = [
    ("benchmark_item_unique", "update benchmark_item set item_id = 1 where item_id = 2"),
    ("benchmark_item_unique", "update benchmark_item set name = 'a' where item_id in (1, 2)"),
    (
        "indication_reference_unique",
        "insert into indication_reference "
        "select min(indication_id), 'ATC', 'A' from indication, range(2) group by range",
    ),
    ("match_unique", "insert into drug_match from drug_match limit 1"),
    ("match_unique", "insert into disease_match from disease_match limit 1"),
    (
        "match_unique",
        "insert into disease_match values "
        "(-1, 'a', false, null, 1, 'name', null, 'a', null, now())",
    ),
    ("shared_name_unique", "insert into shared_name from shared_name limit 1"),
    (
        "truth_class",
        "update truth set value = 99 where rowid = (select min(truth.rowid) from truth "
        "join benchmark_target using (target_id) join benchmark using (benchmark_id) "
        "where kind = 'ordinal')",
    ),
    ("vocabulary_name_unique", "insert into vocabulary_name from vocabulary_name limit 1"),
    ("vocabulary_term_unique", "insert into vocabulary_term from vocabulary_term limit 1"),
]


# What a check says that can say several things.
REASONS = {"sealed_pair_count": "the store has pairs of the set, too"}


@pytest.fixture(scope="module")
def breakable(world: Path) -> Path:
    """A copy of the world, to be broken in transactions that are rolled back."""
    return Path(shutil.copy(world, world.with_name("breakable.duckdb")))


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_check_finds_what_it_is_for(check: catalog.View, breakable: Path) -> None:
    with scratch(breakable) as connection:
        connection.execute(text(BREAKAGES[check.name]))
        found = store.violations(connection, check, limit=5)
    assert found
    assert all(row["reason"] for row in found)
    assert {row["reason"] for row in found} & {REASONS.get(check.name, found[0]["reason"])}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "breakage"), FURTHER_BREAKAGES)
def test_a_check_of_several_things_finds_each(name: str, breakage: str, breakable: Path) -> None:
    (check,) = (check for check in CHECKS if check.name == name)
    with scratch(breakable) as connection:
        connection.execute(text(breakage))
        assert len(store.violations(connection, check, limit=5)) == 1


@pytest.fixture
def connection(db: Path) -> Connection:
    """A connection to a throw-away store."""
    return sa.create_engine(f"duckdb:///{db}").connect()


def _views(folder: Path, **selects: str) -> list[catalog.View]:
    (folder / "made").mkdir()
    for name, select in selects.items():
        header = "-- Title:   T\n-- Grain:   a\n"
        (folder / "made" / f"{name}.sql").write_text(header + select)
    return catalog.read_views(folder)


def test_views_are_ordered_by_what_they_read(tmp_path: Path) -> None:
    views = _views(
        tmp_path,
        a="with c as (select 1 as a) select c.a from c inner join b using (a)",
        b="select a from c",
        c="select 1 as a",
    )
    assert [v.name for v in catalog.in_build_order(views)] == ["c", "b", "a"]


def test_a_cycle_is_a_clear_error(tmp_path: Path) -> None:
    views = _views(tmp_path, a="select a from b", b="select a from a")
    with pytest.raises(TrackerError, match=r"circle: .*a"):
        catalog.in_build_order(views)


@pytest.mark.slow
def test_a_view_no_longer_in_sql_is_dropped(world: Path, tmp_path: Path) -> None:
    path = tmp_path / "copy.duckdb"
    path.write_bytes(world.read_bytes())
    with store.writer(path) as connection:
        kept = [view for view in VIEWS if view.name != "outcome_count"]
        building.build_views(connection, kept)
        assert building.are_views_current(connection, kept)
        names = connection.execute(
            text("select view_name from duckdb_views() where schema_name = 'main' and not internal")
        ).scalars()
        assert set(names) == {view.name for view in kept}
        building.build_views(connection, VIEWS)


def test_headers_become_comments(empty_store: Path) -> None:
    with store.reader(empty_store) as connection:
        comments = connection.execute(
            text("select comment from duckdb_views() where view_name = 'tier_hit_rate'")
        ).scalars()
        in_main, in_results = comments
    assert in_main == in_results
    assert in_main.startswith("Title: Tier hit rate\nResult: Hit rates and enrichment\n")


def test_a_header_without_grain_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "a.sql").write_text("-- Title: T\nselect 1 as a")
    with pytest.raises(TrackerError, match=r"a\.sql: the header needs"):
        catalog.read_views(tmp_path)


def test_the_files_are_read_once(tmp_path: Path) -> None:
    (view,) = _views(tmp_path, a="select 1 as a")
    assert catalog.read_views(tmp_path)[0] is view


_WORD = re.compile(r"'(?:[^']|'')*'|--[^\n]*|\w+|[(),]")
_CLAUSE_WORDS = frozenset(
    ["where", "on", "when", "then", "else", "end", "having", "select", "from", "join", "group", ","]
)


def _mixes_and_with_or(select: str) -> bool:
    """Whether one condition joins with both `and` and `or` without parentheses."""
    levels: list[set[str]] = [set()]
    in_between = False
    for word in _WORD.findall(select.lower()):
        if word == "(":
            levels.append(set())
        elif word == ")":
            levels.pop()
        elif word in _CLAUSE_WORDS:
            levels[-1].clear()
        elif word == "and" and in_between:
            in_between = False
        elif word in ("and", "or"):
            levels[-1].add(word)
            if len(levels[-1]) == 2:
                return True
        else:
            in_between = in_between or word == "between"
    return False


@pytest.mark.parametrize(
    ("condition", "is_mixed"),
    [
        ("a or b and c", True),
        ("a or (b and c)", False),
        ("a between 1 and 2 or b", False),
        ("exists (select 1 where a and b) or c", False),
    ],
)
def test_mixed_conditions_are_recognised(condition: str, is_mixed: bool) -> None:
    assert _mixes_and_with_or(f"select 1 where {condition}") is is_mixed


@pytest.mark.parametrize("view", [*VIEWS, *CHECKS], ids=lambda view: view.name)
def test_and_is_separated_from_or_by_parentheses(view: catalog.View) -> None:
    assert not _mixes_and_with_or(catalog.split_header(view.select)[1])


def own_text(view: catalog.View) -> str:
    """Return a view's SELECT as its file has it, without what it inlines."""
    path = ROOT / "sql" / view.section / f"{view.name}.sql"
    return catalog.split_header(path.read_text("utf-8"))[1]


@pytest.mark.parametrize("view", [*VIEWS, *CHECKS], ids=lambda view: view.name)
def test_no_cte_has_the_name_of_a_view_or_table(view: catalog.View) -> None:
    """But those that an inlined view reads in its place."""
    ctes = set(
        re.findall(
            r"^(?:with (?:recursive )?)?(\w+) as (?:(?:not )?materialized )?\((?:$|from)",
            own_text(view),
            re.M,
        )
    )
    assert ctes or "with " not in own_text(view)
    shadowed = ctes & ({view.name for view in [*VIEWS, *CHECKS]} | set(schema.metadata.tables))
    inlined = [name.strip() for name in view.header.get("Inlines", "").split(",") if name]
    assert shadowed <= {one for name in inlined for one in catalog.reads()[name]}
    assert bool(shadowed) == bool(inlined)


def test_an_inlined_view_reads_what_stands_in(tmp_path: Path) -> None:
    """Its formula is in one file; what the stand-in stands for is not read."""
    folder = tmp_path / "prospective"
    folder.mkdir()
    header = "-- Title: t\n-- Grain: n\n"
    doubled = "with even as (\n    select 2 * n as n from number\n)\n\nselect n from even\n"
    (folder / "doubled.sql").write_text(header + doubled)
    (folder / "next.sql").write_text("".join((header, "select n + 1 as n from doubled\n")))
    (folder / "number.sql").write_text(header + "select unnest([1, 2]) as n\n")
    (folder / "other_number.sql").write_text(header + "select unnest([5, 6]) as n\n")
    (folder / "other_next.sql").write_text(
        f"{header}-- Inlines: doubled, next\nwith number as (from other_number)\n\n"
        "from next\nwhere n > 11\n"
    )
    views = {view.name: view for view in catalog.read_views(tmp_path)}
    other = views["other_next"]
    assert catalog.read_tables(other.select) == {"other_number"}
    with sa.create_engine("duckdb:///:memory:").connect() as connection:
        for view in catalog.in_build_order([*views.values()]):
            connection.exec_driver_sql(f"create view {view.name} as\n{view.select}")
        found = {
            name: sorted(connection.exec_driver_sql(f"from {name}").scalars())
            for name in ("next", "other_next")
        }
    assert found == {"next": [3, 5], "other_next": [13]}
    # Another text of what is inlined is another text of the view.
    (folder / "next.sql").write_text("".join((header, "select n + 2 as n from doubled\n")))
    catalog._read_files.cache_clear()
    changed = {view.name: view.sha256 for view in catalog.read_views(tmp_path)}
    assert changed["other_next"] != other.sha256
    assert changed["doubled"] == views["doubled"].sha256


def test_nothing_is_inlined_that_is_no_view(tmp_path: Path) -> None:
    folder = tmp_path / "prospective"
    folder.mkdir()
    (folder / "made.sql").write_text(
        "-- Title: t\n-- Grain: n\n-- Inlines: gone\nwith b as (select 1)\n\nfrom gone\n"
    )
    with pytest.raises(TrackerError, match="made: there is no view gone to inline"):
        catalog.read_views(tmp_path)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_the_header_explains_each_number(view: catalog.View) -> None:
    body = re.sub(r"'(?:[^']|'')*'|--[^\n]*", "", own_text(view))
    # The rows of a list are data.
    body = re.sub(r"\bvalues\s+(?:\([^()]*\),?\s*)+", "", body)
    numbers = set(
        re.findall(r"(?<![\w.])\d\d+(?:\.\d+)?(?:e-?\d+)?\b|\d+\.\d{2,}\S*|\de-\d+", body)
    )
    header = " ".join(view.header.values())
    assert [number for number in numbers if number.strip("),") not in header] == []
