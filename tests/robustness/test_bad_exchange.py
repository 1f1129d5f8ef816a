"""Broken, altered and forged folders are not imported, and no export destroys what it finds."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from bench import TWINS, Bench, parquet, published, snapshot
from support import sampled

Manifest = dict[str, Any]
HEADER = (
    "slate_id",
    "created_at",
    "frozen_on",
    "description",
    "model_version",
    "parameters",
    "fingerprint",
    "n_predictions",
    "plan",
    "is_replay",
    "candidate_sha256",
    "label_sha256",
    "alias_sha256",
    "previous_sha256",
)


@pytest.fixture(scope="module")
def exported(attacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the export of a slate that has an outcome."""
    made = Bench(Path(shutil.copy(attacked, tmp_path_factory.mktemp("exported") / "s.duckdb")))
    columns = "disease_name,drug_name,outcome_type,source,observed_at\n"
    row = "Asthma,Alpha,fda_approved,fda,2020-01-01T00:00:00Z\n"
    events = made.write("events.csv", columns + row)
    made.accept("load", "outcomes", events, "--slate", made.slate)
    folder = made.folder / "export"
    made.accept("slate", "export", made.slate, folder)
    return folder


@pytest.fixture
def empty(empty_store: Path, tmp_path: Path) -> Bench:
    """Return a bench whose store has no slate yet."""
    folder = tmp_path / "empty"
    folder.mkdir()
    return Bench(Path(shutil.copy(empty_store, folder / "store.duckdb")))


def edit(folder: Path, change: Callable[[Manifest], object]) -> None:
    """Change the manifest of an export."""
    path = folder / "manifest.json"
    found = json.loads(path.read_text())
    change(found)
    path.write_text(json.dumps(found))


def rewrite(folder: Path, name: str, query: str) -> None:
    """Replace a Parquet file of an export by a query of it, in which it is named {old}."""
    path = folder / name
    parquet(query.format(old=f"'{path}'"))(folder / "new")
    (folder / "new").replace(path)


def hashes(folder: Path) -> dict[str, str]:
    """Return the hashes of the files that a manifest lists."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.glob("*.parquet")
    }


def rehash(folder: Path) -> None:
    """Give an altered export the hashes of its new content, as a forger would."""
    found = json.loads((folder / "manifest.json").read_text())
    fields = (
        "disease_identifier",
        "drug_identifier",
        "score",
        "rank",
        "tier",
        "known_label",
        "known_max_phase",
        "first_approval_year",
        "criterion",
        "criterion_min_phase",
        "criterion_horizon_years",
    )
    line = "concat(" + ", chr(9), ".join(fields) + ")"
    query = f"select {line} from read_parquet(?) order by {fields[0]}, {fields[1]}"  # noqa: S608 - names of the test's own
    with duckdb.connect() as connection:
        lines = connection.execute(query, [str(folder / "predictions.parquet")]).fetchall()
    first = json.dumps(found["header"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    content = "".join([first + "\n", *[text + "\n" for (text,) in lines]])
    found["content_sha256"] = hashlib.sha256(content.encode()).hexdigest()
    found["files"] = hashes(folder)
    (folder / "manifest.json").write_text(json.dumps(found))


ALTERED = "the export was altered"
Change = Callable[[Path], object]


def manifest(**values: object) -> Change:
    """Return a way to change fields of a manifest."""
    return lambda folder: edit(folder, lambda found: found.update(values))


def header(**values: object) -> Change:
    """Return a way to change fields of a manifest's header."""
    return lambda folder: edit(folder, lambda found: found["header"].update(values))


def without(key: str) -> Change:
    """Return a way to drop a field of a manifest or of its header."""
    return lambda folder: edit(
        folder, lambda found: (found if key in found else found["header"]).pop(key)
    )


def filled(name: str, content: bytes) -> Change:
    """Return a way to replace a file."""
    return lambda folder: (folder / name).write_bytes(content)


def cut(name: str) -> Change:
    """Return a way to break a file off."""
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:200])


def removed(name: str) -> Change:
    """Return a way to remove a file."""
    return lambda folder: (folder / name).unlink()


def predicting(query: str) -> Change:
    """Return a way to replace the predictions by a query of {old}."""
    return lambda folder: rewrite(folder, "predictions.parquet", query)


def recording(query: str) -> Change:
    """Return a way to replace the outcomes by a query of {old}."""
    return lambda folder: rewrite(folder, "outcomes.parquet", query)


