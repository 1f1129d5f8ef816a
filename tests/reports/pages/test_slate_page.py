"""The words of a slate's page, from reports made by hand."""

from typing import Any

import pytest
from scipy.stats import beta

from tracker.reports.kinds import Report
from tracker.reports.listing import Listings
from tracker.reports.pages import diseases, slate_listings, slate_page
from tracker.reports.pages.figures import Curves, Intervals
from tracker.reports.pages.page import Page, Verdict
from tracker.reports.records import Section
from tracker.rows import Rows

FACTS: dict[str, Any] = {
    "slate_id": "00000000-0000-0000-0000-000000000001",
    "description": "by hand",
    "model_version": "m",
    "left_out": None,
    "frozen_on": "2026-01-01",
    "date_basis": "claimed",
    "horizon_ends_on": "2028-01-01",
    "power_at_freeze": None,
    "created_at": "2026-01-01T00:00:00+00:00",
    "origin": "frozen",
    "is_replay": False,
    "candidate_set": None,
    "label_set": None,
    "n_predictions": 100,
    "n_diseases": 1,
    "n_drugs": 100,
    "n_outcomes": 10,
    "latest_outcome_recorded_at": None,
    "followed_until": None,
    "followed_in": None,
    "as_of": None,
}
NO_ROWS = Rows([], [])
NO_LISTINGS = Listings(NO_ROWS, NO_ROWS, NO_ROWS, NO_ROWS, [])


def section(view: str, *records: dict[str, Any]) -> Section:
    columns = list(records[0])
    values = [tuple(record[name] for name in columns) for record in records]
    return Section(view, view, "formula", "units", Rows(columns, values))


def page_of(*sections: Section, assessed: Report | None = None, **facts: Any) -> Page:
    return slate_page.build(Report(FACTS | facts, [], list(sections)), NO_LISTINGS, assessed)


def verdict_of(*sections: Section, **given: Any) -> Verdict:
    verdict = page_of(*sections, **given).verdict
    assert verdict is not None
    return verdict


def key(window: str, tier: str) -> dict[str, Any]:
    return {"evidence_window": window, "population": "all", "tier": tier}


def sections_with(
    n_hits: int,
    expected: float | None,
    window: str = "prospective",
    low: float | None = None,
    high: float | None = None,
    reason: str | None = None,
    **more: float | None,
) -> list[Section]:
    """Sections of 100 predictions of the high tier; `low`, `high`, `more` are the enrichment's."""
    rates = [
        key(window, tier) | {"n_predictions": 100, "n_hits": n_hits, "hit_rate": n_hits / 100}
        for tier in ("high", "all")
    ]
    enrichment = {
        "n_predictions": 100,
        "n_hits": n_hits,
        "expected_hits": expected,
        "n_other_hits": 40,
        "enrichment_vs_matched": None if expected is None else n_hits / expected,
        "reason": "the slate has no candidate set" if expected is None else reason,
        "low": low,
        "high": high,
        "method": "two-way clustered",
        **more,
    }
    return [
        section("tier_hit_rate", *rates),
        section("enrichment_vs_matched", key(window, "high") | enrichment),
    ]


@pytest.mark.parametrize(
    ("n_hits", "expected", "word"),
    [
        (10, 5.0, "Inconclusive so far"),
        (10, None, "Not known against popularity"),
        (0, 5.0, "No hit so far"),
    ],
)
def test_without_an_interval_there_is_no_word(
    n_hits: int, expected: float | None, word: str
) -> None:
    verdict = verdict_of(*sections_with(n_hits, expected))
    assert verdict.word == word
    if expected is None:
        assert "no candidate set" in verdict.certainty
    elif n_hits:
        assert f"{n_hits / expected:.2f} times as often" in verdict.sentence


