"""Analysis plans: the default, the contents of a file, and one clear line for each mistake."""

import tomllib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sqlalchemy import Row
from support import ENDPOINT, ROOT

from tracker import schema
from tracker.errors import InputRefused, ProblemsFound
from tracker.slates import plans
from tracker.slates.criteria import Criterion

SUCCESS = "[[success]]\nmetric = 'hit_rate'\n"

# Mistakes in a plan, and the one line that reports each.
MALFORMED = {
    "unknown key": ("horizon = 12", "horizon: unknown key; known: primary_endpoint, tier,"),
    "unknown table": ("[threshold]\nsuccess_bar = 2", "threshold: unknown key"),
    "unknown endpoint": ("primary_endpoint = 'auc'", "primary_endpoint: 'auc' is not one of enr"),
    "endpoint without bar": ("primary_endpoint = 'hit_rate'", "'hit_rate' is not one of"),
    "endpoint in a list": ("primary_endpoint = ['hit_rate']", "primary_endpoint: ['hit_rate'] is"),
    "unknown tier": ("tier = 'top'", "tier: 'top' is not one of high, moderate, exploratory, all"),
    "unknown window": ("evidence_window = 'past'", "evidence_window: 'past' is not one of all"),
    "unknown population": ("population = 'new'", "population: 'new' is not one of all, novel"),
    "a date": ("tier = 2026-01-01", "tier: 2026-01-01 is not one of"),
    "horizon in words": ("horizon_months = 'a year'", "horizon_months: 'a year' is not a whole"),
    "horizon of nothing": ("horizon_months = 0", "0 is not a whole number from 1 to 600"),
    "half a month": ("horizon_months = 1.5", "horizon_months: 1.5 is not a whole number"),
    "true as a number": ("horizon_months = true", "horizon_months: true is not a whole number"),
    "endless horizon": ("horizon_months = 9223372036854775808", "is not a whole number from 1"),
    "a flag in words": ("fda_drug_level = 'yes'", "fda_drug_level: 'yes' is not true or false"),
    "a flag as number": ("fda_drug_level = 1", "fda_drug_level: 1 is not true or false"),
    "a bar of chance": (
        "[thresholds]\nsuccess_bar = 1.0",
        "success_bar: 1.0 is not a number above 1",
    ),
    "a bar in words": ("[thresholds]\nsuccess_bar = 'high'", "success_bar: 'high' is not a number"),
    "too large a bar": ("[thresholds]\nsuccess_bar = 1e300", "success_bar: 1e+300 is not a number"),
    "unknown threshold": ("[thresholds]\nbar = 2", "thresholds.bar: unknown key; known: succ"),
    "thresholds a number": ("thresholds = 2", "thresholds: 2 is not a table"),
    "an unknown kind of match": ("[matching]\nkinds = ['fuzzy']", "'fuzzy' is not one of identif"),
    "kinds in a word": ("[matching]\nkinds = 'name'", "matching.kinds: 'name' is not a list of k"),
    "a kind without a stronger one": (
        "[matching]\nkinds = ['identifier', 'exact_synonym']",
        "matching.kinds: has a weaker kind without the stronger name",
    ),
    "a kind twice": (
        "[matching]\nkinds = ['identifier', 'identifier']",
        "matching.kinds: has a kind twice",
    ),
    "a kind in a list": ("[matching]\nkinds = [['name']]", "matching.kinds[1]: ['name'] is not o"),
    "unknown matching": ("[matching]\nkind = []", "matching.kind: unknown key; known: kinds"),
    "matching a list": ("matching = []", "matching: [] is not a table"),
    "scores in a word": ("scores = 'probabilities'", "scores: 'probabilities' is not a table"),
    "other scores": ("[scores]\nare = 'logits'", "scores.are: 'logits' is not one of ordinal, pr"),
    "a horizon of scores": ("[scores]\nhorizon_months = 6", "scores.horizon_months: unknown key"),
    "negative refreshes": ("[thresholds]\nmin_refreshes = -1", "min_refreshes: -1 is not a whole"),
    "tiers out of order": ("[tiers]\nhigh = 50", "tiers: the last rank of high is not before"),
    "tier of rank 0": ("[tiers]\nhigh = 0", "tiers.high: 0 is not a whole number from 1"),
    "a fourth tier": ("[tiers]\nlow = 90", "tiers.low: unknown key; known: high, moderate"),
    "tiers a list": ("tiers = [10, 50]", "tiers: [10, 50] is not a table"),
    "success a table": (
        "[success]\nmetric = 'hit_rate'",
        "success: {'metric': 'hit_rate'} is not a list of criteria",
    ),
    "no criteria": ("failure = []", "failure: [] is not a list of criteria, [[failure]]"),
    "criteria as words": (
        "failure = ['none']",
        "failure[1]: 'none' is not a table with a metric and",
    ),
    "no metric": (
        "[[failure]]\nabove = 1",
        "failure[1].metric: is missing; needs one of hit_rate,",
    ),
    "unknown metric": ("[[success]]\nmetric = 'f1'\nabove = 1", "success[1].metric: 'f1' is not"),
    "no bound": (SUCCESS, "success[1]: needs exactly one of at_least, at_most, above, below"),
    "two bounds": (SUCCESS + "above = 1\nbelow = 2", "success[1]: needs exactly one of"),
    "a bound in words": (SUCCESS + "above = 'half'", "success[1].above: 'half' is not a number"),
    "a misspelt bound": (SUCCESS + "above = 0\natleast = 1", "success[1].atleast: unknown key"),
    "a tier of the whole": (
        "[[success]]\nmetric = 'share_of_diseases_enriched'\ntier = 'high'\nabove = 0.5",
        "success[1].tier: unknown key; known: metric, evidence_window, population,",
    ),
    "a window of falsification": (
        "[[failure]]\nmetric = 'falsified_share'\nevidence_window = 'all'\nabove = 0.5",
        "failure[1].evidence_window: unknown key; known: metric, tier,",
    ),
    "a criterion's tier": (
        SUCCESS + "above = 0\ntier = 'best'",
        "success[1].tier: 'best' is not one of high, moderate",
    ),
    "an unknown way to judge": (
        "[[success]]\nmetric = 'n_hits'\nat_least = 1\nby = 'eye'",
        "success[1].by: 'eye' is not one of interval, point",
    ),
    "no interval to judge by": (
        "[[success]]\nmetric = 'n_hits'\nat_least = 1\nby = 'interval'",
        "success[1].by: n_hits has no interval",
    ),
    # Criteria that contradict each other.
    "the same criterion": (
        "[[success]]\nmetric = 'hit_rate'\nabove = 0.5\n"
        "[[failure]]\nmetric = 'hit_rate'\nabove = 0.5",
        "failure[1]: hit_rate above 0.5 by its interval can be met together with success[1] "
        "(hit_rate above 0.5 by its interval)",
    ),
    "ranges that overlap": (
        "[[success]]\nmetric = 'hit_rate'\nabove = 0.5\n"
        "[[failure]]\nmetric = 'hit_rate'\nabove = 0.3",
        "failure[1]: hit_rate above 0.3",
    ),
    "one value in common": (
        "[[success]]\nmetric = 'score_gap'\nat_least = 0\n"
        "[[failure]]\nmetric = 'score_gap'\nat_most = 0",
        "failure[1]: score_gap at most 0",
    ),
    "a failure of the default plan": (
        "[[success]]\nmetric = 'score_gap'\ntier = 'all'\nbelow = 1",
        "failure[2]: score_gap below 0",
    ),
    "no success at all": (
        "[[success]]\nmetric = 'hit_rate'\nabove = 0.5\n"
        "[[success]]\nmetric = 'hit_rate'\nbelow = 0.5",
        "success[2]: no value meets success[1] (hit_rate above 0.5 by its interval) and success[2] "
        "(hit_rate below 0.5 by its interval)",
    ),
    "no count between": (
        "[[success]]\nmetric = 'n_hits'\nabove = 2000001\n"
        "[[success]]\nmetric = 'n_hits'\nbelow = 2000002",
        "success[2]: no value meets success[1] (n_hits above 2000001) and success[2] (n_hits below "
        "2000002)",
    ),
    "an odd key": ('"a\\n.b" = 1', r"plan.toml, 'a\n.b': unknown key; known: primary_endpoint"),
    "a long key": (f"{'x' * 5000} = 1", f"plan.toml, '{'x' * 59} ...: unknown key; known: prim"),
    "a long text": (f"tier = '{'x' * 5000}'", f"tier: '{'x' * 59} ... is not one of"),
}


