"""tracker compare on the demo's registry: which slate predicts better, how sure, on what."""

import re
import shutil
from pathlib import Path

import pytest
from support import WORLD, Tracker, answer, as_json, ok, tracker_on

from tracker import store

# Of a fictional model that works, of one that does not, and of one that popularity explains.
LODESTAR, MIRAGE, ALMANAC = "4be1d0c2", "9c27e5f8", "d58f3a16"
# Of the first model, frozen later.
LATER = "e70b94d3"


@pytest.fixture
def run(demo_registry: Path) -> Tracker:
    return tracker_on(demo_registry)


@pytest.mark.slow
def test_which_is_better_how_sure_and_on_which_diseases(run: Tracker) -> None:
    shown = ok(run("compare", LODESTAR, MIRAGE))
    assert " ".join(shown.stdout.split("\n\n")[1].split()).startswith(
        "Beyond popularity, 4be1d0c2 (lodestar-1) leads 9c27e5f8 (mirage-1): of 215 novel "
        "predictions of the high tier each, 42 of 4be1d0c2 and 4 of 9c27e5f8 came true, 2.64 and "
        "0.14 times as many as equally popular drugs would have. The ratio is 18.74, 95% interval "
        "5.39 to 65.12 (p = 4e-06)."
    )
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert "Hits that only one slate has" in shown.stdout
    assert "NCT80000002" in shown.stdout


@pytest.mark.slow
def test_the_figures_are_those_of_the_view(run: Tracker, demo_registry: Path) -> None:
    found = as_json(run, "compare", LODESTAR, MIRAGE)
    (one,) = found["sections"]["comparison"]
    with store.reader(demo_registry) as connection:
        (row,) = answer(
            connection,
            f"from comparison where starts_with(slate_id::varchar, '{LODESTAR}') "
            f"and starts_with(versus_slate_id::varchar, '{MIRAGE}') "
            "and population = 'novel' and tier = 'high'",
        )
    for name in ("n_predictions", "n_hits", "n_versus_hits", "hit_rate_difference"):
        assert one[name] == getattr(row, name)
    assert one["enrichment_ratio"] == pytest.approx(row.enrichment_ratio, abs=1e-12)
    assert one["low_enrichment_ratio"] < one["enrichment_ratio"] < one["high_enrichment_ratio"]
    diseases = found["sections"]["comparison_disease"]
    assert sum(disease["n_hits"] for disease in diseases) == row.n_hits
    sole = [hit["slate_id"][:8] for hit in found["sections"]["sole_hit"]]
    assert sole.count(LODESTAR) == row.n_hits - row.n_shared_hits
    assert sole.count(MIRAGE) == row.n_versus_hits - row.n_shared_hits


@pytest.mark.slow
def test_the_other_way_round_is_the_same(run: Tracker) -> None:
    def one(*slates: str) -> dict[str, float]:
        told = as_json(run, "compare", *slates, "--population", "all", "--tier", "all")
        (found,) = told["sections"]["comparison"]
        return dict(found)

    there, back = one(LODESTAR, MIRAGE), one(MIRAGE, LODESTAR)
    assert back["hit_rate_difference"] == -there["hit_rate_difference"]
    assert back["enrichment_ratio"] == pytest.approx(1 / there["enrichment_ratio"], rel=1e-12)
    assert back["low_enrichment_ratio"] == pytest.approx(1 / there["high_enrichment_ratio"])
    for figure in ("hit_rate_difference", "enrichment_ratio"):
        assert back[f"p_value_{figure}"] == pytest.approx(there[f"p_value_{figure}"])


@pytest.mark.slow
def test_more_hits_by_popularity_are_not_better_prediction(run: Tracker) -> None:
    """The popular drugs of one slate have more hits, but are their own baseline."""
    found = as_json(run, "compare", ALMANAC, LODESTAR)
    (one,) = found["sections"]["comparison"]
    assert one["n_hits"] > one["n_versus_hits"]
    assert (one["enrichment"], one["enrichment_ratio"]) == (None, None)
    assert one["versus_enrichment"] > 2
    assert found["comparison"]["verdicts"][0].startswith("No difference between d58f3a16")
    assert any("no fair comparison" in line for line in found["warnings"])
    _, other = as_json(run, "compare", ALMANAC, LODESTAR, MIRAGE)["comparison"]["verdicts"][1:]
    assert other.startswith("Beyond popularity, 4be1d0c2 (lodestar-1) leads 9c27e5f8")