# Unreadable exports: the change, the message. The hashes of the files are made to fit.
BROKEN: dict[str, tuple[Change, list[str]]] = {
    **{
        f"no {key}": (without(key), ["manifest.json, ", f"{key}: is missing"])
        for key in ("manifest_version", "header", "content_sha256", *HEADER)
    },
    **{
        f"manifest of {content[:4]!r}": (
            filled("manifest.json", content),
            ["manifest.json: is not a manifest"],
        )
        for content in (b"", b"{", b"\xff", b"null", b"5", b'"x"', b"[]", b"[" * 100_000)
    },
    **{
        f"{key} is {value!r}": (manifest(**{key: value}), [f"manifest.json, {key}"])
        for key in ("header", "content_sha256", "notes")
        for value in (5, None, [1])
    },
    **{
        f"merged names in {detail}": (
            manifest(
                notes=[
                    {
                        "kind": "merged_names",
                        "disease_name": None,
                        "drug_name": "Alpha",
                        "detail": detail,
                    }
                ]
            ),
            [f"manifest.json, notes[1].detail.{message}"],
        )
        for detail, message in (
            ({"file": "candidates"}, "names: is missing"),
            ({"file": "candidates", "names": [1]}, "names: [1] is not a list of texts"),
            (
                {"file": "elsewhere", "names": ["A"]},
                "file: 'elsewhere' is not one of candidates, labels",
            ),
        )
    },
    "another version": (
        manifest(manifest_version=2),
        ["manifest.json: was written by another version of tracker"],
    ),
    "no rows": (predicting("from {old} limit 0"), ["predictions.parquet: the file has no rows"]),
    "rank 0": (
        predicting("select * replace (0 as rank) from {old}"),
        ["predictions.parquet, row 1, column rank: '0' is not between"],
    ),
    "negative rank": (
        predicting("select * replace (-1 as rank) from {old}"),
        ["predictions.parquet, row 1, column rank: '-1' is not between"],
    ),
    "score not finite": (
        predicting("select * replace ('nan'::double as score) from {old}"),
        ["row 1, column score: 'nan' is not a finite number"],
    ),
    "unknown tier": (
        predicting("select * replace ('best' as tier) from {old}"),
        ["row 1, column tier: 'best' is not one of high, moderate, exploratory"],
    ),
    "no identifier": (
        predicting("select * replace (null as drug_identifier) from {old}"),
        ["row 1: drug_identifier is empty"],
    ),
    "no tier": (
        predicting("select * exclude (tier) from {old}"),
        ["predictions.parquet: the column tier is missing"],
    ),
    "a further column": (predicting("select *, 1 as x from {old}"), ["unknown column x"]),
    "one name for two drugs": (
        predicting("select * replace ('Same' as drug_name) from {old}"),
        ["predictions.parquet, row", "'Same'"],
    ),
    "outcomes with other names": (
        recording("select * replace ('Beta' as drug_name) from {old}"),
        ["outcomes.parquet, row 1", "'Beta' is already the name of a drug other than CHEMBL1"],
    ),
    "an outcome of the future": (
        recording(
            "select * replace (timestamptz '2999-01-01 00:00:00+00' as observed_at) from {old}"
        ),
        ["outcomes.parquet, row 1, column observed_at: is in the future"],
    ),
    "no predictions": (removed("predictions.parquet"), ["predictions.parquet: no such file"]),
    "no outcomes": (removed("outcomes.parquet"), ["outcomes.parquet"]),
    "predictions broken off": (cut("predictions.parquet"), ["predictions.parquet: cannot be read"]),
    "outcomes broken off": (cut("outcomes.parquet"), ["outcomes.parquet: cannot be read"]),
}

# Alterations after the export; the hashes reveal them.
ALTERATIONS: dict[str, Change] = {
    "hash": manifest(content_sha256="0" * 64),
    "description": header(description="better"),
    "replay": header(is_replay=True),
    "date of the freeze": header(frozen_on="2020-01-01"),
    "instant of the freeze": header(created_at="2020-01-01T00:00:00+00:00"),
    "parameters": header(parameters={}),
    "count": header(n_predictions=5),
    "score": predicting("select * replace (if(rank = 1, 0.99, score) as score) from {old}"),
    "label": predicting("select * replace (1 as known_label) from {old}"),
    "row dropped": predicting("from {old} limit 3"),
    "row doubled": predicting("from {old} union all (from {old} limit 1)"),
    "names exchanged": predicting(
        "select * replace (if(drug_name = 'Alpha', 'Beta', 'Alpha') as drug_name) from {old}"
    ),
    "outcome": recording(
        "select * replace (timestamptz '2019-01-01 00:00:00+00' as observed_at) from {old}"
    ),
    "outcome dropped": recording("from {old} limit 0"),
}