def _written(folder: Path, content: str) -> Path:
    path = folder / "plan.toml"
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_plan_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    content, message = MALFORMED[name]
    with pytest.raises(ProblemsFound) as caught:
        plans.read(_written(tmp_path, content))
    assert len(caught.value.problems) == 1, caught.value.problems
    line = caught.value.problems[0]
    assert line.startswith("plan.toml, ")
    assert message in line
    assert "\n" not in line
    assert len(line) < 400


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    path = _written(tmp_path, "tier = 'top'\nhorizon_months = 0\n[[success]]\nmetric = 1\n")
    with pytest.raises(ProblemsFound) as caught:
        plans.read(path)
    keys = [line.split(": ")[0] for line in caught.value.problems]
    assert keys == [f"plan.toml, {key}" for key in ("tier", "horizon_months", "success[1].metric")]


def test_the_default_plan_is_the_twelve_month_bar() -> None:
    plan = plans.default()
    assert plan.primary == Criterion(ENDPOINT, "at_least", 1.3, "high", "prospective", "novel")
    assert (plan.horizon_months, plan.min_refreshes, plan.fda_drug_level) == (12, 2, False)
    assert plan.tiers == {"high": 10, "moderate": 50}
    assert plan.match_kinds == schema.MATCH_KINDS
    assert [criterion.words for criterion in plan.success] == [
        f"{ENDPOINT} above 1 by its interval",
        f"{ENDPOINT} at least 1.3",
    ]
    assert [criterion.words for criterion in plan.failure] == [
        f"{ENDPOINT} below 1 by its interval",
        "score_gap below 0 by its interval",
    ]
    assert [criterion.tier for criterion in plan.criteria] == ["high", "high", "high", "all"]
    assert {c.evidence_window for c in plan.criteria} == {"prospective"}
    assert {c.population for c in plan.criteria} == {"novel"}