def test_of_novel_predictions_the_verdict_says_so() -> None:
    """Known pairs may have come true where no novel one has, or none can be compared."""
    sections = [
        section(one.view, *[{**row, "population": "novel"} for row in one.rows.records()])
        for n_hits, expected in ((0, 5.0), (10, None))
        for one in sections_with(n_hits, expected)
    ]
    without_hit, unknown = (page_of(*pair).verdict for pair in (sections[:2], sections[2:]))
    assert without_hit is not None
    assert unknown is not None
    assert without_hit.sentence == "No novel prediction has come true after the freeze yet."
    assert unknown.sentence.startswith("10 of 100 novel predictions came true after the freeze")


@pytest.mark.parametrize(
    ("low", "high", "p_value", "words"),
    [
        (1.002, 3.0, 0.0496, "1.002 to 3.00 times, lies above 1, "),
        (
            0.3,
            0.9996,
            0.0496,
            "0.30 to 0.9996 times, lies below 1, ",
        ),
        (0.9996, 3.0, 0.0504, "0.9996 to 3.00 times, includes 1, "),
    ],
)
def test_no_limit_is_rounded_to_the_value_that_it_is_told_from(
    low: float, high: float, p_value: float, words: str
) -> None:
    found = page_of(*sections_with(10, 5.0, low=low, high=high, p_value=p_value)).verdict
    assert found is not None
    assert words in found.certainty
    assert f"(p = {p_value})" in found.certainty


def test_what_popularity_explains_is_said() -> None:
    """Predictions that are their own baseline have a reason, no ratio and no interval."""
    reason = "no fair comparison: almost every equally popular drug is itself predicted (97%)"
    sections = sections_with(
        10,
        9.8,
        reason=reason,
        enrichment_vs_matched=None,
        observed_vs_expected=10 / 9.8,
        own_share=0.97,
    )
    verdict = verdict_of(*sections)
    assert verdict.word == "Explained by popularity"
    assert "97%" in verdict.certainty
    assert "1.02 times as often as equally popular drugs" in verdict.sentence


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (1.1, 3.0, "Better than popularity so far"),
        (0.9, 3.0, "Inconclusive so far: not told from popularity"),
        (0.2, 0.8, "Worse than popularity so far"),
    ],
)
def test_the_enrichments_own_interval_goes_first(low: float, high: float, word: str) -> None:
    estimated = page_of(*sections_with(10, 5.0, low=low, high=high))
    assert estimated.verdict is not None
    assert estimated.verdict.word == word
    assert f"{low:.2f} to {high:.2f} times" in estimated.verdict.certainty
    panel = next(one for one in estimated.every_panel if one.name == "enrichment_vs_matched")
    assert panel.note.endswith("Lines are 95% intervals (two-way clustered).")


def test_too_few_drugs_for_an_interval_are_not_proof() -> None:
    reason = "too few drugs: in effect fewer than two carry the ratio"
    estimate = key("prospective", "high") | {
        "figure": "enrichment_vs_matched",
        "low": None,
        "high": None,
        "reason": reason,
    }
    judged = page_of(*sections_with(10, 5.0), section("estimate", estimate))
    assert judged.verdict is not None
    assert judged.verdict.word == f"Inconclusive so far: {reason}"
    assert judged.key_figures[3].detail == f"no interval: {reason}"


# As of an assessment whose hits are all dated.
_ALL_DATED = {
    "by_dated_evidence": None,
    "n_undated_hits": 0,
    "n_recorded_hits": 10,
    "n_given_hits": 0,
}


def test_a_verdict_that_rests_on_undated_hits_says_so_before_the_number() -> None:
    facts = _ALL_DATED | {"by_dated_evidence": "too early", "n_undated_hits": 7}
    facts |= {"overall": "works", "plan": "", "n_given_hits": 10}
    criterion = {"role": "success", "criterion": "n_hits at least 1", "state": "met"}
    assessed = Report(facts, [], [section("assessment", criterion)])
    verdict = verdict_of(*sections_with(10, 5.0, low=1.1, high=3.0), assessed=assessed)
    assert verdict.sentence.startswith(
        "Every hit rests on files alone. By dated evidence alone: too early. The 100"
    )
    assert verdict.sentence.endswith(" 7 hits rest on an undated change of ChEMBL.")


