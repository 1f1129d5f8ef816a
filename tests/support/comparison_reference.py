"""The comparison of slates once more, by brute force, written from docs/metrics.md#comparisons.

A part of reference.py, whose functions say what each slate is by itself: when its outcomes became
public, what it knew, how far it reaches and what was expected of it. Here pairs of slates are put
side by side, both ways round. Figures stay exact fractions until the last step.
"""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from datetime import date
from operator import itemgetter
from typing import Any
from uuid import UUID

from reference import (
    PAIR,
    POPULATIONS,
    Matched,
    Pair,
    as_double,
    candidates_of,
    counted_from,
    dated,
    followed_until,
    grouped,
    horizon_end_of,
    ids,
    is_high,
    is_public_by_freeze,
    known_pairs,
    labels_of,
    only,
    outcomes_of,
    pair_of,
    predictions_of,
    ratio,
    tiers_of,
)
from worlds import Row, World

NO_WINDOW = "the horizon of one slate ends before the other was frozen"
NO_PREDICTION = "no common disease has predictions of both"
NOTHING_COMPARED = "nothing is compared"
OWN_UNKNOWN = "the enrichment of the slate is not known: "
OTHER_UNKNOWN = "the enrichment of the other slate is not known: "
NOTHING_TRUE = "nothing came true among equally popular drugs"
NO_OTHER_HIT = "the other slate has no hit"


class Alone:
    """What a slate is by itself, worked out once for all slates that it is compared with."""

    def __init__(self, world: World, slate: Row) -> None:
        self.slate_id: UUID = slate["slate_id"]
        self.is_replay: bool = slate["is_replay"]
        self.counted_from: date = counted_from(slate)
        self.ends_on = horizon_end_of(slate)
        self.followed_until = followed_until(world, slate)
        self.predictions = predictions_of(world, slate)
        self.diseases = {row["disease_id"] for row in self.predictions}
        self.tiers = tiers_of(world, slate)
        self.outcomes = outcomes_of(world, slate)
        self.known = set(known_pairs(world, slate))
        self.matched = Matched(world, slate, "all", "all")
        self.missing = missing_sets(world, slate)


def missing_sets(world: World, slate: Row) -> str | None:
    """Return which sets a slate lacks, in words."""
    lacks = [
        name
        for name, found in (
            ("candidate set", candidates_of(world, slate)),
            ("labeled pairs", labels_of(world, slate)),
        )
        if found is None
    ]
    return f"the slate has no {' and no '.join(lacks)}" if lacks else None


@dataclass(frozen=True)
class Listed:
    """A prediction in its place, and whether it stands in the list once both are cut."""

    row: Row
    place: int
    is_listed: bool

    @property
    def pair(self) -> Pair:
        return pair_of(self.row)


class Versus:
    """A slate, another one, and what they have in common."""

    def __init__(self, own: Alone, other: Alone) -> None:
        self.own, self.other = own, other
        self.grain = {"slate_id": own.slate_id, "versus_slate_id": other.slate_id}
        self.diseases = own.diseases & other.diseases
        self.starts_on = max(own.counted_from, other.counted_from)
        self.ends_on = min(own.ends_on, other.ends_on)
        ends = [own.followed_until, other.followed_until]
        # A slate none of whose sources was ever ingested does not hold the other back.
        self.followed_until = min((day for day in ends if day is not None), default=None)
        self.has_window = self.starts_on < self.ends_on
        self.outcomes = [*own.outcomes, *other.outcomes]
        self.known = self._known()
        self.first = self._first_hits()

    def _known(self) -> set[Pair]:
        """Return the pairs that were known before the common window."""
        later = {"frozen_on": self.starts_on}
        public = {pair_of(row) for row in self.outcomes if is_public_by_freeze(later, row)}
        return self.own.known | self.other.known | public

    def _first_hits(self) -> dict[Pair, Row]:
        """Return the first high-signal outcome of each pair that came true in the window."""
        found = [row for row in self.outcomes if is_high(row) and self._is_in_window(row)]
        return {
            pair: min(rows, key=itemgetter("event_date", "public_by", "outcome_id"))
            for pair, rows in grouped(found, pair_of).items()
        }

    def _is_in_window(self, outcome: Row) -> bool:
        """Return whether the event happened and became public after the start, by the end."""
        event, after, by = (outcome[name] for name in ("event_date", "public_after", "public_by"))
        if event is None or after is None or by is None:
            return False
        happened: bool = self.starts_on < event <= self.ends_on
        return happened and bool(after >= self.starts_on and by <= self.ends_on)

    def tiers(self) -> list[str]:
        return [tier for tier in self.own.tiers if tier in self.other.tiers]

    def ranked(self, alone: Alone, population: str, tier: str) -> dict[int, list[Row]]:
        """Return a slate's predictions of the population and tier, by disease, best rank first."""
        own = [
            row
            for row in sorted(alone.predictions, key=itemgetter("rank", "drug_id"))
            if tier in ("all", row["tier"])
            and (population == "all" or pair_of(row) not in self.known)
        ]
        return grouped(own, itemgetter("disease_id"))

    def lists(self, population: str, tier: str) -> tuple[list[Listed], list[Listed]]:
        """Return both slates' predictions for the diseases in which both have any."""
        own, other = (self.ranked(alone, population, tier) for alone in (self.own, self.other))
        return _cut(own, other), _cut(other, own)

    def figures(self, population: str, tier: str) -> Row:
        """Return what the slate's list has against its other candidates in the common window."""
        compared = copy(self.own.matched)
        if population == "novel":
            compared.pairs = compared.pairs - self.known
        compared.hits = compared.pairs & self.first.keys()
        own, _ = self.lists(population, tier)
        return compared.figures([listed.pair for listed in own if listed.is_listed])

    def turned(self) -> "Versus":
        return Versus(self.other, self.own)


