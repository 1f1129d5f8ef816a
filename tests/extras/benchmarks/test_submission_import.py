"""Submissions exported from one store and imported into another, where their date is a claim."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result
from evidence import rows

import tracker
from tracker import resources
from tracker.cli import main
from tracker.errors import CheckFailed

pytestmark = pytest.mark.slow

FIXTURES = resources.directory("fixtures") / "benchmarks"
DEFINE = {
    "regression": "--kind regression --fold-column fold --truth KIND/truth.csv "
    "--targets KIND/targets.csv",
    "binary": "--kind binary --items KIND/items.csv --targets KIND/targets.csv",
    "ordinal": "--kind ordinal --truth KIND/truth.csv",
    "multilabel": "--kind multilabel --truth KIND/truth.csv --labels KIND/labels.csv",
}
SUBMIT = {
    "regression": "KIND/easiest.csv --submitter Lab --track cv --partial --code-revision r7",
    "binary": "KIND/model.csv --submitter Lab --track test --model Deep --model-version 2 "
    "--trained-until 2023-06-30",
    "ordinal": "KIND/random.csv --submitter Lab --track test",
    "multilabel": "KIND/model.csv --submitter Lab --track test",
}
CLAIM = "imported: its export claims that it was submission 1 of another store, frozen on "


def run(db: Path, words: str, *paths: Path, expect: int = 0) -> Result:
    given = ["--db", str(db), "benchmark", *words.split(), *map(str, paths)]
    result = CliRunner().invoke(main, given)
    assert result.exit_code == expect, result.output
    return result


class Stores:
    """A folder with a store, its exported submission, and another with the same benchmark."""

    def __init__(self, folder: Path) -> None:
        self.first = folder / "first.duckdb"
        self.second = folder / "second.duckdb"
        self.export = folder / "exported"

    @property
    def manifest(self) -> Any:
        return json.loads((self.export / "manifest.json").read_text())

    def write_manifest(self, manifest: Any) -> None:
        (self.export / "manifest.json").write_text(json.dumps(manifest))


def make(kind: str, empty_store: Path, folder: Path) -> Stores:
    """Make the stores in a folder, the first with a submission that was exported."""
    made = Stores(folder)
    shutil.copy(empty_store, made.first)
    words = DEFINE[kind].replace("KIND", str(FIXTURES / kind))
    run(made.first, f"define assay {words}")
    shutil.copy(empty_store, made.second)
    run(made.second, f"define assay {words}")
    run(made.first, f"submit assay {SUBMIT[kind].replace('KIND', str(FIXTURES / kind))}")
    run(made.first, "export 1", made.export)
    return made


@pytest.fixture(scope="module")
def ordinal(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of stores with an ordinal benchmark, to be copied."""
    folder = tmp_path_factory.mktemp("ordinal")
    make("ordinal", empty_store, folder)
    return folder


@pytest.fixture
def stores(ordinal: Path, tmp_path: Path) -> Stores:
    return Stores(Path(shutil.copytree(ordinal, tmp_path / "stores")))


@pytest.mark.parametrize("kind", DEFINE)
def test_what_was_exported_is_frozen_again(kind: str, empty_store: Path, tmp_path: Path) -> None:
    given = make(kind, empty_store, tmp_path)
    if kind != "multilabel":
        # Another submission takes number 1, so that the imported one differs in number and chain.
        run(
            given.second, f"submit assay {FIXTURES / kind}/{OTHER[kind]} --submitter o --track test"
        )
    imported = run(given.second, "import", given.export).output
    number = 1 if kind == "multilabel" else 2
    assert f"imported submission {number}: " in imported
    assert CLAIM in imported
    assert run(given.second, "verify").output.count("as frozen") == number
    if kind == "binary":
        for db in (given.first, given.second):
            run(db, "truth assay", FIXTURES / kind / "truth.csv")
    was = json.loads(run(given.first, "score 1 --format json").stdout)
    now = json.loads(run(given.second, f"score {number} --format json").stdout)
    assert without_numbers(now) == without_numbers(was)
    header = given.manifest["header"]
    stated = (
        "select submitter, track, code_revision, origin, file_sha256, is_partial, n_values "
        "from submission where submission_id = "
    )
    assert rows(given.second, f"{stated}{number}") == rows(given.first, f"{stated}1")
    run(given.second, f"export {number}", tmp_path / "again")
    again = json.loads((tmp_path / "again" / "manifest.json").read_text())
    assert again["header"]["original"] == {
        "original_id": 1,
        "original_submitted_at": header["submitted_at"],
        "original_sha256": given.manifest["content_sha256"],
    }
    assert again["header"].get("model") == header.get("model")
    assert again["content_sha256"] != given.manifest["content_sha256"]