@pytest.mark.parametrize(
    ("overall", "word", "certainty", "why"),
    [
        (
            "works",
            "Works: it met its plan's success criteria",
            "Better than popularity. The 95%",
            "The 100",
        ),
        (
            "does not work",
            "Does not work: it met its plan's failure criteria",
            "Better than popularity. ",
            "The 100",
        ),
        ("explained by popularity", "Explained by popularity", "Better than", "The 100"),
        (
            "too early",
            "Too early to say by its plan",
            "Better than popularity so far. ",
            "For a reason. For another. The 100",
        ),
        (
            "inconclusive",
            "Inconclusive: the evidence is in, and leaves its plan open",
            "Better than popularity. ",
            "For a reason. The 100",
        ),
    ],
)
def test_the_plans_word_heads_the_page(overall: str, word: str, certainty: str, why: str) -> None:
    criteria = [
        {"role": "success", "criterion": "n_hits at least 1", "state": "met"},
        {"role": "success", "criterion": "score_gap above 0", "state": "too early"},
        {"role": "failure", "criterion": "score_gap below 0", "state": "not met"},
    ]
    facts = {"overall": overall, "plan": "frozen with the slate", **_ALL_DATED}
    awaited = ["Too early: for a reason.", "Too early: for another: it comes by itself."]
    warnings = awaited if overall == "too early" else ["for a reason."]
    assessed = Report(facts, warnings, [section("assessment", *criteria)])
    sections = sections_with(10, 5.0, low=1.1, high=3.0)
    page = page_of(*sections, assessed=assessed)
    assert page.verdict is not None
    assert page.verdict.word == word
    assert page.verdict.certainty.startswith(certainty)
    assert page.verdict.sentence.startswith(why)
    assert page.every_panel[0].finding == (
        "1 of 2 success criteria met, 1 too early to judge; 0 of 1 failure criteria met. "
        f"Verdict: {overall}."
    )
    of_replay = Report(facts | {"overall": f"replay: {overall}"}, warnings, assessed.sections)
    replayed = verdict_of(*sections, assessed=of_replay, is_replay=True)
    assert replayed.word == f"Replay: {overall}"
    waits = " For a reason. For another." if overall == "too early" else ""
    assert replayed.sentence.endswith(f"so not a prospective test.{waits}")


def test_a_failure_is_reported_by_its_criteria() -> None:
    one: dict[str, Any] = {"role": "failure", "state": "met", "tier": "all", "p_adjusted": None}
    gap = {"criterion": "score_gap below 0", "value": -0.0172, "low": None, "high": None}
    falsified = {"criterion": "falsified_share above 0.3", "value": 0.5, "low": 0.25, "high": 0.75}
    hits = {"criterion": "n_hits at least 1", "value": 7, "low": None, "high": None}
    criteria = [
        one | gap | {"p_adjusted": 0.785},
        one | falsified | {"tier": "high"},
        one | hits | {"role": "success"},
    ]
    facts = {"overall": "does not work", "plan": "", **_ALL_DATED}
    assessed = Report(facts, [], [section("assessment", *criteria)])
    verdict = verdict_of(*sections_with(10, 5.0, low=1.1, high=3.0), assessed=assessed)
    assert verdict.sentence.startswith(
        "It fails by score gap between hits and misses below 0 and share of falsified predictions "
        "above 0.3. The 100 high-tier predictions"
    )


def test_a_replay_is_never_called_better() -> None:
    verdict = verdict_of(*sections_with(50, 1.0), is_replay=True)
    assert verdict.word == "Replay"
    assert "not a prospective test" in verdict.sentence


def test_hits_of_any_date_are_not_claimed_to_come_after_the_freeze() -> None:
    page = page_of(*sections_with(10, 5.0, window="all"))
    assert page.verdict is not None
    assert "after the freeze" not in page.verdict.sentence
    assert page.key_figures[0].label == "recorded hits"


