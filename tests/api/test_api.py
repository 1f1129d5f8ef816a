"""The Python interface: frames in and out, the answers of the commands, clear refusals."""

import shutil
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import altair as alt
import click
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support import as_json, printed, ran, sampled, tracker_on

import tracker
from tracker.api import frames, instants
from tracker.api.benchmarks import Benchmark
from tracker.api.candidates import Candidates
from tracker.api.ingesting import Ingest
from tracker.api.loading import Load
from tracker.api.log import Log
from tracker.api.reports import Report
from tracker.api.rounds import Rounds
from tracker.api.studies import Backtest, Retrospective
from tracker.api.timestamps import Timestamps
from tracker.cli import main
from tracker.errors import InputRefused, ProblemsFound, StoreBusy, TrackerError
from tracker.figures import WINDOWS, Window
from tracker.reports import kinds
from tracker.reports.pages.page import Page
from tracker.rows import Rows
from tracker.store import dictionary

SPRING, AUTUMN = "5c9f4a52", "a07e1f36"
NAMES = ["disease_name", "drug_name"]

# The commands whose name in Python differs.
ELSEWHERE = {
    "slate freeze": "freeze",
    "slate import": "import_slates",
    "benchmark import": "benchmark.import_export",
    "slate list": "slates",
    "candidate list": "candidates.sets",
    "candidate seal": "candidates.seal",
    "slate show": "slate.frozen",
    "outcome annul": "annul",
    "outcome list": "slate.outcomes",
    "outcome show": "outcome",
    "release list": "releases",
    "backtest list": "backtests",
    "timestamp list": "timestamps.tokens",
    "timestamp trust": "timestamps.trust",
    "view": "views",
    "refresh detect": "detect",
    "refresh doctor": "doctor",
    "refresh fetch": "fetch",
    "report": "slate.report",
    "report estimate": "estimate",
    "scoreboard": "slate.scoreboard",
    # Of a store that is opened with `spark`.
    "spark evaluate": "retrospective.evaluate",
    "spark freeze": "freeze",
}
# Opening for writing is init; a site is verified without a store, and keys and witnesses need none,
# nor do teams that try a submission; demos show the commands.
WITHOUT_STORE = {"init", "demo", "benchmark demo", "log key", "log witness", "round check"}
OWNERS: dict[str, type] = {
    "slate": tracker.Slate,
    "candidates": Candidates,
    "load": Load,
    "log": Log,
    "round": Rounds,
    "ingest": Ingest,
    "retrospective": Retrospective,
    "backtest": Backtest,
    "benchmark": Benchmark,
    "timestamps": Timestamps,
}


def _commands(group: click.Group, words: tuple[str, ...] = ()) -> list[str]:
    found = []
    for name, command in group.commands.items():
        own = (*words, name)
        if isinstance(command, click.Group):
            found += _commands(command, own)
        # A report and a refresh have subcommands beside what they do themselves.
        if not isinstance(command, click.Group) or command.invoke_without_command:
            found.append(" ".join(own))
    return found


@pytest.mark.parametrize("command", sorted({*_commands(main)} - WITHOUT_STORE))
def test_what_a_command_does_can_be_done_in_python(command: str) -> None:
    path = ELSEWHERE.get(command, command.replace(" ", ".")).split(".")
    owner = tracker.Store if len(path) == 1 else OWNERS[path[0]]
    assert getattr(owner, path[-1]).__doc__


def test_the_interface_is_imported_without_what_its_methods_need() -> None:
    slow = ("tracker.extras", "pandas", "scipy", "cryptography", "filelock", "alembic", "altair")
    script = "import tracker, sys; tracker.open; print(*sys.modules)"
    imported = printed(ran(sys.executable, "-c", script)).split()
    assert not [name for name in imported if name.startswith(slow)]


@pytest.fixture
def world(demo_store: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(demo_store, tmp_path / "demo.duckdb"))


def pairs(n_diseases: int = 3, n_drugs: int = 4) -> dict[str, list[Any]]:
    found = [(f"disease {d}", f"drug {n}") for d in range(n_diseases) for n in range(n_drugs)]
    return {
        "disease_name": [disease for disease, _ in found],
        "drug_name": [drug for _, drug in found],
        "score": [1 / (number + 1) for number in range(len(found))],
    }


