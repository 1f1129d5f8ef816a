"""Criteria of analysis plans: what each may say, and which contradict each other."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tracker import schema
from tracker.figures import COUNTS, HAVE_INTERVAL, METRICS, POPULATIONS, WINDOWS
from tracker.files.fields import Kind, Problem, listed, number, one_of, table

TIERS = (*schema.TIERS, "all")
COMPARISONS = ("at_least", "at_most", "above", "below")
DIMENSIONS = {"tier": TIERS, "evidence_window": WINDOWS, "population": POPULATIONS}
# Beyond this, a bound or a bar is a mistake.
MOST = 1e15


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
        return f"{self.metric} {self.comparison.replace('_', ' ')} {self.bound:.15g}{how}"

    @property
    def keys(self) -> dict[str, str]:
        """The window, population and tier, which name a row of its figure's view."""
        names = ("evidence_window", "population", "tier")
        return {name: getattr(self, name) for name in names}

    @property
    def figure(self) -> tuple[str, str, str, str]:
        """The key of its figure in the view headline_figure."""
        return (self.metric, self.evidence_window, self.population, self.tier)

    @property
    def subject(self) -> str:
        """What is compared with the bound, for a reader."""
        tier = "" if self.tier == "all" else f" of the {self.tier} tier"
        return f"{METRICS[self.metric].noun}{tier}"

    @property
    def document(self) -> dict[str, Any]:
        """The criterion as a plan states it, complete."""
        return {
            "metric": self.metric,
            **{name: getattr(self, name) for name in METRICS[self.metric].dimensions},
            self.comparison: self.bound,
            "by": self.by,
        }


def complete(given: Mapping[str, Any], dimensions: Mapping[str, str]) -> Criterion:
    """Return a criterion without problems, with the plan's dimensions where it has none itself."""
    metric = METRICS[given["metric"]]
    (comparison,) = _bounds(given)
    return Criterion(
        metric.name,
        comparison,
        float(given[comparison]),
        **{
            # A metric without the dimension is 'all' in headline_figure.
            name: given.get(name, dimensions[name]) if name in metric.dimensions else "all"
            for name in DIMENSIONS
        },
        by=given.get("by", "interval" if metric.name in HAVE_INTERVAL else "point"),
    )


def kind(role: str) -> Kind:
    """Return what the criteria of success or failure must be."""
    # Which fields a criterion may have is known once its metric is.
    words = "a table with a metric and a bound"
    criterion = table({"metric": one_of(*METRICS)}, words=words, is_open=True, rule=_problems)
    return listed(criterion, f"a list of criteria, [[{role}]]", least=1)


def _bounds(given: Mapping[str, Any]) -> list[str]:
    return [name for name in COMPARISONS if name in given]


def _problems(given: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the problems of the fields that a criterion of its metric may have."""
    metric = METRICS[given["metric"]]
    others = {
        **{name: one_of(*DIMENSIONS[name]) for name in metric.dimensions},
        **dict.fromkeys(COMPARISONS, number("a number", lambda value: abs(value) <= MOST)),
        "by": one_of("interval", "point"),
    }
    yield from table({"metric": one_of(*METRICS)}, others).problems(given)
    if given.get("by") == "interval" and metric.name not in HAVE_INTERVAL:
        yield ".by", f"{metric.name} has no interval"
    if len(_bounds(given)) != 1:
        yield "", f"needs exactly one of {', '.join(COMPARISONS)}"


class _Range(NamedTuple):
    """The values from one end to the other: whether the low end is left out, the high end is in."""

    low: tuple[float, bool] = (-math.inf, False)
    high: tuple[float, bool] = (math.inf, True)

    @property
    def is_empty(self) -> bool:
        """Whether no value is in the range."""
        (low, is_low_out), (high, is_high_in) = self
        return low > high or (low == high and (is_low_out or not is_high_in))

    def within(self, other: "_Range") -> "_Range":
        """Return the values in both."""
        return _Range(max(self.low, other.low), min(self.high, other.high))


def contradictions(success: Sequence[Criterion], failure: Sequence[Criterion]) -> Iterator[str]:
    """Yield what no verdict could rest on: success that no value meets, failure that success meets.

    Only criteria of the same figure are compared; success needs all its criteria met.
    """
    wanted: dict[tuple[str, ...], _Range] = {}
    names: dict[tuple[str, ...], list[str]] = {}
    for ordinal, one in enumerate(success, start=1):
        name, figure = f"success[{ordinal}]", one.figure
        wanted[figure] = wanted.get(figure, _Range()).within(_range(one))
        names.setdefault(figure, []).append(f"{name} ({one.words})")
        if wanted[figure].is_empty:
            yield f"{name}: no value meets {' and '.join(names.pop(figure))}"
            del wanted[figure]
    for ordinal, one in enumerate(failure, start=1):
        figure = one.figure
        if figure in wanted and not wanted[figure].within(_range(one)).is_empty:
            others = " and ".join(names[figure])
            yield f"failure[{ordinal}]: {one.words} can be met together with {others}"


def _range(criterion: Criterion) -> _Range:
    bound = criterion.bound
    if criterion.metric in COUNTS:
        # A count: above 2 is at least 3.
        return {
            "at_least": _Range(low=(math.ceil(bound), False)),
            "above": _Range(low=(math.floor(bound) + 1, False)),
            "at_most": _Range(high=(math.floor(bound), True)),
            "below": _Range(high=(math.ceil(bound) - 1, True)),
        }[criterion.comparison]
    is_strict = criterion.comparison in ("above", "below")
    if criterion.comparison in ("at_least", "above"):
        return _Range(low=(bound, is_strict))
    return _Range(high=(bound, not is_strict))
