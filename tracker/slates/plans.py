"""Analysis plans: the criteria of a slate, fixed before any outcome is known.

A plan is a TOML file passed at the freeze. It is completed from the default plan, which ships as
default_plan.toml, and stored and hashed with the slate in that complete form, so that a later
change of the defaults changes no frozen plan.
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from sqlalchemy import Row

from tracker.errors import ProblemsFound
from tracker.figures import ENRICHMENTS, HAVE_INTERVAL, METRICS, POPULATIONS, WINDOWS
from tracker.files import toml_file
from tracker.slates import contradictions
from tracker.store import schema

TIERS = (*schema.TIERS, "all")
COMPARISONS = ("at_least", "at_most", "above", "below")
JUDGED_BY = ("interval", "point")

_DIMENSIONS = {"tier": TIERS, "evidence_window": WINDOWS, "population": POPULATIONS}
_KEYS = (
    "primary_endpoint",
    *_DIMENSIONS,
    "horizon_months",
    "fda_drug_level",
    "breadth_span",
    "matching",
    "scores",
    "thresholds",
    "tiers",
    "success",
    "failure",
)
# What the scores of a slate mean: an order, or the probability of a hit by the horizon.
ORDINAL, PROBABILITIES = "ordinal", "probabilities"
_LONGEST_HORIZON = 600
# The breadths of a class differ by less than this factor.
_WIDEST_SPAN = 10.0


@dataclass(frozen=True)
class Criterion:
    """A figure of the view headline_figure, its bound, and what is compared with the bound.

    By its interval, a criterion is met or failed only where the whole interval is on one side of
    the bound; by its point, the figure itself decides.
    """

    metric: str
    comparison: str
    bound: float
    tier: str
    evidence_window: str
    population: str
    by: str = "point"

    def is_met_by(self, value: float) -> bool:
        """Return whether a value satisfies the criterion."""
        return {
            "at_least": value >= self.bound,
            "at_most": value <= self.bound,
            "above": value > self.bound,
            "below": value < self.bound,
        }[self.comparison]

    @property
    def words(self) -> str:
        """The criterion in words, such as 'score_gap above 0 by its interval'."""
        how = " by its interval" if self.by == "interval" else ""
        return f"{self.metric} {self.comparison.replace('_', ' ')} {self.bound:g}{how}"


@dataclass(frozen=True)
class Plan:
    """A complete plan; `document` is the form stored and hashed."""

    primary: Criterion
    horizon_months: int
    success_bar: float
    min_refreshes: int
    fda_drug_level: bool
    breadth_span: float
    match_kinds: tuple[str, ...]
    scores_are: str
    tiers: dict[str, int]
    success: tuple[Criterion, ...]
    failure: tuple[Criterion, ...]
    document: dict[str, Any]

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """The success criteria, then the failure criteria."""
        return self.success + self.failure


@dataclass(frozen=True)
class SlatePlan:
    """The plan that applies to a slate, and its origin in words."""

    plan: Plan
    origin: str
    is_frozen: bool


def read(path: Path) -> Plan:
    """Return the plan of a TOML file, completed from the default plan.

    Raises ProblemsFound with one line per problem, among them success and failure criteria that
    one value meets, or InputRefused if the file cannot be read as TOML.
    """
    return checked(toml_file.read(path), path.name)


def given(source: str | Path | Mapping[str, Any]) -> Plan:
    """Return the plan in a TOML file, or of its content; errors as of `read`."""
    if isinstance(source, Mapping):
        return checked(source, "the plan")
    return read(Path(source))


def checked(given: Mapping[str, Any], name: str) -> Plan:
    """Return the plan in a mapping as `read` does; each problem begins with `name`."""
    plan = parse(given, name)
    problems = [f"{name}, {problem}" for problem in contradictions.of(plan)]
    if problems:
        raise ProblemsFound(problems)
    return plan


def parse(given: Mapping[str, Any], name: str) -> Plan:
    """Return the plan in a mapping, completed from the default plan.

    Raises ProblemsFound with one line per problem; each begins with `name`.
    """
    return _Parser(name).plan({**_default_document(), **_merged(given)})


def default() -> Plan:
    """Return the plan of slates frozen without one."""
    return parse({}, "the default plan")


def of_slate(slate: Row[Any]) -> SlatePlan:
    """Return the plan frozen with a slate, else the default, with its origin in words."""
    if slate.plan is None:
        return SlatePlan(default(), "default plan, not frozen with the slate", False)
    try:
        # A plan frozen before kinds of match could be chosen rests on aliases alone; one without
        # a span of breadths has the default's, which stays 1.15.
        # Criteria of such plans do not say how they are judged, which was by the point.
        earlier = {"matching": {"kinds": []}, "breadth_span": 1.15}
        frozen = {**earlier, **slate.plan, **_judged_by_point(slate.plan)}
        return SlatePlan(parse(frozen, "the slate's plan"), "frozen with the slate", True)
    except ProblemsFound as error:
        # Frozen by an earlier tracker, or elsewhere, in another form.
        reason = error.problems[0]
        return SlatePlan(
            default(),
            f"default plan: the one frozen with the slate cannot be read ({reason})",
            False,
        )


def are_probabilities(plan: Mapping[str, Any] | None) -> bool:
    """Return whether a frozen plan declares that the scores are probabilities of a hit.

    Reads the plan as the views do, whether or not the rest of it can be read.
    """
    scores = (plan or {}).get("scores")
    return isinstance(scores, Mapping) and scores.get("are") == PROBABILITIES


def _judged_by_point(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return the criteria of a frozen plan, each with the way in which it is judged."""
    return {
        role: [
            {"by": "point", **entry} if isinstance(entry, Mapping) else entry
            for entry in plan[role]
        ]
        for role in ("success", "failure")
        if isinstance(plan.get(role), list)
    }


