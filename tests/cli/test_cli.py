"""The command line: help with examples that run, formats, reports, as-of, the demo."""

import contextlib
import csv
import hashlib
import io
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import authority
import click
import duckdb
import ictrp
import pytest
import round_world
from click.testing import CliRunner
from evidence import ema, medicine, obo
from support import (
    WORLD,
    Tracker,
    as_json,
    exited,
    load_world_outcomes,
    ok,
    query,
    sampled,
    tracker_on,
)

from tracker.cli import commands, main, signals

SLATE, OTHER_SLATE = "5c9f4a52", "a07e1f36"
# The years of an example, and months of which the demo's store knows as much.
BACKTEST = (
    "--from 2015-01-01 --every 12m --horizon 24m",
    "--from 2025-04-01 --every 3m --horizon 6m",
)


def _commands(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in sorted(group.commands.items()):
        yield (*words, name)
        if isinstance(command, click.Group):
            yield from _commands(command, (*words, name))


COMMANDS = list(_commands(main))


@pytest.fixture(scope="module")
def world_store(demo_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store that the demo leaves behind, and outcomes that were recorded in the past."""
    path = Path(shutil.copy(demo_store, tmp_path_factory.mktemp("world") / "demo.duckdb"))
    load_world_outcomes(path, datetime(2025, 8, 31, tzinfo=UTC))
    return path


@pytest.fixture(scope="module")
def proof_folder(world_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A head, a proof and a checkpoint of the log, and a token of its latest head, if openssl can
    make one; the keys of a team and of another one, whose checkpoint it is.

    The store of the folder is the world's, which then trusts the authority of the token.
    """
    folder = tmp_path_factory.mktemp("proofs")
    db = Path(shutil.copy(world_store, folder / "store.duckdb"))
    words: list[tuple[str, ...]] = [
        ("log", "head", "-o", "head.json"),
        ("log", "prove", SLATE, "-o", "proof.json"),
        ("log", "key", "team.example/tracker", "-o", "team.key"),
        ("log", "key", "other.example", "-o", "other.key"),
        ("log", "checkpoint", "--key", "other.key", "-o", "checkpoint.txt"),
    ]
    if authority.OPENSSL is not None:
        own = authority.make(folder / "authority")
        words.insert(0, ("timestamp", "trust", str(own.root), "--name", "test"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in words:
            made = ok(tracker_on(db)(*command))
            if command[1] == "key":
                (folder / command[-1]).with_suffix(".vkey").write_text(made.stdout)
    if authority.OPENSSL is not None:
        sha256 = hashlib.sha256((folder / "head.json").read_bytes()).hexdigest()
        (folder / "token.tsr").write_bytes(own.of(sha256))
    return folder


@pytest.fixture(scope="module")
def example_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the files that the examples read."""
    folder = tmp_path_factory.mktemp("examples")
    _make_example_files(folder)
    return folder


@pytest.fixture
def world(world_store: Path, db: Path, tracker: Tracker) -> Tracker:
    """Commands on a copy of the demo's store."""
    shutil.copy(world_store, db)
    return tracker


# Other tests run these commands too, and their examples take seconds.
LONG = {
    "assess",
    "backtest",
    "benchmark",
    "demo",
    "publish",
    "report",
    "retrospective",
    "scoreboard",
    "spark",
    "verify",
}
# Nearly a minute.
LONGEST = {("demo",)}


def _marks(words: tuple[str, ...]) -> list[pytest.MarkDecorator]:
    return [pytest.mark.exhaustive if words in LONGEST else pytest.mark.slow]


EXAMPLES = [
    *sampled([(words,) for words in COMMANDS if words[0] not in LONG], 4),
    *(pytest.param(words, marks=_marks(words)) for words in COMMANDS if words[0] in LONG),
]


@pytest.mark.parametrize("words", EXAMPLES, ids=" ".join)
def test_help_ends_in_an_example_that_runs(
    words: tuple[str, ...],
    world: Tracker,
    db: Path,
    example_files: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    if words[0] == "spark":
        request.getfixturevalue("spark")
    shown = ok(world(*words, "--help"))
    assert [line for line in shown.output.splitlines() if len(line) > 80] == []
    example = re.search(r"Example: tracker (.*)", re.sub(r"\n +", " ", shown.output))
    assert example, shown.output
    monkeypatch.chdir(tmp_path)
    shutil.copytree(example_files, tmp_path, dirs_exist_ok=True)
    if words[0] == "retrospective":
        ok(world("retrospective", "evaluate", "--candidates", "world", "--labels", "known"))
    if words[0] == "verify":
        assert world("publish", "-o", "site").exit_code == 0
    if words[0] == "backtest":
        ok(world(*f"backtest run --ranker cf {BACKTEST[1]}".split()))
    if words[0] == "benchmark":
        _make_benchmarks(world, tmp_path)
    if words[0] == "log":
        proofs = request.getfixturevalue("proof_folder")
        for path in proofs.iterdir():
            if path.is_file():
                shutil.copy(path, db if path.suffix == ".duckdb" else tmp_path)
    if words[0] == "round":
        _play_round(words[-1], request.getfixturevalue("opened_round"), tmp_path, db)
    line = _in_the_world(example[1])
    if words == ("outcome", "annul"):
        line = line.replace("annul 7 ", f"annul {_loaded_outcome(world)} ")
    after = words in {("round", "reveal"), ("round", "close")}
    with round_world.at(round_world.AFTER) if after else contextlib.nullcontext():
        run = world(*shlex.split(line))
    assert run.exit_code == 0, (example[1], run.output)


def _play_round(command: str, opened: Path, folder: Path, db: Path) -> None:
    """Bring a round as far as an example of a command takes it up."""
    if command == "new":
        return
    played = round_world.copied(opened, folder / "round")
    predictions = round_world.LISTS["Good"]
    (folder / "predictions.csv").write_text(predictions)
    shutil.copy(played.token(predictions), folder / "reply.tsr")
    shutil.copytree(played.folder, folder / round_world.NAME)
    if command in ("reveal", "close"):
        played.deposit(predictions, "Lab B")
    if command == "close":
        played.reveal(predictions)
    shutil.copy(played.bench.db, db)


def _loaded_outcome(world: Tracker) -> int:
    """Load the example's outcomes; return the number of one."""
    assert world("load", "outcomes", "events.csv").exit_code == 0
    loaded = "select max(event_id) as number from event where event_origin = 'loaded'"
    (row,) = query(world, loaded)
    return int(row["number"])


def _make_example_files(folder: Path) -> None:
    shutil.copytree(WORLD / "autumn_slate", folder / "published")
    shutil.copy(WORLD / "candidates.csv", folder / "scores.csv")
    duckdb.read_csv(str(WORLD / "candidates.csv")).to_parquet(str(folder / "scores.parquet"))
    shutil.copy(WORLD / "labels.csv", folder / "known.csv")
    shutil.copy(WORLD / "spring_outcomes.csv", folder / "events.csv")
    shutil.copy(WORLD / "chembl_91.db", folder / "chembl_36.db")
    shutil.copy(WORLD / "drugsatfda.zip", folder)
    obo(folder / "doid.obo")
    ictrp.xml(folder / "ICTRP-Results.xml", [ictrp.record()])
    ema(folder / "medicines_output_medicines_en.xlsx", [medicine(1)])
    (folder / "tracker.toml").write_text('[[source]]\nkind = "chembl"\npath = "chembl_*.db"\n')
    (folder / "studies").mkdir()
    shutil.copy(WORLD / "trials-2025-02-20.json", folder / "studies")
    shutil.copytree(WORLD, folder / "archive")
    shutil.copy(WORLD / "authority.pem", folder / "cacert.pem")
    shutil.copy(WORLD / "spring_slate" / "timestamps" / "1.tsr", folder / "token.tsr")
    (folder / "synonyms.csv").write_text(
        "entity,name,kind,value\ndrug,belantrine,synonym,Bel\ndisease,Sable lung,efo_id,EFO_1\n"
    )


def _make_benchmarks(world: Tracker, folder: Path) -> None:
    """The files of the examples, a benchmark without its truth, and submission 1 to another."""
    fold = "hierarchical_cluster_IgG_isotype_stratified_fold"
    rows = [f"mab-{n},{n % 2},{n},{n},{n},{n},{n}\n" for n in range(4)]
    header = f"antibody_name,{fold},HIC,PR_CHO,AC-SINS_pH7.4,Tm2,Titer\n"
    for name in ("GDPa1.csv", "ridge.csv"):
        (folder / name).write_text(header + "".join(rows))
    (folder / "items.csv").write_text("item\na\nb\n")
    (folder / "targets.csv").write_text("target\ntiter\n")
    (folder / "measured.csv").write_text("item,titer\na,1\nb,2\n")
    for words in (
        "define gdpa1 --preset gdpa1 --truth GDPa1.csv",
        "submit gdpa1 ridge.csv --submitter Lab --track cv",
        "define assay --kind regression --items items.csv --targets targets.csv",
    ):
        ok(world("benchmark", *words.split()))
    assert world("benchmark", "export", "1", str(folder / "exported")).exit_code == 0


def _in_the_world(example: str) -> str:
    """The example with names in the demo's store."""
    example = example.replace("469bb270", SLATE).replace("whole --labels", "world --labels")
    example = example.replace("302b34f7", OTHER_SLATE)
    example = example.replace(*BACKTEST)
    return example.replace("--labels 2026q1", "--labels known")


@pytest.mark.slow
@pytest.mark.parametrize("form", sampled(["html", "table", "markdown", "csv", "json"], 5))
def test_a_report_has_the_same_content_in_every_format(form: str, world: Tracker) -> None:
    printed = ok(world("report", SLATE, "--full", "--format", form))
    (row,) = query(
        world,
        "select enrichment_vs_matched as e from enrichment_vs_matched where tier = 'high'"
        " and slate_id::varchar like '5c9f4a52%' and evidence_window = 'prospective'"
        " and population = 'novel'",
    )
    truth = row["e"]
    if form == "json":
        rows = json.loads(printed.output)["sections"]["enrichment_vs_matched"]
        keys = {"evidence_window": "prospective", "population": "novel", "tier": "high"}
        found = [r["enrichment_vs_matched"] for r in rows if keys.items() <= r.items()]
        assert found == [truth]
    elif form == "csv":
        found = [
            float(r["value"])
            for r in csv.DictReader(io.StringIO(printed.output))
            if (r["view"], r["metric"], r["tier"], r["evidence_window"], r["population"])
            == (*["enrichment_vs_matched"] * 2, "high", "prospective", "novel")
        ]
        assert found == [truth]
    elif form == "table":
        assert f"{truth:.2f}" in printed.output
    else:
        assert f"{truth:.2f} times" in printed.output
    assert truth > 1.2


@pytest.mark.slow
def test_a_report_is_one_screen_unless_more_is_asked_for(world: Tracker) -> None:
    lines = world("report", SLATE).output.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(f"Slate {SLATE}: ")
    assert any(line.startswith("Too early to say") for line in lines)
    full = world("report", SLATE, "--full").output
    assert "(tier_hit_rate)" in full
    assert "(tier_hit_rate)" not in "\n".join(lines)


@pytest.mark.slow
def test_sections_are_printed_by_name(world: Tracker) -> None:
    options = ("--section", "tier_hit_rate", "--section", "warnings")
    printed = world("report", SLATE, *options).output
    assert "(tier_hit_rate)" in printed
    assert "\n! " in f"\n{printed}"
    assert "(coverage)" not in printed
    chosen = as_json(world, "report", SLATE, *options)
    whole = as_json(world, "report", SLATE)
    assert chosen["sections"] == {"tier_hit_rate": whole["sections"]["tier_hit_rate"]}
    assert chosen["warnings"] == whole["warnings"]
    refused = exited(3, world("report", SLATE, "--section", "tier_hit_rte"))
    assert "did you mean 'tier_hit_rate'?" in refused.output
    assert world("report", SLATE, "--section", "coverage", "--format", "html").exit_code == 2


@pytest.mark.slow
def test_window_and_population_narrow_the_report(world: Tracker) -> None:
    report = as_json(world, "report", SLATE, "--window", "prospective", "--population", "novel")
    rows = report["sections"]["tier_hit_rate"]
    assert {(r["evidence_window"], r["population"]) for r in rows} == {("prospective", "novel")}


@pytest.mark.slow
def test_a_past_day_is_reported_as_it_was(world: Tracker, tmp_path: Path) -> None:
    """The report of a day does not change when the ledger grows afterwards."""
    day = ("report", SLATE, "--as-of", "2025-08-31")
    before = as_json(world, *day)
    later = tmp_path / "later.csv"
    later.write_text(
        "disease_name,drug_name,outcome_type,source,event_date,first_public_on\n"
        "Sable lung,belantrine,fda_approved,fda,2026-01-01,2026-01-01\n"
    )
    assert world("load", "outcomes", later, "--slate", SLATE).exit_code == 0
    assert as_json(world, *day) == before
    now = as_json(world, "report", SLATE)
    assert now["slate"]["n_outcomes"] > before["slate"]["n_outcomes"] > 0


def test_sql_reads_files_and_standard_input(world: Tracker, tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text("select 40 + 2 as answer")
    from_file = world("sql", tmp_path / "q.sql", "--format", "csv")
    from_input = world("sql", "--format", "csv", stdin="select 40 + 2 as answer")
    assert from_file.output == from_input.output == "answer\n42\n"


def test_sql_to_parquet_keeps_types(world: Tracker, tmp_path: Path) -> None:
    query = (
        "select * from (values (9007199254740993, date '2026-01-01', true, 0.1::double, 'a'), "
        "(null, null, null, null, null)) as t (whole, day, flag, ratio, word)"
    )
    path = tmp_path / "out.parquet"
    ok(world("sql", query, "--format", "parquet", "-o", path))
    written = duckdb.read_parquet(str(path))
    assert [str(kind) for kind in written.types] == [
        "BIGINT",
        "DATE",
        "BOOLEAN",
        "DOUBLE",
        "VARCHAR",
    ]
    assert written.fetchone() == duckdb.sql(query).fetchone()


@pytest.mark.parametrize(
    "query",
    [
        "select * from read_csv('/etc/passwd')",
        "select * from read_text('/etc/passwd')",
        "from glob('/*')",
        "copy (select 1) to 'stolen.csv'",
        "attach 'other.duckdb'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "set lock_configuration = false",
        "create table mine (a integer)",
        "delete from outcome",
        "update prediction set score = 1",
        "drop view tier_hit_rate",
    ],
)
def test_the_sandbox_is_effective(query: str, world: Tracker, db: Path) -> None:
    before = db.read_bytes()
    done = exited(3, world("sql", query))
    assert done.output.startswith("error: the query failed: ")
    assert db.read_bytes() == before


@pytest.mark.slow
def test_demo_runs_the_real_pipeline(world: Tracker) -> None:
    """Two refreshes, the second with genuinely prospective hits; all of it sound."""
    assert world("check").exit_code == 0
    assert world("slate", "verify").exit_code == 0
    statement = (
        "select refresh.refresh_id, count(*) as n_hits from outcome_timing "
        "join slate using (slate_id) join release using (release_id) "
        "asof join refresh on outcome_timing.recorded_at <= refresh.refreshed_at "
        "where signal = 'high' and timing = 'prospective' "
        "and release.released_on > slate.frozen_on and event_date > slate.frozen_on "
        "group by refresh_id order by refresh_id"
    )
    rows = query(world, statement)
    assert [row["refresh_id"] for row in rows] == [1, 2]
    assert rows[1]["n_hits"] > rows[0]["n_hits"] > 0


@pytest.mark.slow
def test_why_figures_changed(world: Tracker) -> None:
    """Each changed figure is as in a report of either moment; every new outcome is listed."""
    day = "2025-08-31"
    explained = as_json(world, "report", SLATE, "--explain", day)
    before, now = (as_json(world, "report", SLATE, *options) for options in (("--as-of", day), ()))
    changed = explained["sections"]["changed_figure"]
    assert changed
    for row in changed:
        keys = {
            key: row[key]
            for key in ("evidence_window", "population", "tier")
            if row[key] is not None
        }
        for moment, report in (("then", before), ("now", now)):
            found = [
                record[row["figure"]]
                for record in report["sections"][row["view"]]
                if keys.items() <= record.items()
            ]
            assert found == [row[moment]]
    n_new = now["slate"]["n_outcomes"] - before["slate"]["n_outcomes"]
    assert len(explained["sections"]["outcome_card"]) == n_new
    one = world("report", SLATE, "--explain", day, "--section", "release", "--format", "json")
    assert list(json.loads(one.output)["sections"]) == ["release"]
    refused = exited(3, world("report", SLATE, "--explain", "2020-01-01"))
    assert "was frozen on" in refused.output


def test_every_command_of_tracker_is_in_a_section() -> None:
    """In the help; what other packages bring has one of its own."""
    listed = commands.sections([*main.list_commands(click.Context(main)), "hits"])
    assert listed.pop("From other packages") == ["hits"]
    assert sorted(name for own in listed.values() for name in own) == sorted(main.commands)
    shown = CliRunner().invoke(main, ["--help"]).output
    places = [shown.index(f"\n{title}:\n") for title in listed]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "words", [(), *[(name,) for name, one in main.commands.items() if isinstance(one, click.Group)]]
)
def test_a_list_of_commands_says_what_each_does_in_a_line(words: tuple[str, ...]) -> None:
    """Whole, within 80 columns, as a sentence."""
    shown = CliRunner().invoke(main, [*words, "--help"], terminal_width=80).output
    lines = re.findall(r"^  ([\w-]+)  +(\S.*)$", shown.partition("Show this message")[2], re.M)
    assert lines
    assert [one for one in lines if not one[1].endswith(".") or one[1].endswith("...")] == []


def test_an_error_that_leads_back_to_itself_is_searched_once() -> None:
    first, second = ValueError(), KeyError()
    first.__cause__, second.__cause__ = second, first
    assert signals.interruption(first) is None
    second.__cause__ = interrupted = signals.Interrupted(15)
    assert signals.interruption(first) is interrupted