MAKE: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
}
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.Table}


@pytest.mark.slow
@pytest.mark.parametrize("library", MAKE)
def test_frames_go_in_and_come_out(library: Any, db: Path) -> None:
    with tracker.open(db, write=True, frames=library) as opened:
        data = MAKE[library](pairs())
        loaded = opened.load.candidates(data, "whole", "v1")
        assert (loaded.n_added, loaded.n_new_drugs, loaded.n_new_diseases) == (12, 4, 3)
        assert opened.load.candidates(data, "whole", "v1").n_added == 0
        slate = opened.freeze(candidates="whole", top_k=2, min_score=0)
        found = opened.sql("select rank, score from prediction order by score desc")
        for frame in (found, slate.predictions, slate.report()["tier_hit_rate"], opened.slates):
            assert isinstance(frame, KINDS[library])
    columns = (
        found.to_dict("list")
        if library == "pandas"
        else found.to_pydict()
        if (library == "arrow")
        else found.to_dict(as_series=False)
    )
    # The best two of each disease, whose scores are 1/1 to 1/4, 1/5 to 1/8 and 1/9 to 1/12.
    assert columns == {"rank": [1, 2, 1, 2, 1, 2], "score": [1, 1 / 2, 1 / 5, 1 / 6, 1 / 9, 1 / 10]}


def test_an_index_and_a_null_are_no_data(db: Path) -> None:
    frame = pd.DataFrame(pairs(), index=[f"row {number}" for number in range(12)])
    frame["disease_id"] = [None] * 12
    with tracker.open(db, write=True) as opened:
        assert opened.load.candidates(frame, "whole", "v1").n_added == 12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": ["a"] + [0.5] * 11}, "index 0, column score: 'a' is not a number"),
        ({"score": [np.nan] + [0.5] * 11}, "index 0: score is empty"),
        ({"drug_name": [""] + ["x"] * 11}, "index 0: drug_name is empty"),
        ({"scores": [0.5] * 12}, "scores"),
    ],
)
def test_bad_frames_are_refused_by_row_and_column(
    change: dict[str, list[Any]], message: str, db: Path
) -> None:
    with tracker.open(db, write=True) as opened:
        before = db.read_bytes()
        with pytest.raises(ProblemsFound, match=message) as refused:
            opened.load.candidates(pd.DataFrame(pairs() | change), "whole", "v1")
        assert str(refused.value).startswith("candidates (data frame)")
        assert str(db.parent) not in str(refused.value)
    assert db.read_bytes() == before


@pytest.mark.parametrize("data", [17, None, object()])
def test_what_is_no_table_is_refused(data: object, db: Path) -> None:
    with (
        tracker.open(db, write=True) as opened,
        pytest.raises(InputRefused, match="the candidates are not a table"),
    ):
        opened.load.candidates(data, "whole", "v1")


@pytest.mark.parametrize(
    ("library", "double"),
    [("pandas", np.dtype("float64")), ("polars", pl.Float64), ("arrow", pa.float64())],
)
def test_a_column_of_numbers_is_one_where_all_are_missing(
    library: frames.Library, double: object
) -> None:
    made = frames.of(Rows(["name", "low"], [("a", None), ("b", None)]), library, ("low",))
    kind = made.schema.field("low").type if library == "arrow" else made["low"].dtype
    assert kind == double
    assert frames.of(Rows(["low"], [(0.5,), (None,)]), library, ("low",))["low"][0] in (
        0.5,
        pa.scalar(0.5),
    )