def _cut(own: dict[int, list[Row]], other: dict[int, list[Row]]) -> list[Listed]:
    """Place the rows of the diseases of both; the list has as many as the shorter one."""
    return [
        Listed(row, place, place <= len(other[disease]))
        for disease, rows in own.items()
        if disease in other
        for place, row in enumerate(rows, start=1)
    ]


def _versus(world: World) -> Iterator[Versus]:
    """Yield each slate with each other one that predicts for a disease of it."""
    alone = [Alone(world, slate) for slate in world["slate"]]
    for own in alone:
        for other in alone:
            if own is not other and own.diseases & other.diseases:
                yield Versus(own, other)


def comparison_window(versus: Versus) -> Iterator[Row]:
    yield versus.grain | {
        "starts_on": versus.starts_on,
        "ends_on": versus.ends_on,
        "followed_until": versus.followed_until,
        "n_common_diseases": len(versus.diseases),
        "reason": None if versus.has_window else NO_WINDOW,
    }


def comparison_known(versus: Versus) -> Iterator[Row]:
    if versus.has_window:
        for pair in versus.known:
            yield versus.grain | ids(pair)


def comparison_hit(versus: Versus) -> Iterator[Row]:
    if versus.has_window:
        kept = (*PAIR, "outcome_id", "outcome_type", "event_date", "public_by", "source")
        for row in versus.first.values():
            detail = row["detail"] if isinstance(row["detail"], dict) else {}
            yield versus.grain | only(row, *kept) | {"record": detail.get("record")}


def _groups(versus: Versus) -> Iterator[tuple[str, str, Row]]:
    for population in POPULATIONS:
        for tier in versus.tiers():
            yield population, tier, versus.grain | {"population": population, "tier": tier}


def comparison_prediction(versus: Versus) -> Iterator[Row]:
    if not versus.has_window:
        return
    for population, tier, grain in _groups(versus):
        ours, theirs = versus.lists(population, tier)
        also = {listed.pair for listed in theirs if listed.is_listed}
        for listed in ours:
            hit = versus.first.get(listed.pair)
            yield grain | {
                **ids(listed.pair),
                "place": listed.place,
                "is_listed": listed.is_listed,
                "is_listed_by_both": listed.is_listed and listed.pair in also,
                "is_hit": hit is not None,
                "outcome_id": None if hit is None else hit["outcome_id"],
            }


def _counts(versus: Versus, ours: list[Listed], theirs: list[Listed]) -> Row:
    """Count two lists of the same diseases, and what was cut of them."""
    own = {listed.pair for listed in ours if listed.is_listed}
    other = {listed.pair for listed in theirs if listed.is_listed}
    return {
        "n_predictions": len(own),
        "n_shared": len(own & other),
        "n_cut": len(ours) - len(own),
        "n_versus_cut": len(theirs) - len(other),
        "n_hits": len(own & versus.first.keys()),
        "n_versus_hits": len(other & versus.first.keys()),
        "n_shared_hits": len(own & other & versus.first.keys()),
    }


