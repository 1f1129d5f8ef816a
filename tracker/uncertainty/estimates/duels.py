"""Pairwise comparisons of models, submissions or teams, and the ranks that follow."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

from tracker.uncertainty import stats
from tracker.uncertainty.stats import Interval

# Two are told apart if the adjusted p value is smaller.
SIGNIFICANT = 0.05

Name = TypeVar("Name")


@dataclass(frozen=True)
class Duel(Generic[Name]):
    """A comparison with one that is listed later; `p_adjusted` is adjusted over all pairs."""

    first: Name
    versus: Name
    compared: Interval
    p_adjusted: float | None

    @property
    def is_told(self) -> bool:
        """Whether the first is shown to be better."""
        return self.p_adjusted is not None and self.p_adjusted < SIGNIFICANT


def of_pairs(
    ordered: Sequence[Name], compare: Callable[[Name, Name], Interval]
) -> list[Duel[Name]]:
    """Compare each with all later ones, given best first; p is adjusted by Holm's method."""
    pairs = list(combinations(ordered, 2))
    compared = [compare(*pair) for pair in pairs]
    adjusted = stats.holm([one.p_value for one in compared])
    return [Duel(*pair, one, p) for pair, one, p in zip(pairs, compared, adjusted, strict=True)]


def rank(name: Name, duels: Sequence[Duel[Name]]) -> int:
    """Return 1 + the number of those shown to be better, so that equals share a rank."""
    return 1 + sum(duel.versus == name and duel.is_told for duel in duels)