def test_a_rate_has_the_interval_of_its_section_or_none() -> None:
    rate = key("prospective", "high") | {
        "n_predictions": 100,
        "n_hits": 10,
        "hit_rate": 0.1,
        "low": 0.01,
        "high": 0.5,
    }
    page = page_of(section("tier_hit_rate", rate, rate | {"tier": "all"}))
    assert page.key_figures[1].detail == "95% interval 1.0% to 50.0%"
    bare = {name: value for name, value in rate.items() if name not in ("low", "high")}
    page = page_of(section("tier_hit_rate", bare, bare | {"tier": "all"}))
    assert page.key_figures[1].detail == ""
    assert page.every_panel[0].finding.startswith(
        "Of the 100 high-tier predictions, 10 came true after"
    )
    assert "(10.0%);" in page.every_panel[0].finding


def curve(*rows: tuple[int, int, int, int, float], **more: Any) -> Section:
    """A section of survival_curve: day, at risk, events, censored and share of the high tier."""
    names = ("day", "n_at_risk", "n_events", "n_censored", "share_with_event")
    return section(
        "survival_curve",
        *[{"tier": "high", **dict(zip(names, row, strict=True)), **more} for row in rows],
    )


def rate_of(n_predictions: int, n_hits: int) -> Section:
    rate = {"n_predictions": n_predictions, "n_hits": n_hits, "hit_rate": n_hits / n_predictions}
    return section("tier_hit_rate", key("all", "all") | rate)


def test_the_last_pair_is_no_result() -> None:
    """Of 120 pairs 13 have an event by day 100, 106 leave, and the last has one on day 333."""
    page = page_of(
        curve((100, 120, 13, 0, 13 / 120), (200, 107, 0, 106, 13 / 120), (333, 1, 1, 0, 1.0)),
        rate_of(120, 14),
    )
    panel = next(panel for panel in page.every_panel if panel.name == "survival_curve")
    assert isinstance(panel.figure, Curves)
    assert max(point.y for point in panel.figure.points) == 13 / 120
    assert "100.0%" not in panel.finding


def test_survival_starts_again_at_the_freeze() -> None:
    """Of 13 pairs one has its event on day -30 and one on the day of the freeze.

    Of the other 11 one has it on day 10 (1/11 of those at risk), one is censored on day 20, one
    has it on day 30 (1/9), and 8 are censored on day 40: 1 - 10/11 x 8/9 = 19/99.
    """
    page = page_of(
        curve(
            (-30, 13, 1, 0, 1 / 13),
            (0, 12, 1, 0, 2 / 13),
            (10, 11, 1, 0, 1 / 11),
            (20, 10, 0, 1, 1 / 11),
            (30, 9, 1, 0, 19 / 99),
            (40, 8, 0, 8, 19 / 99),
            reason="fewer than 6 diseases",
        ),
        rate_of(13, 4),
    )
    panel = next(panel for panel in page.every_panel if panel.name == "survival_curve")
    assert isinstance(panel.figure, Curves)
    steps = [(float(one.part), one.x, one.y) for one in panel.figure.points]
    wanted = [
        (0, -30, 0),
        (0, -30, 1 / 13),
        (0, 0, 2 / 13),
        (0, 0, 2 / 13),
        (1, 0, 0),
        (1, 10, 1 / 11),
        (1, 30, 19 / 99),
        (1, 40, 19 / 99),
    ]
    assert steps == wanted
    assert panel.finding.startswith("By day 40 after the freeze a first event had come for 19.2%")
    assert panel.note.endswith(
        " No band for high by day 0 and high by day 40: fewer than 6 diseases."
    )


def test_each_tier_is_told_by_the_day_on_which_its_curve_ends() -> None:
    """Of the high tier fewer than a tenth are followed from day 300 on."""
    names = ("tier", "day", "n_at_risk", "n_events", "n_censored", "share_with_event")
    rows = [
        ("high", 100, 100, 50, 45, 0.5),
        ("high", 300, 5, 1, 0, 0.6),
        ("moderate", 400, 100, 10, 0, 0.1),
    ]
    found = [dict(zip(names, row, strict=True)) for row in rows]
    page = page_of(section("survival_curve", *found), rate_of(200, 61))
    panel = next(panel for panel in page.every_panel if panel.name == "survival_curve")
    assert panel.finding == (
        "After the freeze a first event had come for 50.0% of the high tier by day 300 and 10.0% "
        "of the moderate tier by day 400."
    )