@pytest.mark.slow
def test_a_report_has_the_figures_of_the_command(world: Path) -> None:
    expected = as_json(tracker_on(world), "report", SPRING)
    with tracker.open(world) as opened:
        report = opened.slate(SPRING).report()
    assert report.sections == list(expected["sections"])
    assert report.warnings == expected["warnings"] == list(report["warnings"]["warning"])
    for name in ("tier_hit_rate", "enrichment_vs_matched"):
        frame = report[name].astype(object)
        records = frame.where(frame.notna(), None).to_dict("records")
        assert records == expected["sections"][name]
    assert report.verdict == "Too early to say by its plan"
    assert report.certainty
    assert str(report) == tracker_on(world)("report", SPRING).stdout
    names = ["figure", "value", "low", "high", "in_words", "how_certain"]
    assert list(report.headlines.columns) == names
    figures = report.headlines.set_index("figure")
    rates = report["tier_hit_rate"]
    own = (rates["evidence_window"] == "prospective") & (rates["population"] == "novel")
    rates = rates[own].set_index("tier")
    assert figures["value"]["hit rate, high tier"] == rates["hit_rate"]["high"]
    for limit in ("low", "high"):
        assert figures[limit]["hit rate, high tier"] == rates[limit]["high"]
    # A count: the interval in words is that of its rate.
    hits = figures.loc["prospective hits, novel pairs"]
    assert (hits["value"], hits["in_words"]) == (
        rates["n_hits"]["all"],
        f"{rates['n_hits']['all']} of {rates['n_predictions']['all']}",
    )
    assert np.isnan(hits["low"])
    assert len(figures) == 5
    _are_the_headline_figures(report.figures, report, world)


def _are_the_headline_figures(figures: Any, report: tracker.Report, world: Path) -> None:
    """One row for each metric, window, population and tier, as in the view of that name."""
    keys = ["metric", "evidence_window", "population", "tier"]
    assert not figures.duplicated(keys).any()
    assert {*figures.columns} <= dictionary.columns().keys()
    with duckdb.connect(str(world), read_only=True) as connection:
        stored = connection.sql(
            "select metric, evidence_window, population, tier, value from headline_figure "
            "where starts_with(cast(slate_id as varchar), $slate)",
            params={"slate": SPRING},
        ).fetchall()
    found = {tuple(row[:4]): row[4] for row in figures.itertuples(index=False)}
    expected = {tuple(row[:4]): row[4] for row in stored}
    assert expected.keys() == found.keys()
    for key, value in expected.items():
        assert found[key] == value or (value is None and np.isnan(found[key])), key
    rates = report["tier_hit_rate"]
    chosen = figures[figures["metric"] == "hit_rate"].merge(rates, on=keys[1:])
    assert len(chosen) == len(rates)
    assert chosen["low_x"].equals(chosen["low_y"])


def test_a_store_that_another_connection_of_this_program_reads_is_busy(db: Path) -> None:
    said = "is open in this program by another connection of DuckDB; close it"
    with duckdb.connect(str(db), read_only=True), pytest.raises(StoreBusy, match=said):
        tracker.open(db)
    with tracker.open(db) as opened:
        assert len(opened.slates) == 0


@pytest.mark.slow
def test_charts_can_be_changed_and_saved(world: Path, tmp_path: Path) -> None:
    with tracker.open(world) as opened:
        charts = opened.slate(SPRING).report().charts
    assert {"tier_hit_rate", "hits_by_month", "enrichment_vs_matched"} <= charts.keys()
    for name, chart in charts.items():
        assert isinstance(chart, alt.LayerChart)
        # Only a page knows the variables of its style sheet.
        assert "var(--" not in chart.to_json(), name
    charts["tier_hit_rate"].properties(title="Mine").save(tmp_path / "mine.svg")
    assert "Mine" in (tmp_path / "mine.svg").read_text()


@pytest.mark.slow
def test_a_report_in_a_notebook_escapes_its_texts(db: Path) -> None:
    with tracker.open(db, write=True) as opened:
        opened.load.candidates(pd.DataFrame(pairs()), "whole", "<script>alert(1)</script>")
        slate = opened.freeze(candidates="whole", min_score=0, description="<img src=x>")
        shown = slate.report()._repr_html_()
    assert shown is not None
    assert "<script" not in shown
    assert "<img" not in shown
    assert "&lt;script&gt;" in shown