@pytest.mark.parametrize("case", sampled(BROKEN, 8))
def test_a_broken_export_is_refused(empty: Bench, exported: Path, case: str) -> None:
    change, message = BROKEN[case]
    folder = empty.folder / "export"
    shutil.copytree(exported, folder)
    change(folder)
    if not case.startswith(("manifest", "header", "no header")):
        edit(folder, lambda found: found.update(files=hashes(folder)))
    empty.refuse("slate", "import", folder, message=message)


@pytest.mark.parametrize("case", sampled(ALTERATIONS, 8))
def test_an_altered_export_is_refused(empty: Bench, exported: Path, case: str) -> None:
    folder = empty.folder / "export"
    shutil.copytree(exported, folder)
    ALTERATIONS[case](folder)
    empty.refuse("slate", "import", folder, message=[ALTERED], code=4)


@pytest.mark.slow
def test_an_untouched_export_is_imported_once(empty: Bench, exported: Path) -> None:
    folder = empty.folder / "export"
    shutil.copytree(exported, folder)
    empty.accept("slate", "import", folder)
    once = empty.counts()
    assert (once["slate"], once["prediction"], once["event"]) == (1, 4, 1)
    empty.accept("slate", "import", folder)
    assert empty.counts() == once


# Forged headers whose hash is right.
FORGED: dict[str, Manifest] = {
    "description": {"description": 5},
    "model_version": {"model_version": None},
    "is_replay": {"is_replay": "maybe"},
    "n_predictions": {"n_predictions": "4"},
    "candidate_sha256": {"candidate_sha256": 5},
    "previous_sha256": {"previous_sha256": {}},
    "parameters": {"parameters": 5},
    "fingerprint": {"fingerprint": [1]},
    "plan": {"plan": [1]},
    "frozen_on": {"frozen_on": "2020-01-01"},
    "created_at": {"created_at": "2999-01-01T00:00:00+00:00", "frozen_on": "2999-01-01"},
}


@pytest.mark.parametrize("case", sampled(FORGED, 8))
def test_a_forged_header_is_refused_though_its_hash_is_right(
    empty: Bench, exported: Path, case: str
) -> None:
    folder = empty.folder / "export"
    shutil.copytree(exported, folder)
    header(**FORGED[case])(folder)
    rehash(folder)
    empty.refuse("slate", "import", folder, message=["manifest.json", case])


@pytest.mark.slow
def test_a_forged_count_breaks_a_check(empty: Bench, exported: Path) -> None:
    folder = empty.folder / "export"
    shutil.copytree(exported, folder)
    header(n_predictions=5)(folder)
    rehash(folder)
    empty.refuse("slate", "import", folder, message=["slate_prediction_count"], code=4)


def test_the_same_slate_with_other_content_is_refused(bench: Bench, exported: Path) -> None:
    folder = bench.folder / "export"
    shutil.copytree(exported, folder)
    header(description="better")(folder)
    rehash(folder)
    bench.refuse("slate", "import", folder, message=["is already stored with different content"])


@pytest.mark.slow
def test_folders_that_contain_no_slate(bench: Bench) -> None:
    nowhere = bench.folder / "nowhere"
    bench.refuse("slate", "import", nowhere, message=["nowhere: no such folder"])
    bench.refuse("slate", "import", bench.db, message=["store.duckdb: "])
    folder = bench.write("folder", None)
    bench.refuse(
        "slate", "import", folder, message=["contains neither an export (manifest.json) nor"]
    )


FIRST = TWINS[0]
ENTRY = {"slate_id": FIRST, "created_at": "2026-01-01T00:00:00+00:00"}


def row(**values: str) -> str:
    """Return a query of one registry row, with some columns by their SQL."""
    columns = {
        "slate_id": f"'{FIRST}'",
        "disease_name": "'Gout'",
        "drug_name": "'Delta'",
        "repurposing_score": "0.5",
        "rank": "1",
        **values,
    }
    return "select " + ", ".join(f"{sql} as {name}" for name, sql in columns.items())