def test_a_source_that_sees_nearly_all_is_not_said_to_see_all() -> None:
    named: dict[str, Any] = {"source": "chembl", "entity_kind": "drug"}
    found = [(9_999, "named"), (1, None)]
    rows = [named | {"n_entities": n, "strength": strength} for n, strength in found]
    page = page_of(section("coverage", *rows))
    panel = next(panel for panel in page.every_panel if panel.name == "coverage")
    assert panel.finding == "Fewest are seen of the drugs in ChEMBL: 9,999 of 10,000."


def test_missing_figures_have_no_panel() -> None:
    assert page_of(*sections_with(0, 5.0)).every_panel[-1].name == "enrichment_vs_matched"
    assert [panel.name for panel in page_of().every_panel] == []


def test_global_lists_are_drawn_beside_what_was_expected_of_them() -> None:
    """The finding states the shortest and the longest list; an expectation may be unknown."""
    short = {
        **key("prospective", "all"),
        "list_size": 20,
        "n_predictions": 20,
        "n_hits": 3,
        "tie_mean_hits": 3.0,
        "hit_rate": 0.15,
        "tie_low_hit_rate": 0.15,
        "tie_high_hit_rate": 0.15,
        "low_hit_rate": 0.05,
        "high_hit_rate": 0.4,
        "expected_hits": 1.5,
        "enrichment_vs_matched": 2.0,
        "low": 0.7,
        "high": 5.7,
    }
    longer = short | {
        "list_size": 50,
        "n_predictions": 31,
        "n_hits": 4,
        "tie_mean_hits": 4.0,
        "hit_rate": 4 / 31,
        "tie_low_hit_rate": 4 / 31,
        "tie_high_hit_rate": 4 / 31,
    }
    unknown = longer | dict.fromkeys(("expected_hits", "enrichment_vs_matched", "low", "high"))
    panels = page_of(*sections_with(10, 5.0), section("global_list", short, unknown)).every_panel
    panel = next(one for one in panels if one.name == "global_list")
    assert panel.finding == (
        "Of the first 20 predictions 3 came true after the freeze, 2.00 times as often as equally "
        "popular candidates (95% interval 0.70 to 5.70). Of the first 31 predictions 4 came true "
        "after the freeze."
    )
    assert isinstance(panel.figure, Intervals)
    drawn = [(one.row, one.value, one.note) for one in panel.figure.estimates]
    assert drawn == [
        ("top 20", 0.15, "3 of 20"),
        ("top 20", 0.075, "1.5 expected"),
        ("top 50", 4 / 31, "4 of 31"),
    ]
    empty = short | dict.fromkeys(("hit_rate", "expected_hits", "enrichment_vs_matched"))
    panels = page_of(*sections_with(10, 5.0), section("global_list", empty)).every_panel
    assert "global_list" not in [one.name for one in panels]


def test_the_reliability_curve_is_drawn_as_far_as_it_goes() -> None:
    """Bins without a rate have no dot, and a score that is not known has its reason."""
    low = {
        **key("prospective", "all"),
        "probability_bin": 2,
        "mean_probability": 0.01,
        "observed_rate": 0.02,
        "low": 0.0,
        "high": 0.05,
    }
    high = low | {"probability_bin": 9, "mean_probability": 0.2, "observed_rate": 0.1, "high": 0.25}
    censored = low | dict.fromkeys(("mean_probability", "observed_rate", "low", "high"))
    brier = {
        **key("prospective", "all"),
        "mean_probability": 0.105,
        "observed_rate": 0.06,
        "brier_score": 0.0625,
        "low": 0.04,
        "high": 0.09,
        "brier_skill_score": None,
        "low_brier_skill_score": None,
        "high_brier_skill_score": None,
    }
    log = {**key("prospective", "all"), "log_score": None, "reason": "a prediction of 0 came true"}
    panels = page_of(
        *sections_with(10, 5.0),
        section("reliability_bin", low, censored, high),
        section("brier_score", brier),
        section("log_score", log),
    ).every_panel
    panel = next(one for one in panels if one.name == "reliability_bin")
    assert panel.finding == (
        "On average 10.5% was predicted and 6.0% came true. The Brier score is 0.0625 (95% "
        "interval 0.04 to 0.09); the log score is not known: a prediction of 0 came true."
    )
    assert isinstance(panel.figure, Curves)
    assert [(one.x, one.y, one.high) for one in panel.figure.points] == [
        (0.01, 0.02, 0.05),
        (0.2, 0.1, 0.25),
    ]
    # The diagonal ends with the axes, a little beyond the highest limit.
    assert (panel.figure.x.high, panel.figure.y.high) == (0.26, 0.26)
    assert panel.figure.has_diagonal
    assert panel.figure.has_bands