def test_a_report_is_not_saved_over_a_folder(tmp_path: Path) -> None:
    report = Report(kinds.Report({}, [], []), screen="made by hand")
    (tmp_path / "taken.txt").mkdir()
    with pytest.raises(InputRefused, match=r"taken\.txt: cannot be written: Is a directory"):
        report.save(tmp_path / "taken.txt")
    assert [one.name for one in tmp_path.iterdir()] == ["taken.txt"]


def test_a_page_has_no_single_sections() -> None:
    report = Report(kinds.Report({}, ["made by hand"], []), drawn=Page("By hand"))
    assert "made by hand" in report.text("markdown", sections="warnings")
    with pytest.raises(InputRefused, match="html is the whole page"):
        report.text("html", sections="warnings")


@pytest.mark.slow
def test_reports_are_saved_by_their_ending(world: Path, tmp_path: Path) -> None:
    with tracker.open(world) as opened:
        report = opened.slate(SPRING).report()
        compared = opened.compare(SPRING, AUTUMN)
        board = opened.leaderboard()
    for made in (report, compared, board):
        for ending, start in (("html", "<!doctype html>"), ("json", "{"), ("md", "# ")):
            path = made.save(tmp_path / f"report.{ending}")
            assert path.read_text(encoding="utf-8").startswith(start)
    with pytest.raises(InputRefused, match=r"name a file with \.html"):
        report.save(tmp_path / "report.docx")
    with pytest.raises(InputRefused, match="no such folder"):
        report.save(tmp_path / "absent" / "report.html")
    with pytest.raises(InputRefused, match="did you mean 'tier_hit_rate'"):
        _ = report["tier_hit_rates"]
    with pytest.raises(InputRefused, match="there is no 'pdf'"):
        report.text("pdf")  # type: ignore[arg-type] # refused at run time, too


@pytest.mark.slow
def test_a_past_day_is_read_as_it_was(world: Path) -> None:
    """The demo detected today: yesterday it knew nothing."""
    with tracker.open(world, as_of=date(2020, 1, 1)) as opened:
        assert len(opened.slate(SPRING).outcomes) == 0
    with tracker.open(world) as opened:
        assert len(opened.slate(SPRING).outcomes) > 0


def test_a_store_is_read_only_unless_it_is_opened_for_writing(world: Path, tmp_path: Path) -> None:
    before = world.read_bytes()
    with tracker.open(world) as opened:
        writes: list[Callable[[], Any]] = [
            lambda: opened.load.candidates(pd.DataFrame(pairs()), "x", "v1"),
            lambda: opened.freeze(candidates="world"),
            lambda: opened.detect(),
            lambda: opened.slate(SPRING).estimate(),
            lambda: opened.retrospective.evaluate(candidates="world", labels="known"),
        ]
        for write in writes:
            with pytest.raises(InputRefused, match="is open for reading"):
                write()
        with pytest.raises(InputRefused, match="only queries are run"):
            opened.sql("drop table slate")
    assert world.read_bytes() == before
    with pytest.raises(InputRefused, match="store not found"):
        tracker.open(tmp_path / "absent.duckdb")
    with pytest.raises(InputRefused, match="a past day cannot be written"):
        tracker.open(world, write=True, as_of="2026-01-01")
    with pytest.raises(InputRefused, match="choose one of pandas, polars, arrow"):
        tracker.open(world, frames="numpy")  # type: ignore[arg-type]  # what a user might write


@pytest.mark.slow
def test_a_second_handle_of_a_program_is_closed_before_a_write(world: Path) -> None:
    """DuckDB would give the old file to both: a stale figure is worse than an error."""
    with tracker.open(world, write=True) as opened, tracker.open(world) as other:
        n_before = len(other.slates)
        with pytest.raises(StoreBusy, match="open elsewhere in this program"):
            opened.freeze(candidates="world", labels="known")
        other.close()
        opened.freeze(candidates="world", labels="known")
        assert len(opened.slates) == len(other.slates) == n_before + 1


def test_the_interface_is_what_is_named() -> None:
    """Without what its module imports; a type checker finds the types."""
    assert dir(tracker) == sorted(tracker.__all__)
    assert (Path(tracker.__file__).parent / "py.typed").exists()