def test_one_condition_is_frozen_only_where_it_is_set(tmp_path: Path) -> None:
    """A plan of before the setting, and one that leaves it off, have the same bytes."""
    assert plans.default().document["studies"].keys() == {"uses"}
    assert not plans.default().one_condition
    off = plans.read(_written(tmp_path, "[studies]\none_condition = false\n"))
    assert off.document == plans.default().document
    plan = plans.read(_written(tmp_path, "[studies]\none_condition = true\n"))
    assert plan.one_condition
    assert plan.document["studies"] == {
        **plans.default().document["studies"],
        "one_condition": True,
    }
    assert plans.parse(plan.document, "again") == plan


def test_a_plan_is_frozen_complete_and_reads_back_the_same(tmp_path: Path) -> None:
    """Omitted settings are stored explicitly, so that later defaults change nothing."""
    plan = plans.read(
        _written(tmp_path, "tier = 'all'\n[[success]]\nmetric = 'hit_rate'\nabove = 1\n")
    )
    assert plan.success == (
        Criterion("hit_rate", "above", 1.0, "all", "prospective", "novel", "interval"),
    )
    # Those of the default plan, in the tier of this one.
    assert plan.failure == tuple(replace(one, tier="all") for one in plans.default().failure)
    again = plans.parse(plan.document, "again")
    assert again == plan
    assert set(plan.document) == set(tomllib.loads(_default_text()))


def _default_text() -> str:
    return (ROOT / "tracker" / "slates" / "default_plan.toml").read_text(encoding="utf-8")


def test_the_guide_shows_the_default_plan() -> None:
    guide = (ROOT / "docs" / "guides" / "plans.md").read_text(encoding="utf-8")
    block = guide.split("```toml\n# The twelve-month bar")[1].split("```")[0]
    assert tomllib.loads(block.split("\n", 1)[1]) == tomllib.loads(_default_text())


@pytest.mark.parametrize(
    ("comparison", "is_met"),
    [("at_least", [0, 1, 1]), ("above", [0, 0, 1]), ("at_most", [1, 1, 0]), ("below", [1, 0, 0])],
)
def test_a_bound_works_as_named(comparison: str, is_met: list[int]) -> None:
    criterion = Criterion("hit_rate", comparison, 0.5, "all", "all", "all")
    assert [criterion.is_met_by(value) for value in (0.25, 0.5, 0.75)] == [bool(h) for h in is_met]


def _slate(plan: Any) -> Row[Any]:
    return cast(Row[Any], SimpleNamespace(plan=plan))


def test_a_slate_states_the_origin_of_its_plan() -> None:
    own = plans.parse({"horizon_months": 24}, "own")
    frozen = plans.of_slate(_slate(own.document))
    assert (frozen.plan, frozen.is_frozen, frozen.origin) == (own, True, "frozen with the slate")
    none = plans.of_slate(_slate(None))
    assert (none.plan, none.is_frozen) == (plans.default(), False)
    assert none.origin == "default plan, not frozen with the slate"
    odd = plans.of_slate(_slate({"success": {"enrichment": 1.3}}))
    assert (odd.plan, odd.is_frozen) == (plans.default(), False)
    assert (
        "cannot be read (the slate's plan, success: {'enrichment': 1.3} is not a list" in odd.origin
    )


