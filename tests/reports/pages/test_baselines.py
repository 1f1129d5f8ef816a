"""The slate beside lists without a model: hits kept apart from what was expected of them."""

from typing import Any

import pytest

from tracker.reports.pages import baselines
from tracker.reports.pages.figures import Intervals
from tracker.reports.pages.lead import Lead
from tracker.reports.records import Section
from tracker.rows import Rows

LEAD = Lead("prospective", "novel")
KEY = {"evidence_window": "prospective", "population": "novel", "tier": "high"}


def section(view: str, *records: dict[str, Any]) -> Section:
    columns = list(records[0])
    rows = Rows(columns, [tuple(one[name] for name in columns) for one in records])
    return Section(view, "", "", "", rows)


def listed(ranker: str, pairs: float, hits: float, expected: float | None) -> dict[str, Any]:
    return KEY | {
        "ranker": ranker,
        "listed_pairs": pairs,
        "listed_hits": hits,
        "expected_hits": expected,
        "enrichment_vs_matched": None,
    }


def own(hits: int, expected: float | None, ratio: float | None) -> Section:
    figures = {"n_predictions": 20, "n_hits": hits, "expected_hits": expected}
    return section("enrichment_vs_matched", KEY | figures | {"enrichment_vs_matched": ratio})


LISTS = section(
    "leak_alarm",
    listed("random", 20, 2, 2.0),
    listed("known pairs", 0, 0, None),
    listed("degree product", 20, 7.5, 5.0),
    listed("nearest neighbours", 20, 6.5, 4.0) | {"enrichment_vs_matched": 1.625},
    listed("popularity", 20, 9.25, 9.25),
)


def test_the_slate_goes_first_then_the_most_popular_drugs() -> None:
    drawing = baselines.drawing([own(8, 4.0, 2.0), LISTS], LEAD)
    assert drawing is not None
    assert isinstance(drawing.figure, Intervals)
    assert [(one.row, one.value, one.note) for one in drawing.figure.estimates] == [
        ("the slate", 8, "8 hits, 2.00 times"),
        ("the slate", 4.0, "4.0 expected"),
        ("the most popular drugs", 9.25, "9.2 hits"),
        ("the most popular drugs", 9.25, "9.2 expected"),
        ("drugs of similar diseases", 6.5, "6.5 hits"),
        ("drugs of similar diseases", 4.0, "4.0 expected"),
        ("drugs and diseases with most known pairs", 7.5, "7.5 hits"),
        ("drugs and diseases with most known pairs", 5.0, "5.0 expected"),
        ("pairs at random", 2, "2 hits"),
        ("pairs at random", 2.0, "2.0 expected"),
    ]
    assert drawing.finding == (
        "The slate's 20 predictions of the high tier found 8 hits where 4.0 were expected of "
        "equally popular drugs; an equally long list of the most popular drugs finds 9.2 hits."
    )


def test_a_ratio_that_is_not_known_is_not_stated() -> None:
    drawing = baselines.drawing([own(1, 0.5, None), LISTS], LEAD)
    assert drawing is not None
    assert isinstance(drawing.figure, Intervals)
    assert drawing.figure.estimates[0].note == "1 hit"


@pytest.mark.parametrize(
    "sections",
    [[], [own(0, None, None), LISTS], [own(8, 4.0, 2.0)]],
    ids=["nothing", "no expectation", "no lists"],
)
def test_without_anything_to_compare_there_is_no_chart(sections: list[Section]) -> None:
    assert baselines.drawing(sections, LEAD) is None


def test_the_sentence_keeps_hits_apart_from_what_was_expected() -> None:
    said = " A list as long of the most popular drugs finds 9.2 hits, "
    assert baselines.beside([LISTS], LEAD, "high") == (
        f"{said}as popularity predicts; one of similar diseases' drugs 6.5 hits "
        "(1.62 times those expected)."
    )
    better = section("leak_alarm", listed("popularity", 20, 9.25, 6.0))
    assert baselines.beside([better], LEAD, "high") == (f"{said}where 6.0 were expected.")


def test_a_list_of_another_endpoint_is_not_compared() -> None:
    assert baselines.beside([LISTS], LEAD, "moderate") == ""
    assert baselines.beside([LISTS], Lead("all", "novel"), "high") == ""