@pytest.mark.slow
def test_slates_of_other_days_are_compared_over_their_common_window(run: Tracker) -> None:
    """The second slate lists what the first does: in the months they share, the same figure."""
    found = as_json(run, "compare", LODESTAR, LATER)
    (one,) = found["sections"]["comparison"]
    assert one["starts_on"] == "2025-02-03"
    assert one["n_shared"] == one["n_predictions"]
    assert one["enrichment"] == one["versus_enrichment"] == pytest.approx(3.0, abs=1e-3)
    assert one["enrichment_ratio"] == 1


@pytest.mark.slow
def test_what_makes_slates_unlike_is_said(run: Tracker) -> None:
    """Another day of freezing, other candidates; not where both are the same."""

    def warnings(*slates: str) -> str:
        return " ".join(as_json(run, "compare", *slates)["warnings"])

    later = warnings(LODESTAR, LATER)
    assert f"{LATER} (lodestar-1) was frozen 154 days after {LODESTAR} (lodestar-1)" in later
    assert "different" not in later
    alike = warnings(LODESTAR, MIRAGE)
    assert "frozen" not in alike
    assert "different" not in alike


@pytest.mark.slow
def test_other_candidates_and_labels_are_said(empty_store: Path, tmp_path: Path) -> None:
    run = tracker_on(Path(shutil.copy(empty_store, tmp_path / "store.duckdb")))
    lines = (WORLD / "candidates.csv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "half.csv").write_text("\n".join(lines[: len(lines) // 2]), encoding="utf-8")
    for words in (
        f"load candidates {WORLD}/candidates.csv --set world --model m",
        f"load labels {WORLD}/labels.csv --set known",
        "slate freeze --candidates world --labels known --description first",
        f"load candidates {tmp_path}/half.csv --set half --model m",
        f"load labels {WORLD}/labels.csv --set again",
        "slate freeze --candidates half --labels again --description second",
    ):
        assert run(*words.split()).exit_code == 0
    listed = as_json(run, "slate", "list")
    shown = as_json(run, "compare", *[one["slate_id"] for one in listed])
    assert "have different labels and candidates" in " ".join(shown["warnings"])


@pytest.mark.slow
def test_several_slates_share_the_error(run: Tracker) -> None:
    """p values are adjusted over the pairs of slates by Holm's method."""
    rows = as_json(run, "compare", LODESTAR, MIRAGE, ALMANAC)["sections"]["comparison"]
    assert len(rows) == 3
    ordered = sorted(row["p_value_hit_rate_difference"] for row in rows)
    adjusted = sorted(row["p_adjusted_hit_rate_difference"] for row in rows)
    assert adjusted[0] == pytest.approx(min(1, 3 * ordered[0]))
    assert adjusted[1] == pytest.approx(min(1, max(2 * ordered[1], adjusted[0])))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["html", "markdown"])
def test_a_page(form: str, run: Tracker, tmp_path: Path) -> None:
    path = tmp_path / "page"
    ok(run("compare", LODESTAR, MIRAGE, "--format", form, "-o", str(path)))
    page = path.read_text(encoding="utf-8")
    for words in ("4be1d0c2 is better", "ratio of enrichments: 95% interval", "Ebbing nephritis"):
        assert words in page


@pytest.mark.slow
def test_a_report_begins_with_the_comparison(run: Tracker) -> None:
    found = as_json(run, "report", LODESTAR, "--versus", MIRAGE)
    assert next(iter(found["sections"])) == "comparison"
    assert found["warnings"][0].startswith("Beyond popularity, 4be1d0c2")


@pytest.mark.slow
def test_the_page_of_a_slate_begins_with_the_comparison(run: Tracker) -> None:
    page = run("report", LODESTAR, "--versus", MIRAGE, "--format", "markdown").stdout
    views = re.findall(r"^## .*\((\w+)\)$", page, re.MULTILINE)
    assert views[:3] == ["comparison", "comparison_disease", "leak_alarm"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((LODESTAR,), 2, "give two slates or more"),
        ((LODESTAR, LODESTAR), 3, "it is given twice"),
        ((LODESTAR, "zz"), 3, "no slate begins with 'zz'"),
        ((LODESTAR, MIRAGE, "--tier", "exploratory"), 3, "no predictions of the exploratory tier"),
        ((LODESTAR, MIRAGE, "--as-of", "2024-01-01"), 3, "was frozen on 2024-09-02"),
        ((LODESTAR, MIRAGE, "--population", "old"), 2, "'old' is not one of"),
    ],
)
def test_wrong_input(words: tuple[str, ...], code: int, message: str, run: Tracker) -> None:
    shown = run("compare", *words)
    assert shown.exit_code == code
    assert message in shown.stderr
    assert shown.stdout == ""