@cache
def _default_toml() -> str:
    return (resources.files("tracker.slates") / "default_plan.toml").read_text(encoding="utf-8")


def _default_document() -> dict[str, Any]:
    return tomllib.loads(_default_toml())


def _merged(given: Mapping[str, Any]) -> dict[str, Any]:
    """Fill the tables of a plan from the default plan, key by key."""
    base = _default_document()
    return {
        key: {**base[key], **value}
        if key in ("matching", "scores", "thresholds", "tiers") and isinstance(value, Mapping)
        else value
        for key, value in given.items()
    }


class _Parser:
    """Collects the problems of a plan while reading it, to report all of them at once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.problems: list[str] = []

    def plan(self, given: Mapping[str, Any]) -> Plan:
        self._refuse_unknown("", given, _KEYS)
        dimensions = {
            key: self._choice(key, given[key], allowed) for key, allowed in _DIMENSIONS.items()
        }
        endpoint = self._choice("primary_endpoint", given["primary_endpoint"], ENRICHMENTS)
        horizon = self._integer("horizon_months", given["horizon_months"], 1, _LONGEST_HORIZON)
        thresholds = self._table(
            "thresholds", given["thresholds"], ("success_bar", "min_refreshes")
        )
        bar = self._number("thresholds.success_bar", thresholds["success_bar"], above=1)
        refreshes = self._integer("thresholds.min_refreshes", thresholds["min_refreshes"], 0, 1000)
        span = self._number("breadth_span", given["breadth_span"], above=1)
        if span > _WIDEST_SPAN:
            self._problem("breadth_span", f"{span:g} is above {_WIDEST_SPAN:g}")
        kinds = self._match_kinds(given["matching"])
        scores = self._table("scores", given["scores"], ("are",))
        scores_are = self._choice("scores.are", scores["are"], (ORDINAL, PROBABILITIES))
        tiers = self._tiers(given["tiers"])
        success = self._criteria("success", given["success"], dimensions)
        failure = self._criteria("failure", given["failure"], dimensions)
        if not isinstance(given["fda_drug_level"], bool):
            self._problem(
                "fda_drug_level", f"{_shown(given['fda_drug_level'])} is not true or false"
            )
        if self.problems:
            raise ProblemsFound(self.problems)
        return Plan(
            primary=Criterion(endpoint, "at_least", bar, **dimensions),
            horizon_months=horizon,
            success_bar=bar,
            min_refreshes=refreshes,
            fda_drug_level=given["fda_drug_level"],
            breadth_span=span,
            match_kinds=kinds,
            scores_are=scores_are,
            tiers=tiers,
            success=success,
            failure=failure,
            document={
                "primary_endpoint": endpoint,
                **dimensions,
                "horizon_months": horizon,
                "fda_drug_level": given["fda_drug_level"],
                "breadth_span": span,
                "matching": {"kinds": list(kinds)},
                "scores": {"are": scores_are},
                "thresholds": {"success_bar": bar, "min_refreshes": refreshes},
                "tiers": tiers,
                "success": [_criterion_document(criterion) for criterion in success],
                "failure": [_criterion_document(criterion) for criterion in failure],
            },
        )

    def _problem(self, key: str, reason: str) -> None:
        self.problems.append(f"{self.name}, {key}: {reason}")

    def _refuse_unknown(self, place: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
        for key in given:
            if key not in known:
                self._problem(f"{place}{key}", f"unknown key; known: {', '.join(known)}")

    def _choice(self, key: str, value: Any, allowed: tuple[str, ...]) -> str:
        if isinstance(value, str) and value in allowed:
            return value
        self._problem(key, f"{_shown(value)} is not one of {', '.join(allowed)}")
        return allowed[0]

    def _number(self, key: str, value: Any, *, above: float = -math.inf) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        # Refuses NaN too: it compares with nothing.
        if not is_number or not abs(value) <= 1e15:
            self._problem(key, f"{_shown(value)} is not a number")
        elif value <= above:
            self._problem(key, f"{_shown(value)} is not above {above:g}")
        else:
            return float(value)
        return 0.0

    def _integer(self, key: str, value: Any, least: int, most: int) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self._problem(key, f"{_shown(value)} is not a whole number from {least} to {most}")
        return least

    def _table(self, key: str, value: Any, known: tuple[str, ...]) -> Mapping[str, Any]:
        if isinstance(value, Mapping):
            self._refuse_unknown(f"{key}.", value, known)
            return value
        self._problem(key, f"is not a table, [{key}]")
        table: dict[str, Any] = _default_document()[key]
        return table

    def _match_kinds(self, value: Any) -> tuple[str, ...]:
        kinds = self._table("matching", value, ("kinds",))["kinds"]
        if not isinstance(kinds, list):
            self._problem("matching.kinds", "is not a list of kinds of match")
            return ()
        known = schema.MATCH_KINDS
        for kind in kinds:
            self._choice("matching.kinds", kind, known)
        # Of a fact the strongest match is kept, so that none stronger can be left out.
        missing = [kind for kind in known[: len(kinds)] if kind not in kinds]
        if missing and all(kind in known for kind in kinds):
            self._problem("matching.kinds", f"has a weaker kind without the stronger {missing[0]}")
        return tuple(kind for kind in known if kind in kinds)

    def _tiers(self, value: Any) -> dict[str, int]:
        names = schema.TIERS[:-1]
        given = self._table("tiers", value, names)
        n_problems = len(self.problems)
        tiers = {
            name: self._integer(f"tiers.{name}", given[name], 1, 999_999_999) for name in names
        }
        if len(self.problems) == n_problems and tiers["high"] >= tiers["moderate"]:
            self._problem("tiers", "the last rank of high is not before that of moderate")
        return tiers

    def _criteria(
        self, key: str, value: Any, dimensions: Mapping[str, str]
    ) -> tuple[Criterion, ...]:
        if not isinstance(value, list) or not value:
            self._problem(key, f"is not a list of criteria, [[{key}]]")
            return ()
        return tuple(
            criterion
            for number, entry in enumerate(value, start=1)
            if (criterion := self._criterion(f"{key}[{number}]", entry, dimensions)) is not None
        )

    def _criterion(self, key: str, given: Any, dimensions: Mapping[str, str]) -> Criterion | None:
        if not isinstance(given, Mapping):
            self._problem(key, "is not a table with a metric and a bound")
            return None
        if "metric" not in given:
            self._problem(key, f"has no metric; known: {', '.join(METRICS)}")
            return None
        n_problems = len(self.problems)
        metric = self._choice(f"{key}.metric", given["metric"], tuple(METRICS))
        if len(self.problems) > n_problems:
            return None
        self._refuse_unknown(
            f"{key}.", given, ("metric", *METRICS[metric].dimensions, *COMPARISONS, "by")
        )
        by = "interval" if metric in HAVE_INTERVAL else "point"
        if "by" in given:
            by = self._choice(f"{key}.by", given["by"], JUDGED_BY)
        if by == "interval" and metric not in HAVE_INTERVAL:
            self._problem(f"{key}.by", f"{metric} has no interval")
        bounds = [name for name in COMPARISONS if name in given]
        if len(bounds) != 1:
            self._problem(key, f"needs exactly one of {', '.join(COMPARISONS)}")
            return None
        return Criterion(
            metric,
            bounds[0],
            self._number(f"{key}.{bounds[0]}", given[bounds[0]]),
            **{
                # A metric without the dimension is 'all' in headline_figure.
                name: "all"
                if name not in METRICS[metric].dimensions
                else self._choice(f"{key}.{name}", given.get(name, dimensions[name]), allowed)
                for name, allowed in _DIMENSIONS.items()
            },
            by=by,
        )


def _criterion_document(criterion: Criterion) -> dict[str, Any]:
    return {
        "metric": criterion.metric,
        **{name: getattr(criterion, name) for name in METRICS[criterion.metric].dimensions},
        criterion.comparison: criterion.bound,
        "by": criterion.by,
    }


def _shown(value: Any) -> str:
    """Return a value of a plan as an error shows it, truncated."""
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:60]} ..."