@pytest.mark.slow
def test_predictions_have_their_first_event_and_where_it_is_recorded(demo_registry: Path) -> None:
    with tracker.open(demo_registry) as opened:
        for slate in opened.slates["slate_id"]:
            found = opened.slate(slate).predictions
            hits = found[found["is_hit"]]
            assert len(hits) > 0
            assert found.loc[~found["is_hit"], "hit_event"].isna().all()
            assert hits["hit_date"].notna().all()
            expected = "https://clinicaltrials.gov/study/" + hits["hit_record"]
            assert (hits["hit_url"] == expected).all()
            assert found["is_novel"].any()


@pytest.mark.slow
def test_a_slate_answers_what_the_commands_do(world: Path, tmp_path: Path) -> None:
    with tracker.open(world, write=True) as opened:
        slate = opened.slate(SPRING)
        assert slate.verify() == slate.facts["content_sha256"]
        assert slate.assess().verdict == "too early"
        assert slate.assess()._repr_html_().startswith("<pre>")
        assert len(slate.predictions) == slate.facts["n_predictions"]
        assert set(slate.coverage().sections) >= {"coverage", "unseen_name"}
        assert slate.estimate() > 100
        assert slate.record() > 10
        assert len(slate.scoreboard()) > 0
        assert len(slate.due(months=60)) > 0
        assert slate.due("5y").equals(slate.due(days=0, months=60))
        assert opened.due(within="5y").equals(opened.due(days=0, months=60))
        assert (slate.export(tmp_path / "out") / "manifest.json").exists()
        with pytest.raises(InputRefused, match="no label set"):
            opened.freeze(candidates="world", labels="unknown")


@pytest.mark.slow
def test_evaluations_and_baselines(world: Path) -> None:
    with tracker.open(world, write=True) as opened:
        report = opened.retrospective.evaluate(candidates="world", labels="known")
        assert {"auc"} <= set(report.sections)
        assert 0 <= report["auc"]["auc"].iloc[0] <= 1
        baseline = opened.freeze(
            candidates="world", labels="known", ranker="popularity", description="baseline"
        )
        compared = opened.compare(SPRING, baseline)
        assert "comparison" in compared.sections
        with pytest.raises(InputRefused, match="needs labels"):
            opened.freeze(candidates="world", ranker="popularity")
        with pytest.raises(InputRefused, match="two slates or more"):
            opened.compare(SPRING)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2026-01-31", datetime(2026, 1, 31, 23, 59, 59, 999999, UTC)),
        ("20260131", datetime(2026, 1, 31, 23, 59, 59, 999999, UTC)),
        ("2026W056", datetime(2026, 1, 31, 23, 59, 59, 999999, UTC)),
        ("20260131T12", datetime(2026, 1, 31, 12, tzinfo=UTC)),
        (date(2026, 1, 31), datetime(2026, 1, 31, 23, 59, 59, 999999, UTC)),
        ("2026-01-31T12:00:00+02:00", datetime(2026, 1, 31, 10, tzinfo=UTC)),
        (datetime(2026, 1, 31, 12), datetime(2026, 1, 31, 12, tzinfo=UTC)),
        # pandas and NumPy have no type of a day other than its midnight.
        (pd.Timestamp("2026-01-31"), datetime(2026, 1, 31, 23, 59, 59, 999999, UTC)),
        (np.datetime64("2026-01-31"), datetime(2026, 1, 31, 23, 59, 59, 999999, UTC)),
        (pd.Timestamp("2026-01-31 12:00"), datetime(2026, 1, 31, 12, tzinfo=UTC)),
        (pd.Timestamp("2026-01-31", tz="UTC"), datetime(2026, 1, 31, tzinfo=UTC)),
    ],
)
def test_a_day_is_its_end_and_an_instant_has_a_zone(given: Any, expected: datetime) -> None:
    assert instants.end_of(given) == expected