OTHER = {"regression": "linear.csv", "binary": "coarse.csv", "ordinal": "perfect.csv"}


def without_numbers(sections: Any) -> Any:
    """The sections of a score without the number of the submission."""
    return {
        name: [{k: v for k, v in row.items() if k != "submission_id"} for row in rows]
        for name, rows in sections.items()
    }


def test_importing_again_adds_nothing(stores: Stores) -> None:
    run(stores.second, "import", stores.export)
    assert "already submission 1" in run(stores.second, "import", stores.export).output
    # The store that exported it has the very submission.
    assert "already submission 1" in run(stores.first, "import", stores.export).output
    assert rows(stores.second, "select count(*) from submission") == [(1,)]


def test_an_import_of_an_import_names_the_store_between(stores: Stores, tmp_path: Path) -> None:
    third = Path(shutil.copy(stores.second, tmp_path / "third.duckdb"))
    run(stores.second, "import", stores.export)
    run(stores.second, "export 1", tmp_path / "again")
    run(third, "import", tmp_path / "again")
    assert run(third, "verify").output.count("as frozen") == 1
    claimed = "select original_sha256 from submission_original"
    assert rows(third, claimed) == rows(stores.second, "select content_sha256 from submission")


def test_readers_are_told_that_the_date_is_claimed(stores: Stores) -> None:
    run(stores.second, "import", stores.export)
    assert f"note: {CLAIM}" in run(stores.second, "score 1").stderr
    assert CLAIM[1:] in run(stores.second, "score 1 --format html").stdout
    with tracker.open(stores.second) as opened:
        assert any(CLAIM in warning for warning in opened.benchmark.score(1).warnings)


def test_a_benchmark_of_another_name_and_item_column(stores: Stores, tmp_path: Path) -> None:
    truth = tmp_path / "truth.csv"
    lines = (FIXTURES / "ordinal" / "truth.csv").read_text()
    assert lines.startswith("item,")
    truth.write_text(lines.replace("item,", "patient,", 1))
    run(stores.second, "define visits --kind ordinal --item-column patient --truth", truth)
    run(stores.second, "import --benchmark visits", stores.export)
    assert rows(
        stores.second, "select name from submission join benchmark using (benchmark_id)"
    ) == [("visits",)]
    refused = run(stores.second, "import --benchmark nothing", stores.export, expect=3)
    assert "nothing" in refused.output


def test_python_imports_too(stores: Stores) -> None:
    with tracker.open(stores.second, write=True) as opened:
        assert opened.benchmark.import_export(stores.export).is_new
        assert not opened.benchmark.import_export(stores.export).is_new
        changed = stores.manifest
        changed["header"]["origin"] = "other.csv"
        changed["header"]["file_sha256"] = "0" * 64
        stores.write_manifest(changed)
        with pytest.raises(CheckFailed, match="its content has SHA-256"):
            opened.benchmark.import_export(stores.export)


def changed_header(**fields: Any) -> Callable[[Stores], None]:
    """Rewrite fields of the header."""

    def change(stores: Stores) -> None:
        manifest = stores.manifest
        manifest["header"] |= fields
        stores.write_manifest(manifest)

    return change


def rewritten(query: str) -> Callable[[Stores], None]:
    """Rewrite the predictions, with the manifest's hash of the file."""

    def change(stores: Stores) -> None:
        path = stores.export / "predictions.parquet"
        duckdb.sql(query.replace("GIVEN", f"'{path}'")).write_parquet(f"{path}.new")
        Path(f"{path}.new").replace(path)
        manifest = stores.manifest
        manifest["files"][path.name] = tracker.files.sha256_of(path)
        stores.write_manifest(manifest)

    return change


def without_field(name: str) -> Callable[[Stores], None]:
    def change(stores: Stores) -> None:
        manifest = stores.manifest
        del manifest["header"][name]
        stores.write_manifest(manifest)

    return change