def disease(name: str, n_hits: int, n: int, expected: float | None) -> dict[str, Any]:
    rate = n_hits / n
    return {
        "evidence_window": "prospective",
        "population": "all",
        "disease_name": name,
        "n_predictions": n,
        "n_hits": n_hits,
        "hit_rate": rate,
        "expected_hit_rate": expected,
        "enrichment_vs_popularity": None if expected is None else rate / expected,
        "reason": None if expected else "the slate has no labeled pairs",
    }


def test_the_forest_has_the_diseases_with_most_expected_hits_and_all() -> None:
    """Limits are those of Clopper and Pearson, by the beta distribution, over the expected rate."""
    hits = {number: 5 if number == 1 else number % 5 for number in range(1, 21)}
    given = [disease(f"d{number}", n, 50, 0.01 * number) for number, n in hits.items()]
    found = diseases.with_limits(section("disease_performance", *given))
    page = page_of(*sections_with(40, 20.0), found)
    panel = next(one for one in page.every_panel if one.name == "disease_performance")
    assert isinstance(panel.figure, Intervals)
    estimates = panel.figure.estimates
    assert [one.row for one in estimates][:15] == [f"d{number}" for number in range(20, 5, -1)]
    assert panel.note.endswith("Of 20 diseases the 15 in which most hits were expected.")
    eighteen = estimates[2]
    assert eighteen.note == "3 of 50"
    assert eighteen.value == pytest.approx(3 / 50 / 0.18)
    assert eighteen.low == pytest.approx(beta.ppf(0.025, 3, 48) / 0.18)
    assert eighteen.high == pytest.approx(beta.ppf(0.975, 4, 47) / 0.18)
    # Above it is d1 alone: 5 hits where half a hit is expected.
    n_below = sum(beta.ppf(0.975, n + 1, 50 - n) < 0.01 * number for number, n in hits.items())
    assert f"The interval is above 1 in 1 and below 1 in {n_below}." in panel.finding


@pytest.mark.parametrize(
    "rows",
    [[disease("only", 3, 50, 0.02)], [disease("a", 3, 50, None), disease("b", 0, 50, None)]],
    ids=["one disease", "no labels"],
)
def test_without_a_comparison_of_diseases_there_is_no_forest(rows: list[dict[str, Any]]) -> None:
    found = diseases.with_limits(section("disease_performance", *rows))
    page = page_of(*sections_with(3, 1.0), found)
    panel = next(one for one in page.every_panel if one.name == "disease_performance")
    assert panel.figure is None
    assert len(panel.table.values) == len(rows)
    assert panel.finding.startswith(f"1 of {len(rows)} disease")


def test_an_identifier_that_is_the_name_again_is_left_out() -> None:
    names = ["rank", "disease_name", "disease_identifier", "drug_name", "drug_identifier", "tier"]
    first = (1, "Gout", "gout", "Alpha  Beta", "alpha beta", "high")
    second = (2, "Gout", "EFO:0004274", "Émile", "émile", "high")
    shown = slate_listings._without_names_again(Rows(names, [first, second]))
    kept = ["rank", "disease_name", "drug_name", "tier"]
    assert shown.columns == [*kept, "disease_identifier", "drug_identifier"]
    assert shown.values == [
        (1, "Gout", "Alpha  Beta", "high", None, None),
        (2, "Gout", "Émile", "high", "EFO:0004274", None),
    ]
    shown = slate_listings._without_names_again(Rows(names, [first]))
    assert (shown.columns, shown.values) == (kept, [(1, "Gout", "Alpha  Beta", "high")])