@pytest.mark.parametrize(
    "content",
    [
        "[[success]]\nmetric = 'score_gap'\nat_least = 0\n"
        "[[failure]]\nmetric = 'score_gap'\nbelow = 0",
        # A range: what is beyond it fails.
        "[[success]]\nmetric = 'hit_rate'\nat_least = 0.1\n[[success]]\nmetric = 'hit_rate'\n"
        "at_most = 0.3\n[[failure]]\nmetric = 'hit_rate'\nabove = 0.3",
        # Another tier is another figure.
        "[[success]]\nmetric = 'hit_rate'\nabove = 0.5\n[[failure]]\nmetric = 'hit_rate'\n"
        "tier = 'all'\nabove = 0.5",
        "[[success]]\nmetric = 'n_hits'\nabove = 2\n[[failure]]\nmetric = 'n_hits'\nbelow = 3",
    ],
)
def test_criteria_that_leave_each_other_room_are_read(tmp_path: Path, content: str) -> None:
    assert plans.read(_written(tmp_path, content)).success


def test_a_contradiction_frozen_before_is_still_read() -> None:
    """A slate keeps the plan it was frozen with."""
    same = [{"metric": "hit_rate", "above": 0.5}]
    plan = plans.of_slate(_slate({"success": same, "failure": same}))
    assert plan.is_frozen


def test_a_plan_frozen_before_is_judged_by_its_points() -> None:
    """Its criteria do not say how, because there was only one way."""
    plan = plans.of_slate(_slate({"success": [{"metric": "hit_rate", "above": 0.5}]})).plan
    assert [criterion.by for criterion in plan.success] == ["point"]


HOSTILE = {
    "a long number": ("horizon_months = " + "9" * 5000, "contains a number with too many digits"),
    "a long hexadecimal": (
        "horizon_months = 0x" + "f" * 5000,
        "contains a number with too many digits",
    ),
    "deep arrays": ("tiers = " + "[" * 5000 + "]" * 5000, "is nested too deeply"),
    "deep keys": (".".join(["a"] * 5000) + " = 1", "is nested too deeply"),
    "a long file": ("# " + "x" * 1_000_000, "is longer than 1 MB"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_plan_that_no_parser_survives(tmp_path: Path, name: str) -> None:
    content, message = HOSTILE[name]
    with pytest.raises(InputRefused, match=f"^plan.toml: {message}$"):
        plans.read(_written(tmp_path, content))


def test_a_device_is_not_a_plan() -> None:
    with pytest.raises(InputRefused, match=r"^/dev/zero: no such file$"):
        plans.read(Path("/dev/zero"))


def test_the_default_criteria_follow_what_a_plan_sets() -> None:
    """A plan that sets the bar, or another endpoint, is judged by these, not by the default's."""
    bar = plans.checked({"thresholds": {"success_bar": 3.0}}, "plan.toml")
    assert [(one.metric, one.tier, one.comparison, one.bound, one.by) for one in bar.success] == [
        (ENDPOINT, "high", "above", 1.0, "interval"),
        (ENDPOINT, "high", "at_least", 3.0, "point"),
    ]
    other = plans.checked({"primary_endpoint": "enrichment_vs_random", "tier": "all"}, "plan.toml")
    assert [(one.metric, one.tier, one.comparison, one.bound) for one in other.criteria] == [
        ("enrichment_vs_random", "all", "above", 1.0),
        ("enrichment_vs_random", "all", "at_least", 1.3),
        ("enrichment_vs_random", "all", "below", 1.0),
        ("score_gap", "all", "below", 0.0),
    ]
    assert other.document["success"][1]["metric"] == "enrichment_vs_random"


def test_criteria_that_a_plan_has_stay_as_they_are() -> None:
    success = [{"metric": ENDPOINT, "tier": "high", "at_least": 2.0}]
    given = {"thresholds": {"success_bar": 3.0}, "success": success}
    plan = plans.checked(given, "plan.toml")
    assert [(one.comparison, one.bound) for one in plan.success] == [("at_least", 2.0)]
    # As a frozen plan has all of them.
    assert plans.checked(plan.document, "plan.toml") == plan