@pytest.mark.parametrize(
    "given",
    [
        "yesterday",
        "2026-02-30",
        "",
        20260131,
        None,
        pd.NaT,
        "9999-12-31T23:00:00-05:00",
        datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-5))),
    ],
)
def test_what_is_no_day_is_refused(given: Any) -> None:
    with pytest.raises(TrackerError, match="is not a date"):
        instants.end_of(given)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda one: one.report(window="prospectiv"),
            "window: there is no 'prospectiv'; choose one of all, prospective; "
            "did you mean 'prospective'?",
        ),
        (
            lambda one: one.report(population="nov"),
            "population: there is no 'nov'; choose one of all, novel; did you mean 'novel'?",
        ),
        (
            lambda one: one.scoreboard(window="zzz"),
            "window: there is no 'zzz'; choose one of all, prospective",
        ),
        (lambda one: one.scoreboard(population="none"), "population: there is no 'none'"),
        (lambda one: one.scoreboard(tier="top"), "tier: there is no 'top'"),
        (lambda one: one.scoreboard("hit_rates"), "did you mean 'hit_rate'?"),
        (lambda one: one.compare(AUTUMN, tier="hig"), "tier: there is no 'hig'"),
        (lambda one: one.compare(AUTUMN, population="old"), "population: there is no 'old'"),
        (lambda one: one.due(days=-1), "days: '-1' is not a whole number from 0 to 365,000"),
        (lambda one: one.due(months=0.5), "months: '0.500000' is not a whole number"),
        (lambda one: one.due("soon"), "'soon' is not a time such as 90d, 12w, 6m or 2y"),
        (lambda one: one.explain("soon"), "since: 'soon' is not a date"),
        (lambda one: one.assess().text("tabel"), "form: there is no 'tabel'"),
        (lambda one: one.assess().text("tabel", sections="warnings"), "form: there is no 'tabel'"),
        (lambda one: one.assess().text(sections="warning"), "did you mean 'warnings'?"),
        (
            lambda one: one.opened.benchmark.leaderboard("b", track="tst"),
            "track: there is no 'tst'",
        ),
        (
            lambda one: one.opened.benchmark.define("b", kind="regresion"),
            "did you mean 'regression'?",
        ),
        (lambda one: one.opened.benchmark.define("b", preset="gdp"), "preset: there is no 'gdp'"),
        (
            lambda one: one.opened.benchmark.define("b", kind="ordinal", n_classes=1),
            "n_classes: '1' is not a whole number from 2 to 1,000",
        ),
        (
            lambda one: one.opened.benchmark.submit("b", None, submitter="x", track="tst"),
            "track: there is no 'tst'",
        ),
        (
            lambda one: one.opened.load.candidates(None, "c", "m", shared_ids="merg"),
            "did you mean 'merge'?",
        ),
        (lambda one: one.opened.freeze(candidates="c", top_k=0), "top_k: '0' is not a whole"),
        (
            lambda one: one.opened.freeze(candidates="c", replay_as_of="15.2.2026"),
            "replay_as_of: '15.2.2026' is not a date (YYYY-MM-DD)",
        ),
        (
            lambda one: one.opened.retrospective.evaluate(
                candidates="c", labels="l", positive_min_label=9
            ),
            "positive_min_label: '9' is not a whole number from 1 to 4",
        ),
    ],
)
def test_what_an_argument_does_not_take_is_refused_in_one_line(
    ask: Callable[[tracker.Slate], object], message: str, demo_store: Path
) -> None:
    with tracker.open(demo_store) as opened, pytest.raises(InputRefused) as refused:
        ask(opened.slate(SPRING))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.slow
def test_a_slate_is_found_by_its_uuid(demo_store: Path) -> None:
    with tracker.open(demo_store) as opened:
        slate = opened.slate(SPRING)
        assert opened.slate(slate.slate_id) == slate
        assert opened.compare(slate.slate_id, opened.slate(AUTUMN).slate_id).sections
        assert opened.log.prove(slate.slate_id)