HIT_COLUMNS = (
    "rank",
    "disease_name",
    "drug_name",
    "drug_identifier",
    "tier",
    "is_novel",
    "near_known",
    "hit_event",
    "hit_date",
    "hit_source",
    "hit_record",
    "failure",
    "drug_withdrawn",
)


def hits_of(n_novel: int, *more: tuple[Any, ...]) -> Rows:
    """Return so many novel hits, and others, as the statement lists them."""
    made = [
        (rank, "Gout", f"drug {rank}", f"D{rank}", "high", True, None, "first_trial_seen", None,
         "ctgov", f"NCT0000000{rank}", None, None)
        for rank in range(1, n_novel + 1)
    ]  # fmt: skip
    return Rows([*HIT_COLUMNS], [*made, *more])


def page_with_hits(n_hits: int, hits: Rows, population: str = "novel") -> Page:
    rate = section(
        "tier_hit_rate",
        {
            "evidence_window": "prospective",
            "population": population,
            "tier": "all",
            "n_predictions": 100,
            "n_hits": n_hits,
            "hit_rate": n_hits / 100,
        },
    )
    listings = Listings(NO_ROWS, hits, NO_ROWS, NO_ROWS, [])
    return slate_page.build(Report(FACTS, [], [rate]), listings)


def test_the_first_page_lists_the_hits_with_their_records() -> None:
    near = "ancestor: arthritis"
    failure = "trial failed 2026-08-01 for safety (NCT8)"
    withdrawn = "drug withdrawn 2004 (France; ChEMBL warning 7)"
    approval = (9, "Gout", "aspirin", "CHEMBL25", "low", True, near, "fda_approved", None, "chembl",
                "7", failure, withdrawn)  # fmt: skip
    known = (1, "Gout", "known", "D0", "high", False, None, "first_trial_seen", None, "ctgov",
             "NCT9", None, None)  # fmt: skip
    (listed,) = page_with_hits(2, hits_of(1, approval, known)).listings
    assert [(one["drug_name"], one["event"], one["record"]) for one in listed.table.records()] == [
        ("drug 1", "first trial", "ClinicalTrials.gov NCT00000001"),
        # A row of ChEMBL has no address, its compound has.
        ("aspirin", f"FDA approval; {failure}; {withdrawn}", "ChEMBL CHEMBL25"),
    ]
    assert [one["near_known"] for one in listed.table.records()] == [None, near]
    assert listed.omitted == ""
    (listed,) = page_with_hits(3, hits_of(1, approval, known), "all").listings
    assert len(listed.table.values) == 3
    (listed,) = page_with_hits(1, hits_of(1)).listings
    assert "near_known" not in listed.table.columns


def test_the_first_page_says_how_many_hits_it_leaves_out() -> None:
    (listed,) = page_with_hits(25, hits_of(25)).listings
    assert len(listed.table.values) == 14
    assert listed.omitted == "11 more hits among all predictions."
    assert page_with_hits(0, hits_of(0)).listings == []


def test_what_few_read_to_the_end_is_in_the_parts() -> None:
    """With outcomes; before the first, the page is short and has all of its panels."""
    page = page_of(*sections_with(10, 5.0))
    assert [part.name for part in page.parts] == ["predictions", "figures", "audit"]
    assert [panel.name for panel in page.parts[1].panels] == [
        "tier_hit_rate",
        "enrichment_vs_matched",
    ]
    assert page.checks == [] != page.parts[-1].checks
    waiting = page_of(*sections_with(0, None), n_outcomes=0)
    assert [part.name for part in waiting.parts][::2] == ["predictions", "audit"]