def event(**values: str) -> str:
    """Return a query of one published outcome, with some columns by their SQL."""
    columns = {
        "slate_id": f"'{FIRST}'",
        "disease_name": "'Gout'",
        "drug_name": "'Delta'",
        "outcome_type": "'fda_approved'",
        "outcome_source": "'fda'",
        "observed_at": "'2026-02-01T00:00:00Z'",
        **values,
    }
    return "select " + ", ".join(f"{sql} as {name}" for name, sql in columns.items())


def known(value: str) -> str:
    """Return a query of one registry row with what was known at the freeze."""
    return row(known_at_freeze=f"'{value}'")


NOT_ENTRIES: list[object] = [1, [], "x", None]
SLATES: list[tuple[object, list[str]]] = [
    *[(content, ["slates.json"]) for content in (b"", b"{", b"\xff", b"{}", b"[]", b"[" * 100_000)],
    *[([entry], ["slates.json, slate 1"]) for entry in NOT_ENTRIES],
    ([{"slate_id": FIRST}], ["slates.json, slate 1, created_at: is missing"]),
    ([{"created_at": "2026-01-01"}], ["slates.json, slate 1, slate_id: is missing"]),
    *[
        ([{**ENTRY, key: value}], ["slates.json, slate 1", key])
        for key, value in (
            ("slate_id", "x"),
            ("slate_id", 5),
            ("created_at", "soon"),
            ("created_at", 5),
            ("created_at", "0001-01-01T00:00:00+14:00"),
            ("created_at", "2999-01-01"),
            ("fingerprint", "x"),
            ("fingerprint", [1]),
            ("fingerprint", {"parameters": "x"}),
        )
    ],
    ([ENTRY, {**ENTRY, "slate_id": TWINS[1]}], [f"has no prediction of slate {TWINS[1]}"]),
    ([ENTRY, {**ENTRY, "description": "b"}], ["slate", FIRST]),
]


@pytest.mark.parametrize(("entries", "message"), sampled(SLATES, 8))
def test_bad_slates_json(empty: Bench, entries: object, message: list[str]) -> None:
    folder = empty.write("folder", published(row(), entries))
    empty.refuse("slate", "import", folder, message=message)


REGISTRY: list[tuple[str, int, list[str]]] = [
    (row(slate_id=f"'{TWINS[1]}'") + " union all " + row(), 3,
     ["registry.parquet, row 1", TWINS[1]]),
    (row() + " union all " + row(slate_id="'x'"), 3,
     ["registry.parquet, row 2, column slate_id: 'x'"]),
    (row(rank="0"), 3, ["registry.parquet, row 1, column rank: '0' is not between 1 and"]),
    (row(rank="-1"), 3, ["registry.parquet, row 1, column rank: '-1' is not between 1 and"]),
    (row(rank="1.5"), 3, ["registry.parquet, row 1, column rank: '1.5' is not a whole number"]),
    (row(rank="null"), 3, ["registry.parquet, row 1: rank is empty"]),
    (row(repurposing_score="'inf'::double"), 3, ["repurposing_score: 'inf' is not a finite"]),
    (row(chembl_id="'x'"), 3, ["row 1, column chembl_id: 'x' is not an identifier of a drug"]),
    (row(disease_ontology_id="'x'"), 3, ["row 1, column disease_ontology_id: 'x' is not an"]),
    (known("{"), 3, ["registry.parquet, row 1, column known_at_freeze: '{' is not JSON"]),
    (known("[]"), 3, ["registry.parquet, row 1, column known_at_freeze"]),
    (known('{"label":"weird"}'), 3, ["registry.parquet, row 1, column known_at_freeze", "weird"]),
    *[
        (known(f'{{"label":"{label}","{key}":{value}}}'), 3,
         ["registry.parquet, row 1, column known_at_freeze", key])
        for label, key, value in (
            ("positive", "max_phase", "99"),
            ("positive", "max_phase", '"nan"'),
            ("positive", "max_phase", '"abc"'),
            ("approved", "first_approval", "20204"),
            ("approved", "first_approval", '"1e300"'),
            ("approved", "first_approval", '"soon"'),
        )
    ],
    (row() + " union all " + row(drug_name="'Other'"), 4, ["prediction_rank_unique"]),
    (row() + " union all " + row(drug_name="'Other'", rank="2", repurposing_score="0.9"), 4,
     ["prediction_rank_follows_score"]),
    (row().replace(", 1 as rank", ""), 3, ["the column rank is missing"]),
    ("from (" + row() + ") limit 0", 3, ["registry.parquet: the file has no rows"]),
]  # fmt: skip