@pytest.mark.slow
@pytest.mark.parametrize(
    "day",
    sampled(
        ["2026-02-15", date(2026, 2, 15), datetime(2026, 2, 15), pd.Timestamp("2026-02-15")], 4
    ),
)
def test_a_day_is_taken_in_every_form(day: Any, db: Path) -> None:
    with tracker.open(db, write=True) as opened:
        opened.load.candidates(pd.DataFrame(pairs()), "whole", "v1")
        slate = opened.freeze(candidates="whole", min_score=0, replay_as_of=day)
        assert slate.facts["frozen_on"] == date(2026, 2, 15)


@pytest.mark.slow
def test_a_query_gives_a_frame_with_the_names_of_its_columns(world: Path) -> None:
    with tracker.open(world) as opened:
        found = opened.sql("select count(*) as n, null as nothing from prediction")
        assert list(found.columns) == ["n", "nothing"]
        assert found["n"].iloc[0] > 700
        assert "tier_hit_rate" in set(opened.views["view"])
        with pytest.raises(InputRefused, match="two columns"):
            opened.sql("select 1 as a, 2 as a")


@pytest.mark.slow
def test_a_benchmark_is_scored_from_frames(db: Path) -> None:
    items = [f"item {number}" for number in range(40)]
    truth = pd.DataFrame({"item": items, "y": [number / 40 for number in range(40)]})
    targets = pd.DataFrame({"target": ["y"], "direction": ["higher"]})
    with tracker.open(db, write=True) as opened:
        benchmarks = opened.benchmark
        assert benchmarks.define("b", truth=truth, targets=targets, kind="regression").is_new
        assert len(benchmarks.template("b")) == 40
        good = truth.assign(y=truth["y"] + 0.01)
        done = benchmarks.submit(
            "b", good, submitter="good", track="test", model="m", trained_until=date(2023, 6, 30)
        )
        benchmarks.submit(
            "b", good.assign(y=good["y"][::-1].to_numpy()), submitter="bad", track="test"
        )
        board = benchmarks.leaderboard("b")
        assert list(board["submitter"]) == ["good", "bad"]
        assert list(board["spearman_rank"]) == [1, 2]
        assert board["model"][0] == "m"
        assert str(board["trained_until"][0]).startswith("2023-06-30")
        assert list(benchmarks.leaderboard("b", target="y")["submitter"]) == ["good", "bad"]
        report = benchmarks.score(done.submission_id)
        assert report["regression_summary"]["mean_spearman"].iloc[0] == pytest.approx(1)
        assert report.text("html").startswith("<!doctype html>")
        assert "mean_spearman" in report.text("csv")
        assert benchmarks.estimate(done.submission_id) > 0
        benchmarks.verify()
        with pytest.raises(ProblemsFound, match=r"submission \(data frame\), index 0, column y"):
            benchmarks.submit(
                "b", good.assign(y=["x", *good["y"][1:]]), submitter="x", track="test"
            )


def test_what_commands_show_comes_as_frames(world: Path, tmp_path: Path) -> None:
    with tracker.open(world, write=True) as opened:
        slate = opened.slate(AUTUMN)
        assert list(slate.frozen.columns[:3]) == ["disease_name", "rank", "drug_name"]
        assert len(slate.frozen) == len(slate.predictions)
        assert set(opened.hash_checks().verdict) == {"as frozen"}
        assert opened.hash_checks(slate).slate_id.tolist() == [str(slate)]
        assert not any(opened.findings().values())
        assert opened.check().empty
        assert [one.is_new for one in opened.attach(slate, labels="known")] == [False]
        done = opened.estimate(slate)
        assert [*zip(done.kind, done.id, strict=True)] == [("slate", str(slate))]
        folder = slate.export(tmp_path / "exported")
    with tracker.open(tmp_path / "other.duckdb", write=True) as other:
        assert [one.is_new for one in other.import_folder(folder)] == [True]
        assert [str(one) for one in other.import_slates(folder)] == [str(slate)]


@pytest.mark.parametrize("window", [None, *WINDOWS])
def test_a_screen_is_the_text_that_a_report_has_for_a_terminal(
    world: Path, window: Window | None
) -> None:
    with tracker.open(world) as opened:
        for slate_id in opened.slates["slate_id"]:
            slate = opened.slate(slate_id)
            assert slate.screen(window=window) == str(slate.report(window=window))
