"""Finds criteria of a plan that contradict each other, so that no verdict could be trusted."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tracker.figures import COUNTS

if TYPE_CHECKING:
    from tracker.slates.plans import Criterion, Plan


@dataclass(frozen=True)
class _Range:
    """The values from `low` to `high`; an open end is not one of them."""

    low: float = -math.inf
    high: float = math.inf
    is_low_open: bool = False
    is_high_open: bool = False

    @property
    def is_empty(self) -> bool:
        if self.low == self.high:
            return self.is_low_open or self.is_high_open
        return self.low > self.high

    def within(self, other: "_Range") -> "_Range":
        """Return the values in both."""
        low, is_low_open = max((self.low, self.is_low_open), (other.low, other.is_low_open))
        high, is_high_closed = min(
            (self.high, not self.is_high_open), (other.high, not other.is_high_open)
        )
        return _Range(low, high, is_low_open, not is_high_closed)


def of(plan: "Plan") -> list[str]:
    """Word the problems: success that no value meets, and failure that a success meets too.

    Only criteria of the same figure are compared; success needs all its criteria met.
    """
    problems = []
    wanted: dict[tuple[str, ...], _Range] = {}
    names: dict[tuple[str, ...], list[str]] = {}
    for name, criterion in _named("success", plan.success):
        figure = _figure(criterion)
        wanted[figure] = wanted.get(figure, _Range()).within(_range(criterion))
        names.setdefault(figure, []).append(f"{name} ({criterion.words})")
        if wanted[figure].is_empty:
            problems.append(f"{name}: no value meets {' and '.join(names.pop(figure))}")
            del wanted[figure]
    for name, criterion in _named("failure", plan.failure):
        figure = _figure(criterion)
        if figure in wanted and not wanted[figure].within(_range(criterion)).is_empty:
            problems.append(
                f"{name}: {criterion.words} can be met together with {' and '.join(names[figure])}"
            )
    return problems


def _named(kind: str, criteria: "Sequence[Criterion]") -> "Iterator[tuple[str, Criterion]]":
    for number, criterion in enumerate(criteria, start=1):
        yield f"{kind}[{number}]", criterion


def _figure(criterion: "Criterion") -> tuple[str, ...]:
    return (criterion.metric, criterion.tier, criterion.evidence_window, criterion.population)


def _range(criterion: "Criterion") -> _Range:
    bound = criterion.bound
    if criterion.metric in COUNTS:
        # A count: above 2 is at least 3.
        return {
            "at_least": _Range(low=math.ceil(bound)),
            "above": _Range(low=math.floor(bound) + 1),
            "at_most": _Range(high=math.floor(bound)),
            "below": _Range(high=math.ceil(bound) - 1),
        }[criterion.comparison]
    return {
        "at_least": _Range(low=bound),
        "above": _Range(low=bound, is_low_open=True),
        "at_most": _Range(high=bound),
        "below": _Range(high=bound, is_high_open=True),
    }[criterion.comparison]