@pytest.mark.parametrize(("registry", "code", "message"), sampled(REGISTRY, 8))
def test_bad_registry(empty: Bench, registry: str, code: int, message: list[str]) -> None:
    folder = empty.write("folder", published(registry, [ENTRY]))
    empty.refuse("slate", "import", folder, message=message, code=code)


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        (event(slate_id=f"'{TWINS[1]}'"), ["outcomes.parquet, row 1", TWINS[1]]),
        (event(drug_name="'Nope'"), ["outcomes.parquet, row 1, column drug_name: unknown drug"]),
        (event(outcome_type="'cured'"), ["row 1, column outcome_type: 'cured' is not one of"]),
        (event(outcome_date="'2026-13-01'"), ["row 1, column outcome_date: '2026-13-01' is not"]),
        (event(outcome_detail="'{'"), ["row 1, column outcome_detail: '{' is not JSON"]),
        (event(observed_at="'2999-01-01'"), ["row 1, column observed_at: is in the future"]),
        (event(chembl_id="'x'"), ["row 1, column chembl_id: 'x' is not an identifier"]),
    ],
)
def test_bad_published_outcomes(empty: Bench, outcomes: str, message: list[str]) -> None:
    folder = empty.write("folder", published(row(), [ENTRY], outcomes))
    empty.refuse("slate", "import", folder, message=message)


def test_a_published_folder_without_slates_json(empty: Bench) -> None:
    folder = empty.write("folder", published(row(), [ENTRY]))
    (folder / "slates.json").unlink()
    empty.refuse("slate", "import", folder, message=["slates.json: no such file"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "other", [(row(drug_name="'Other'"), [ENTRY]), (row(), [{**ENTRY, "description": "better"}])]
)
def test_a_published_slate_never_changes(empty: Bench, other: tuple[str, object]) -> None:
    folder = empty.write("folder", published(row(), [ENTRY]))
    empty.accept("slate", "import", folder)
    once = empty.counts()
    empty.accept("slate", "import", folder)
    assert empty.counts() == once
    altered = empty.write("altered", published(*other))
    empty.refuse("slate", "import", altered, message=["is already stored with different content"])


def _with_work(path: Path) -> None:
    path.mkdir()
    (path / "precious.txt").write_text("a year of work")


def _with_manifest(path: Path) -> None:
    _with_work(path)
    (path / "manifest.json").write_text('{"name": "a web extension"}')


# The target of an export, the message.
TARGETS: dict[str, tuple[Change | str | None, list[str]]] = {
    "a file": ("words", ["target: is a file"]),
    "a folder of other things": (
        _with_work,
        ["target: is not empty and contains no earlier export"],
    ),
    "a folder with another program's manifest": (_with_manifest, ["target: is not empty"]),
}


@pytest.mark.parametrize("case", sampled(TARGETS, 3))
def test_no_export_over_anything_else(bench: Bench, case: str) -> None:
    content, message = TARGETS[case]
    target = bench.write("target", content)
    bench.refuse("slate", "export", bench.slate, target, message=message)


def test_no_export_over_files_added_to_an_earlier_one(bench: Bench, exported: Path) -> None:
    target = bench.folder / "target"
    shutil.copytree(exported, target)
    (target / "notes.txt").write_text("a year of work")
    bench.refuse("slate", "export", bench.slate, target, message=["target", "notes.txt"])


def test_no_export_into_a_folder_that_is_not_there(bench: Bench) -> None:
    target = bench.folder / "nowhere" / "target"
    bench.refuse("slate", "export", bench.slate, target, message=["nowhere: no such folder"])
    long = bench.folder / ("x" * 300)
    bench.refuse("slate", "export", bench.slate, long, message=["name too long"])


@pytest.mark.slow
def test_an_export_replaces_an_earlier_one_and_an_empty_folder(bench: Bench) -> None:
    target = bench.write("target", None)
    bench.accept("slate", "export", bench.slate, target)
    once = snapshot(bench.folder)
    assert {"target/manifest.json", "target/outcomes.parquet"} < once.keys()
    bench.accept("slate", "export", bench.slate, target)
    assert snapshot(bench.folder) == once