def with_other_bytes(stores: Stores) -> None:
    (stores.export / "predictions.parquet").write_bytes(b"PAR1 no")


def without(name: str) -> Callable[[Stores], None]:
    return lambda stores: (stores.export / name).unlink()


FORGED: dict[str, tuple[Callable[[Stores], None], int, str]] = {
    "a value": (
        rewritten("select item, target, case when value = 2 then 1 else 2 end as value from GIVEN"),
        4,
        "the export was altered: its content has SHA-256",
    ),
    "a row left out": (rewritten("from GIVEN offset 1"), 3, "has no value of"),
    "a row twice": (rewritten("from GIVEN union all from GIVEN"), 3, "repeats row"),
    "a foreign item": (
        rewritten("select item || 'x' as item, target, value from GIVEN"),
        3,
        "is not an item of 'assay'",
    ),
    "a value that is none": (
        rewritten("select item, target, 'high' as value from GIVEN"),
        3,
        "predictions.parquet, row 1, column value: 'high' is not a number",
    ),
    "a column gone": (
        rewritten("select item, target from GIVEN"),
        3,
        "the column value is missing",
    ),
    "the bytes alone": (
        with_other_bytes,
        3,
        "predictions.parquet: ",
    ),
    "the date": (
        changed_header(submitted_at="2020-01-01T00:00:00+00:00"),
        4,
        "the export was altered",
    ),
    "a date to come": (
        changed_header(submitted_at="2999-01-01T00:00:00+00:00"),
        3,
        "submitted_at is in the future",
    ),
    "the submitter": (changed_header(submitter="Rival"), 4, "the export was altered"),
    "no submitter": (changed_header(submitter=" "), 3, "header.submitter: ' ' is not a name"),
    "a model": (
        changed_header(
            model=dict.fromkeys(("model_version", "license", "trained_until"))
            | {"model": "Deep", "link": "javascript:alert(1)"}
        ),
        3,
        "is not an address of http or https",
    ),
    "the kind": (changed_header(kind="binary"), 3, "'assay' is ordinal"),
    "the track": (changed_header(track="cv"), 3, "it has no cross-validation track"),
    "a field": (without_field("file_sha256"), 3, "header.file_sha256: is missing; needs a SHA-256"),
    "no manifest": (without("manifest.json"), 3, "manifest.json"),
    "no predictions": (without("predictions.parquet"), 3, "predictions.parquet: no such file"),
    "a manifest of a slate": (
        lambda stores: stores.write_manifest({"manifest_version": 1, "content_sha256": "x"}),
        3,
        "manifest.json, content_sha256: 'x' is not a SHA-256",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_what_is_altered_or_wrong_is_refused_whole(name: str, stores: Stores) -> None:
    change, exit_code, problem = FORGED[name]
    change(stores)
    refused = run(stores.second, "import", stores.export, expect=exit_code)
    assert problem in refused.output
    assert refused.output.count("Traceback") == 0
    for table in ("submission", "submission_value", "submission_original", "submission_target"):
        assert rows(stores.second, f"from {table}") == []


def test_a_rank_that_contradicts_its_score_is_refused(empty_store: Path, tmp_path: Path) -> None:
    """Even with the hash of such ranks: ties are told by scores, places by ranks."""
    given = make("multilabel", empty_store, tmp_path)
    rewritten("select * replace (-score as score) from GIVEN")(given)
    refused = run(given.second, "import", given.export, expect=3)
    assert "predictions.parquet, row 2, column rank: rank 2 of " in refused.output
    assert rows(given.second, "from submission") == []


def test_the_same_file_with_other_content_is_refused(stores: Stores) -> None:
    run(stores.second, "import", stores.export)
    stores.write_manifest(stores.manifest | {"content_sha256": "0" * 64})
    refused = run(stores.second, "import", stores.export, expect=3)
    assert "already submission 1 of 'assay', with different content" in refused.output


@pytest.mark.parametrize(
    "statement",
    [
        "update submission_original set original_submitted_at = timestamptz '2020-01-01'",
        "update submission_original set original_id = 7",
        "delete from submission_original",
    ],
)
def test_an_altered_claim_is_found(statement: str, stores: Stores) -> None:
    run(stores.second, "import", stores.export)
    with duckdb.connect(str(stores.second)) as connection:
        connection.execute(statement)
    assert "submission 1" in run(stores.second, "verify", expect=4).output