def _by_disease(versus: Versus, population: str, tier: str) -> dict[int, Row]:
    ours, theirs = (
        grouped(lists, lambda listed: listed.pair[0]) for lists in versus.lists(population, tier)
    )
    return {disease: _counts(versus, ours[disease], theirs[disease]) for disease in ours}


def comparison_disease(versus: Versus) -> Iterator[Row]:
    if versus.has_window:
        for population, tier, grain in _groups(versus):
            for disease_id, counts in _by_disease(versus, population, tier).items():
                yield grain | {"disease_id": disease_id} | counts


def comparison(versus: Versus) -> Iterator[Row]:
    ended = versus.followed_until is not None and versus.followed_until >= versus.ends_on
    window = {
        "starts_on": versus.starts_on,
        "ends_on": versus.ends_on,
        "followed_until": versus.followed_until,
        "is_interim": not ended,
    }
    for population, tier, grain in _groups(versus):
        ours, theirs = versus.lists(population, tier) if versus.has_window else ([], [])
        counts = _counts(versus, ours, theirs)
        diseases = list(_by_disease(versus, population, tier).values()) if ours else []
        rate, other_rate = (
            ratio(counts[name], counts["n_predictions"]) for name in ("n_hits", "n_versus_hits")
        )
        own, other = (
            side.figures(population, tier) if ours else {} for side in (versus, versus.turned())
        )
        enrichment, versus_enrichment = (side.get("enrichment_vs_matched") for side in (own, other))
        yield (
            grain
            | window
            | {
                "is_replay": versus.own.is_replay,
                "is_versus_replay": versus.other.is_replay,
                "n_diseases": len(diseases),
                "n_better": sum(row["n_hits"] > row["n_versus_hits"] for row in diseases),
                "n_worse": sum(row["n_hits"] < row["n_versus_hits"] for row in diseases),
                **counts,
                "hit_rate": as_double(rate),
                "versus_hit_rate": as_double(other_rate),
                "hit_rate_difference": as_double(
                    None if rate is None or other_rate is None else rate - other_rate
                ),
                "enrichment": enrichment,
                "versus_enrichment": versus_enrichment,
                "enrichment_ratio": None
                if enrichment is None or not versus_enrichment
                else enrichment / versus_enrichment,
                **_reasons(versus, bool(ours), own, other),
            }
        )


def _reasons(versus: Versus, is_compared: bool, own: Row, other: Row) -> dict[str, Any]:
    reason = ratio_reason = None
    if not versus.has_window:
        reason = NO_WINDOW
    elif not is_compared:
        reason = NO_PREDICTION
    if reason is not None:
        ratio_reason = NOTHING_COMPARED
    elif own["enrichment_vs_matched"] is None:
        ratio_reason = OWN_UNKNOWN + _why_not(versus.own, own)
    elif other["enrichment_vs_matched"] is None:
        ratio_reason = OTHER_UNKNOWN + _why_not(versus.other, other)
    elif other["enrichment_vs_matched"] == 0:
        ratio_reason = NO_OTHER_HIT
    return {"reason": reason, "ratio_reason": ratio_reason}


def _why_not(alone: Alone, found: Row) -> str:
    if alone.missing is not None:
        return alone.missing
    if found["own_share"] is None:
        return NOTHING_TRUE
    if found["own_share"] > 0.9:
        return (
            "no fair comparison: almost every equally popular drug is itself predicted ("
            f"{_rounded(100 * found['own_share'])}% of the expected hits)"
        )
    return "no other candidate came true where it can be compared"


def _rounded(percent: float) -> int:
    """Return the nearest whole number, halves away from 0, as a cast in SQL does."""
    return int(percent + 0.5)


BOTH = ("slate_id", "versus_slate_id")
TIER = (*BOTH, "population", "tier")

# Each view with its reference and its grain; those that others read come first.
VIEWS = {
    "comparison_window": (comparison_window, BOTH),
    "comparison_known": (comparison_known, (*BOTH, *PAIR)),
    "comparison_hit": (comparison_hit, (*BOTH, *PAIR)),
    "comparison_prediction": (comparison_prediction, (*TIER, *PAIR)),
    "comparison_disease": (comparison_disease, (*TIER, "disease_id")),
    "comparison": (comparison, TIER),
}


def rows(world: World) -> dict[str, list[Row]]:
    """Return the rows of every view."""
    pairs = list(_versus(dated(world)))
    return {
        view: [row for versus in pairs for row in of_versus(versus)]
        for view, (of_versus, _) in VIEWS.items()
    }
