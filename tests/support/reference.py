"""The prospective metrics once more, by brute force, written from docs/metrics.md.

What tests compare a prospective figure with is computed here and nowhere else, but for golden
cases, which a person can redo on paper. Slow, obvious and independent of the SQL. Takes a complete
world (worlds.complete), whatever made it, and returns the rows of a view. Rates stay exact
fractions until the last step, so that a view's double is compared with the nearest double of the
true value.
"""

import calendar
import functools
import hashlib
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from worlds import SIGNALS, Row, World

WINDOWS = ("all", "prospective")
POPULATIONS = ("all", "novel")
GROUPS = tuple(product(WINDOWS, POPULATIONS))
KINDS = {
    "decile": "breadth_decile",
    "cohort": "breadth_cohort",
    "positive_decile": "positive_decile",
}
# The outcomes that prove phase 4.
APPROVALS = ("fda_approved", "ema_approved")
EVIDENCE_SOURCES = ("chembl", "ctgov", "ema", "fda", "ictrp")
# Columns of grains.
PAIR = ("disease_id", "drug_id")
GROUP = ("evidence_window", "population")
TIER = (*GROUP, "tier")
Pair = tuple[int, int]
Item = TypeVar("Item")
Key = TypeVar("Key")
Reference = Callable[[World, Row], Iterator[Row]]

# Each view with its reference, which yields the rows of a slate, and its grain.
VIEWS: dict[str, tuple[Reference, tuple[str, ...]]] = {}


def view(*grain: str) -> Callable[[Reference], Reference]:
    """Have a function be the reference of the view of its name; its rows are given the slate."""

    def named(of_slate: Reference) -> Reference:
        @functools.wraps(of_slate)
        def rows_of(world: World, slate: Row) -> Iterator[Row]:
            for row in of_slate(world, slate):
                yield {"slate_id": slate["slate_id"], **row}

        VIEWS[of_slate.__name__] = rows_of, ("slate_id", *grain)
        return rows_of

    return named


def pair_of(row: Row) -> Pair:
    return row["disease_id"], row["drug_id"]


def ids(pair: Pair) -> Row:
    return dict(zip(PAIR, pair, strict=True))


def only(row: Row, *names: str) -> Row:
    """Return these columns of a row."""
    return {name: row[name] for name in names}


def grouped(rows: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Return the rows by their key."""
    groups: dict[Key, list[Item]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def ratio(numerator: int | Fraction, denominator: int | Fraction) -> Fraction | None:
    """Return the exact ratio, None if the denominator is 0."""
    return None if denominator == 0 else Fraction(numerator) / Fraction(denominator)


def divide(numerator: Fraction | None, denominator: Fraction | None) -> Fraction | None:
    """Return the ratio of two metrics, None if either is missing or the denominator is 0."""
    if numerator is None or denominator is None:
        return None
    return ratio(numerator, denominator)


def as_double(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def mean(values: Iterable[float]) -> Fraction | None:
    exact = [Fraction(value) for value in values]
    return ratio(sum(exact, Fraction(0)), len(exact))


def tie_names(world: World, entity: str, key: int) -> list[tuple[datetime, str]]:
    """Return since when which name of an entity has been the first of its names."""
    found: list[tuple[datetime, str]] = []
    for row in sorted(world[f"{entity}_alias"], key=lambda row: (row["added_at"], row["value"])):
        is_own = row["kind"] == "name" and row[f"{entity}_id"] == key
        if is_own and (not found or row["value"] < found[-1][1]):
            found.append((row["added_at"], row["value"]))
    return found


def tie_order(world: World, slate: Row, **entities: int) -> tuple[str, ...]:
    """Return what orders equals: the MD5 of the names of a disease and a drug, then their keys.

    A name is the first of those that the entity had when the slate was recorded; of one that came
    later, the first of those that it came with.
    """
    names = []
    for entity, key in entities.items():
        until = slate["recorded_at"]
        periods = tie_names(world, entity, key)
        names += [name for n, (since, name) in enumerate(periods) if n == 0 or since <= until][-1:]
    digest = hashlib.md5("\n".join(names).encode()).hexdigest()  # noqa: S324 - an order, no secret
    return (digest, *(f"{key:09}" for key in entities.values()))


def ntile(keys: list[Any], n_buckets: int = 10) -> dict[Any, int]:
    """Return the bucket of each key: sorted, the first len % n_buckets buckets get one more."""
    ordered = sorted(keys)
    size, n_larger = divmod(len(ordered), n_buckets)
    sizes = [size + (bucket < n_larger) for bucket in range(n_buckets)]
    numbers = [bucket for bucket, n in enumerate(sizes, start=1) for _ in range(n)]
    return dict(zip(ordered, numbers, strict=True))


def as_of(world: World, instant: datetime) -> World:
    """Return the world with the ledger cut to what was recorded at or before the instant."""
    recorded = {
        "outcome": "recorded_at",
        "release": "ingested_at",
        "slate_attachment": "attached_at",
        "round_extension": "extended_at",
        "drug_alias": "added_at",
    }
    cut = {
        table: [row for row in world[table] if row[column] <= instant]
        for table, column in recorded.items()
    }
    late = {
        sha256
        for row in world["slate"]
        if row["recorded_at"] > instant
        for sha256 in proved_hashes(world, row)
    }
    cut["timestamp_token"] = [
        row
        for row in world["timestamp_token"]
        if row["recorded_at"] <= instant
        or (row["sha256"] in late and row["generated_at"] <= instant)
    ]
    return {**world, **cut, "report_day": [{"reported_on": instant.date(), "reported_at": instant}]}


def months_later(day: date, months: int) -> date:
    """Return the day so many months later, or the last day of that month."""
    year, month = divmod(12 * day.year + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


# Facts about one slate


def dated(world: World) -> World:
    """Return the world with the day from which each slate counts, and what that rests on."""
    slates = [{**slate, **_date_of(world, slate)} for slate in world["slate"]]
    return {**world, "slate": slates}


def entry_of(world: World, slate: Row) -> Row | None:
    """Return what makes the slate an entry of a round, None if nothing does."""
    own = [row for row in world["round_entry"] if row["slate_id"] == slate["slate_id"]]
    return own[0] if own else None


def proved_hashes(world: World, slate: Row) -> set[str]:
    """Return the hashes of the slate and of the file that a team deposited for it."""
    entry = entry_of(world, slate)
    deposit_id = entry and entry["deposit_id"]
    deposited = [row for row in world["round_deposit"] if row["deposit_id"] == deposit_id]
    return {slate["content_sha256"], *(row["sha256"] for row in deposited)}


def closing_day(world: World, round_id: int) -> date:
    """Return the day of a round's last deadline."""
    given = [*world["round"], *world["round_extension"]]
    last: datetime = max(row["deadline"] for row in given if row["round_id"] == round_id)
    return last.date()


def _date_of(world: World, slate: Row) -> Row:
    hashes = proved_hashes(world, slate)
    proofs = [
        token["generated_at"] for token in world["timestamp_token"] if token["sha256"] in hashes
    ]
    entry = entry_of(world, slate)
    first = min(proofs, default=None)
    recorded_on = slate["created_at" if slate["origin"] == "frozen" else "recorded_at"].date()
    if slate["is_replay"]:
        basis, day = "replay", slate["frozen_on"]
    elif entry is not None:
        basis, day = "round", max(slate["frozen_on"], closing_day(world, entry["round_id"]))
    elif first is not None and first.date() <= recorded_on + timedelta(days=1):
        basis, day = "proved", max(slate["frozen_on"], first.date())
    else:
        basis, day = "claimed", max(slate["frozen_on"], recorded_on)
    return {
        "recorded_on": recorded_on,
        "proved_at": first,
        "date_basis": basis,
        "counted_from": day,
    }


def counted_from(slate: Row) -> Any:
    """Return the day from which a slate counts; that of its freeze where it was not dated."""
    return slate.get("counted_from", slate["frozen_on"])


@view()
def slate_date(_: World, slate: Row) -> Iterator[Row]:
    yield only(slate, "frozen_on", "recorded_on", "proved_at", "date_basis", "counted_from")


def predictions_of(world: World, slate: Row) -> list[Row]:
    return [row for row in world["prediction"] if row["slate_id"] == slate["slate_id"]]


def predicted_pairs(world: World, slate: Row) -> list[Pair]:
    return [pair_of(row) for row in predictions_of(world, slate)]


def predicted_diseases(world: World, slate: Row) -> set[int]:
    return {row["disease_id"] for row in predictions_of(world, slate)}


def set_of(world: World, slate: Row, column: str) -> int | None:
    """Return the key of the set that the slate was frozen with, else of one attached to it."""
    given = [row for row in world["slate_attachment"] if row["slate_id"] == slate["slate_id"]]
    found = [row[column] for row in [slate, *given] if row[column] is not None]
    return found[0] if found else None


def labels_of(world: World, slate: Row) -> dict[Pair, Row] | None:
    label_set_id = set_of(world, slate, "label_set_id")
    if label_set_id is None:
        return None
    return {
        pair_of(row): row for row in world["labeled_pair"] if row["label_set_id"] == label_set_id
    }


def candidates_of(world: World, slate: Row) -> set[Pair] | None:
    candidate_set_id = set_of(world, slate, "candidate_set_id")
    if candidate_set_id is None:
        return None
    return {
        pair_of(row) for row in world["candidate"] if row["candidate_set_id"] == candidate_set_id
    }


def slate_candidates_of(world: World, slate: Row) -> set[Pair]:
    """Return the candidate pairs of the diseases the slate predicts for."""
    diseases = predicted_diseases(world, slate)
    return {pair for pair in candidates_of(world, slate) or set() if pair[0] in diseases}


def outcomes_of(world: World, slate: Row) -> list[Row]:
    """Return the claims of the slate's publisher, of whichever pairs, predicted or not."""
    return [row for row in world["outcome"] if row["slate_id"] == slate["slate_id"]]


def is_public_by_freeze(slate: Row, outcome: Row) -> bool:
    """Return whether the event was public by the freeze; a claim without public dates: happened."""
    day = outcome["event_date"] if outcome["public_by"] is None else outcome["public_by"]
    return day is not None and day <= counted_from(slate)


def known_by_labels(world: World, slate: Row) -> dict[Pair, float]:
    """Return the pairs with a positive label or a phase above 0, each with the highest of them."""
    known: dict[Pair, float] = {}
    labeled = [
        (pair_of(row), row["known_label"], row["known_max_phase"])
        for row in predictions_of(world, slate)
    ]
    labeled += [
        (pair, row["label"], row["max_phase"])
        for pair, row in (labels_of(world, slate) or {}).items()
    ]
    for pair, label, phase in labeled:
        highest = max(label or 0, phase or 0)
        if highest > 0:
            known[pair] = max(known.get(pair, 0), highest)
    return known


def known_by_evidence(world: World, slate: Row) -> dict[Pair, float]:
    """Return the pairs with an event that was public by the freeze, 0 if none has a phase."""
    known: dict[Pair, float] = {}
    for row in outcomes_of(world, slate):
        if is_public_by_freeze(slate, row):
            pair = pair_of(row)
            known[pair] = max(known.get(pair, 0), phase_of(row) or 0)
    return known


def known_pairs(world: World, slate: Row) -> dict[Pair, float]:
    """Return the pairs known at the freeze with their highest phase, 0 where none is known."""
    labels, evidence = known_by_labels(world, slate), known_by_evidence(world, slate)
    return {
        pair: max(labels.get(pair, 0), evidence.get(pair, 0))
        for pair in labels.keys() | evidence.keys()
    }


def tiers_of(world: World, slate: Row) -> list[str]:
    """Return 'all' and the tiers in which the slate has predictions."""
    return ["all", *sorted({row["tier"] for row in predictions_of(world, slate)})]


def timing_of(slate: Row, outcome: Row) -> str:
    event, freeze = outcome["event_date"], counted_from(slate)
    if event is None:
        return "undated"
    if event < freeze:
        return "retrospective"
    if event == freeze:
        return "coincident"
    after, by = outcome["public_after"], outcome["public_by"]
    if by is not None and by <= freeze:
        return "announced"
    if after is not None and after >= freeze:
        return "prospective"
    return "unverified" if after is None or by is None else "straddles"


def first_public_on(outcome: Row) -> date | None:
    """Return the day on which the event became public, None where only an interval is known."""
    after, by = outcome["public_after"], outcome["public_by"]
    is_one_day = after is not None and by is not None and (by - after).days == 1
    return by if is_one_day else None


def horizon_months_of(slate: Row) -> int:
    months = (slate["plan"] or {}).get("horizon_months", 12)
    return months if isinstance(months, int) else 12


def horizon_end_of(slate: Row) -> date:
    """Return the last day of the months that the slate looks forward."""
    return months_later(counted_from(slate), horizon_months_of(slate))


def is_after_horizon(slate: Row, outcome: Row) -> bool:
    """Return whether the event happened or became public after the horizon."""
    days = [day for day in (outcome["event_date"], outcome["public_by"]) if day is not None]
    # An event without a date is undated, whenever it became public; the later of the two counts.
    return any(day > horizon_end_of(slate) for day in days)


def by_horizon(slate: Row, outcomes: Iterable[Row]) -> list[Row]:
    """Return the outcomes that happened and became public by the end of the horizon."""
    return [row for row in outcomes if not is_after_horizon(slate, row)]


def counted(slate: Row, outcomes: list[Row], window: str) -> list[Row]:
    """Return the outcomes of a window that count: the horizon binds the prospective ones alone."""
    return by_horizon(slate, outcomes) if window == "prospective" else outcomes


def is_later_hit(slate: Row, outcomes: list[Row]) -> bool:
    """Return whether all high-signal outcomes of a pair came after the horizon."""
    high = [row for row in outcomes if is_high(row)]
    return bool(high) and not by_horizon(slate, high)


def events_of(world: World, slate: Row, window: str) -> dict[Pair, list[Row]]:
    """Return the outcomes of the window by pair, predicted or not."""
    outcomes = [
        row
        for row in outcomes_of(world, slate)
        if window == "all" or timing_of(slate, row) == "prospective"
    ]
    return grouped(outcomes, pair_of)


def is_high(outcome: Row) -> bool:
    return SIGNALS[outcome["outcome_type"]] == "high"


def first_date(outcomes: list[Row]) -> date | None:
    return min(
        (row["event_date"] for row in outcomes if is_high(row) and row["event_date"] is not None),
        default=None,
    )


# Outcomes and pairs


@view(*PAIR, "outcome_id")
def outcome_timing(world: World, slate: Row) -> Iterator[Row]:
    kept = (
        *PAIR,
        "outcome_id",
        "outcome_type",
        "event_date",
        "public_after",
        "public_by",
        "source",
        "release_id",
        "observed_at",
        "recorded_at",
        "outcome_origin",
    )
    for row in outcomes_of(world, slate):
        yield only(row, *kept) | {
            "signal": SIGNALS[row["outcome_type"]],
            "timing": timing_of(slate, row),
            "is_after_horizon": is_after_horizon(slate, row),
            "first_public_on": first_public_on(row),
        }


@view("source", "public_after", "public_by")
def straddling_release(world: World, slate: Row) -> Iterator[Row]:
    predicted = set(predicted_pairs(world, slate))
    straddling = [row for row in outcomes_of(world, slate) if timing_of(slate, row) == "straddles"]
    interval = ("source", "public_after", "public_by")
    for key, rows in grouped(straddling, itemgetter(*interval)).items():
        yield dict(zip(interval, key, strict=True)) | {
            "n_outcomes": len(rows),
            "n_pairs": len(set(map(pair_of, rows))),
            "n_possible_hits": len(set(map(pair_of, filter(is_high, rows))) & predicted),
        }


@view("outcome_type", "timing")
def outcome_count(world: World, slate: Row) -> Iterator[Row]:
    predicted = set(predicted_pairs(world, slate))
    by_type = grouped(outcome_timing(world, slate), itemgetter("outcome_type", "timing"))
    for (outcome_type, timing), rows in by_type.items():
        pairs = set(map(pair_of, rows))
        origins = Counter(row["outcome_origin"] for row in rows)
        yield {
            "outcome_type": outcome_type,
            "timing": timing,
            "signal": SIGNALS[outcome_type],
            "n_outcomes": len(rows),
            "n_pairs": len(pairs),
            "n_predicted_pairs": len(pairs & predicted),
            **{f"n_{origin}": origins[origin] for origin in ("detected", "loaded", "imported")},
        }


@view("position")
def evidence_flow(world: World, slate: Row) -> Iterator[Row]:
    held = {row["release_id"] for row in world["release"] if row["source"] in EVIDENCE_SOURCES}
    n_released = sum(
        row["n_versions"] for row in world["release_coverage"] if row["release_id"] in held
    )
    predicted = set(predicted_pairs(world, slate))
    kept = outcomes_of(world, slate)
    stages: list[tuple[str, int, int | None]] = [("released", n_released, None)]
    tests: dict[str, Callable[[Row], bool]] = {
        "matched": lambda _row: True,
        "predicted": lambda row: pair_of(row) in predicted,
        "prospective": lambda row: timing_of(slate, row) == "prospective",
        "hit": lambda row: is_high(row) and not is_after_horizon(slate, row),
    }
    for stage, holds in tests.items():
        kept = list(filter(holds, kept))
        stages.append((stage, len(kept), len(set(map(pair_of, kept)))))
    for position, (stage, n_items, n_pairs) in enumerate(stages, 1):
        # These worlds have outcomes, not studies.
        n_studies = 0 if stage == "predicted" else None
        yield {
            "position": position,
            "stage": stage,
            "n_items": n_items,
            "n_pairs": n_pairs,
            "n_announced_studies": n_studies,
            "n_late_studies": n_studies,
        }


def figures_of_pair(slate: Row, window: str, every: list[Row]) -> Row:
    """Return what the outcomes of a pair in a window amount to."""
    outcomes = counted(slate, every, window)
    return {
        "evidence_window": window,
        "has_any_outcome": bool(outcomes),
        "is_hit": any(map(is_high, outcomes)),
        "is_later_hit": is_later_hit(slate, every),
        "first_event_date": first_date(outcomes),
    }


@view(*PAIR, "evidence_window")
def pair_event(world: World, slate: Row) -> Iterator[Row]:
    for window in WINDOWS:
        for pair, every in events_of(world, slate, window).items():
            yield ids(pair) | figures_of_pair(slate, window, every)


@view(*PAIR, "evidence_window")
def pair_outcome(world: World, slate: Row) -> Iterator[Row]:
    known = known_pairs(world, slate)
    for window in WINDOWS:
        events = events_of(world, slate, window)
        for row in predictions_of(world, slate):
            yield {
                **only(row, *PAIR, "tier", "score", "rank"),
                "is_novel": pair_of(row) not in known,
                **figures_of_pair(slate, window, events.get(pair_of(row), [])),
            }


def knowledge_of(world: World, slate: Row) -> dict[Pair, str]:
    """Return the most that was known of each predicted pair at the freeze, in words."""
    known, labels = known_pairs(world, slate), labels_of(world, slate) or {}
    # A trial of phase 4 is not an approval.
    approved = {pair for pair, phase in known_by_labels(world, slate).items() if phase == 4}
    approved |= {
        pair_of(row)
        for row in outcomes_of(world, slate)
        if row["outcome_type"] in APPROVALS and is_public_by_freeze(slate, row)
    }
    words = {}
    for row in predictions_of(world, slate):
        pair = pair_of(row)
        if pair in approved:
            words[pair] = "approved"
        elif pair in known:
            words[pair] = "in trials" if known[pair] else "in trials, phase unknown"
        else:
            has_label = row["known_label"] is not None or pair in labels
            words[pair] = "negative label" if has_label else "nothing"
    return words


@view("tier", "knowledge")
def known_at_freeze(world: World, slate: Row) -> Iterator[Row]:
    near = relatives_of(world, slate)
    words = {
        pair: "a close relative" if known == "nothing" and pair in near else known
        for pair, known in knowledge_of(world, slate).items()
    }
    by_evidence_only = known_pairs(world, slate).keys() - known_by_labels(world, slate).keys()
    for tier, rows in by_tier(world, slate, predictions_of(world, slate)):
        for knowledge, own in grouped(map(pair_of, rows), words.__getitem__).items():
            yield {
                "tier": tier,
                "knowledge": knowledge,
                "n_predictions": len(own),
                "n_by_evidence_only": len(by_evidence_only.intersection(own)),
                "tier_share": as_double(ratio(len(own), len(rows))),
            }


def groups_of_all(world: World, slate: Row) -> Iterator[tuple[Row, list[Row]]]:
    """Yield the grain and the predicted pairs of each window and population."""
    pairs = list(pair_outcome(world, slate))
    for window, population in GROUPS:
        grain = {"evidence_window": window, "population": population}
        yield (
            grain,
            [
                pair
                for pair in pairs
                if pair["evidence_window"] == window and (population == "all" or pair["is_novel"])
            ],
        )


# By tier


def by_tier(world: World, slate: Row, rows: Iterable[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Yield 'all' and the tiers of the slate's predictions, each with its rows."""
    every = list(rows)
    for tier in tiers_of(world, slate):
        yield tier, [row for row in every if tier in ("all", row["tier"])]


def groups_by_tier(world: World, slate: Row) -> Iterator[tuple[Row, list[Row]]]:
    """Yield the grain and the predicted pairs of each window, population and tier."""
    for grain, pairs in groups_of_all(world, slate):
        for tier, own in by_tier(world, slate, pairs):
            yield grain | {"tier": tier}, own


def n_hits(pairs: Iterable[Row]) -> int:
    return sum(pair["is_hit"] for pair in pairs)


def hit_rate(pairs: Sequence[Row]) -> Fraction | None:
    return ratio(n_hits(pairs), len(pairs))


@view(*TIER)
def tier_count(world: World, slate: Row) -> Iterator[Row]:
    for grain, pairs in groups_by_tier(world, slate):
        yield grain | {
            "n_predictions": len(pairs),
            "n_with_any_outcome": sum(pair["has_any_outcome"] for pair in pairs),
            "n_hits": n_hits(pairs),
            "n_later_hits": sum(pair["is_later_hit"] for pair in pairs),
        }


@view(*TIER)
def tier_hit_rate(world: World, slate: Row) -> Iterator[Row]:
    for row in tier_count(world, slate):
        rate = ratio(row["n_hits"], row["n_predictions"])
        counts = only(row, *TIER, "n_predictions", "n_hits", "n_later_hits")
        yield counts | {"hit_rate": as_double(rate)}


@view(*TIER)
def enrichment_vs_random(world: World, slate: Row) -> Iterator[Row]:
    for group, every in groups_of_all(world, slate):
        base = hit_rate(every)
        for tier, pairs in by_tier(world, slate, every):
            yield group | {
                "tier": tier,
                "hit_rate": as_double(hit_rate(pairs)),
                "overall_hit_rate": as_double(base),
                "enrichment_vs_random": as_double(divide(hit_rate(pairs), base)),
            }


@view(*TIER)
def precision_proxy(world: World, slate: Row) -> Iterator[Row]:
    for row in tier_count(world, slate):
        yield only(row, *TIER, "n_with_any_outcome", "n_hits") | {
            "precision_proxy": as_double(ratio(row["n_hits"], row["n_with_any_outcome"]))
        }


@view(*TIER)
def score_calibration(world: World, slate: Row) -> Iterator[Row]:
    for grain, pairs in groups_by_tier(world, slate):
        hits = mean(pair["score"] for pair in pairs if pair["is_hit"])
        misses = mean(pair["score"] for pair in pairs if not pair["is_hit"])
        gap = None if hits is None or misses is None else hits - misses
        yield grain | {
            "mean_score_hits": as_double(hits),
            "mean_score_misses": as_double(misses),
            "score_gap": as_double(gap),
        }


def over_ties(pairs: list[Row], chosen: list[Row]) -> tuple[Fraction, int, int]:
    """Return the hits of as many pairs of each score as are chosen: their mean, least and most."""
    mean_hits, least, most = Fraction(), 0, 0
    for score in {pair["score"] for pair in chosen}:
        level = [pair for pair in pairs if pair["score"] == score]
        n_chosen = sum(pair["score"] == score for pair in chosen)
        mean_hits += Fraction(n_chosen * n_hits(level), len(level))
        least += max(0, n_chosen - (len(level) - n_hits(level)))
        most += min(n_chosen, n_hits(level))
    return mean_hits, least, most


@view(*GROUP, "score_decile")
def score_decile_hit_rate(world: World, slate: Row) -> Iterator[Row]:
    for grain, pairs in groups_of_all(world, slate):
        places = {
            pair_of(pair): (
                pair["score"],
                tie_order(world, slate, disease=pair["disease_id"], drug=pair["drug_id"]),
            )
            for pair in pairs
        }
        deciles = ntile(list(places.values()))
        by_decile: dict[int, list[Row]] = defaultdict(list)
        for pair in pairs:
            by_decile[deciles[places[pair_of(pair)]]].append(pair)
        for decile, members in by_decile.items():
            mean_hits, least, most = over_ties(pairs, members)
            yield grain | {
                "score_decile": decile,
                "n_predictions": len(members),
                "n_hits": n_hits(members),
                "tie_mean_hits": as_double(mean_hits),
                "mean_score": as_double(mean(pair["score"] for pair in members)),
                "hit_rate": as_double(mean_hits / len(members)),
                "tie_low_hit_rate": as_double(ratio(least, len(members))),
                "tie_high_hit_rate": as_double(ratio(most, len(members))),
            }


# Popularity


@view("drug_id")
def drug_breadth(world: World, slate: Row) -> Iterator[Row]:
    labels = labels_of(world, slate)
    if labels is None:
        return
    candidates = candidates_of(world, slate) or set()
    universe = {drug for _, drug in candidates} | {drug for _, drug in labels}
    breadth = {drug: len({pair[0] for pair in labels if pair[1] == drug}) for drug in universe}
    order = {drug: tie_order(world, slate, drug=drug) for drug in universe}
    deciles = ntile([(breadth[drug], order[drug]) for drug in universe])
    positive = {
        drug: len({pair[0] for pair, row in labels.items() if pair[1] == drug and row["label"] > 0})
        for drug in universe
    }
    positive_deciles = ntile([(positive[drug], order[drug]) for drug in universe])
    for drug in universe:
        n_below = sum(other < breadth[drug] for other in breadth.values())
        n_equal = sum(other == breadth[drug] for other in breadth.values())
        mid_rank = n_below + Fraction(n_equal + 1, 2)
        cohort = 1 + int(10 * (mid_rank - Fraction(1, 2)) / len(universe))
        yield {
            "drug_id": drug,
            "breadth": breadth[drug],
            "breadth_class": breadth_class(breadth[drug], span_of(slate)),
            "breadth_decile": deciles[breadth[drug], order[drug]],
            "breadth_cohort": min(cohort, 10),
            "positive_breadth": positive[drug],
            "positive_decile": positive_deciles[positive[drug], order[drug]],
        }


def group_of_drug(world: World, slate: Row, kind: str) -> dict[int, int]:
    return {row["drug_id"]: row[KINDS.get(kind, kind)] for row in drug_breadth(world, slate)}


def population_candidates(world: World, slate: Row, population: str) -> set[Pair]:
    candidates = slate_candidates_of(world, slate)
    return candidates if population == "all" else candidates - known_pairs(world, slate).keys()


def hit_pairs(world: World, slate: Row, window: str) -> set[Pair]:
    return {
        pair
        for pair, outcomes in events_of(world, slate, window).items()
        if any(is_high(row) for row in counted(slate, outcomes, window))
    }


@view(*GROUP, "drug_id")
def candidate_drug_count(world: World, slate: Row) -> Iterator[Row]:
    drugs = {drug for _, drug in slate_candidates_of(world, slate)}
    for window, population in GROUPS:
        pairs = population_candidates(world, slate, population)
        n_candidates = Counter(drug for _, drug in pairs)
        n_candidate_hits = Counter(drug for _, drug in pairs & hit_pairs(world, slate, window))
        for drug in drugs:
            yield {
                "evidence_window": window,
                "population": population,
                "drug_id": drug,
                "n_candidates": n_candidates[drug],
                "n_candidate_hits": n_candidate_hits[drug],
            }


@view(*GROUP, "grouping_kind", "breadth_group")
def breadth_baseline(world: World, slate: Row) -> Iterator[Row]:
    drug_counts = list(candidate_drug_count(world, slate))
    for kind in KINDS:
        group_of = group_of_drug(world, slate, kind)
        by_group: dict[tuple[str, str, int], list[Row]] = defaultdict(list)
        for row in drug_counts:
            if row["drug_id"] in group_of:
                group = group_of[row["drug_id"]]
                by_group[row["evidence_window"], row["population"], group].append(row)
        for (window, population, group), rows in by_group.items():
            n = sum(row["n_candidates"] for row in rows)
            hits = sum(row["n_candidate_hits"] for row in rows)
            yield {
                "evidence_window": window,
                "population": population,
                "grouping_kind": kind,
                "breadth_group": group,
                "n_candidates": n,
                "n_candidate_hits": hits,
                "baseline_hit_rate": as_double(ratio(hits, n)),
            }


@view(*GROUP, "breadth_decile")
def popularity_baseline(world: World, slate: Row) -> Iterator[Row]:
    for row in breadth_baseline(world, slate):
        if row["grouping_kind"] == "decile":
            kept = (*GROUP, "n_candidates", "n_candidate_hits", "baseline_hit_rate")
            yield only(row, *kept) | {"breadth_decile": row["breadth_group"]}


@view(*GROUP, "breadth_decile")
def breadth_decile_hit_rate(world: World, slate: Row) -> Iterator[Row]:
    if not has_sets(world, slate):
        return
    decile_of = group_of_drug(world, slate, "decile")
    baselines = {
        (row["evidence_window"], row["population"], row["breadth_decile"]): row["baseline_hit_rate"]
        for row in popularity_baseline(world, slate)
    }
    found: dict[tuple[str, str, int], list[Row]] = {key: [] for key in baselines}
    for grain, pairs in groups_of_all(world, slate):
        for row in pairs:
            if row["drug_id"] in decile_of:
                key = (*grain.values(), decile_of[row["drug_id"]])
                found.setdefault(key, []).append(row)
    for (window, population, decile), rows in found.items():
        yield {
            "evidence_window": window,
            "population": population,
            "breadth_decile": decile,
            "n_predictions": len(rows),
            "n_hits": n_hits(rows),
            "hit_rate": as_double(hit_rate(rows)),
            "baseline_hit_rate": baselines.get((window, population, decile)),
        }


@view("population", "disease_id", "tier", "grouping_kind", "breadth_group")
def breadth_prediction_count(world: World, slate: Row) -> Iterator[Row]:
    known = known_pairs(world, slate)
    for kind, population in product(KINDS, POPULATIONS):
        group_of = group_of_drug(world, slate, kind)
        counts = Counter(
            (row["disease_id"], row["tier"], group_of[row["drug_id"]])
            for row in predictions_of(world, slate)
            if row["drug_id"] in group_of and (population == "all" or pair_of(row) not in known)
        )
        for (disease_id, tier, group), n_predictions in counts.items():
            yield {
                "population": population,
                "disease_id": disease_id,
                "tier": tier,
                "grouping_kind": kind,
                "breadth_group": group,
                "n_predictions": n_predictions,
            }


def expected_hits(
    world: World, slate: Row, pairs: list[Row], grain: Row, kind: str
) -> Fraction | None:
    """Return the hits random drugs of the same breadth groups would have.

    None without both sets, and None where a prediction has no breadth or no candidate shares its
    group: a missing input, which may not count as nothing expected.
    """
    if not has_sets(world, slate) or not pairs:
        return None
    group_of = group_of_drug(world, slate, kind)
    hits = hit_pairs(world, slate, grain["evidence_window"])
    candidates = population_candidates(world, slate, grain["population"])
    total = Fraction(0)
    for pair in pairs:
        # Each prediction represents one random candidate of its group.
        own = group_of.get(pair["drug_id"])
        group = {one for one in candidates if group_of[one[1]] == own}
        if not group:
            return None
        total += Fraction(len(group & hits), len(group))
    return total


@view(*TIER)
def enrichment_vs_popularity(world: World, slate: Row) -> Iterator[Row]:
    for grain, pairs in groups_by_tier(world, slate):
        expected, tie_safe = (
            expected_hits(world, slate, pairs, grain, kind) for kind in ("decile", "cohort")
        )
        observed = Fraction(n_hits(pairs))
        yield grain | {
            "n_predictions": len(pairs),
            "observed_hit_rate": as_double(hit_rate(pairs)),
            "expected_hits": as_double(expected),
            "expected_hit_rate": as_double(divide(expected, Fraction(len(pairs)))),
            "enrichment_vs_popularity": as_double(divide(observed, expected)),
            "enrichment_vs_popularity_tie_safe": as_double(divide(observed, tie_safe)),
        }


def performance(world: World, slate: Row, column: str) -> Iterator[tuple[Row, list[Row]]]:
    """Yield the grain and row of each disease or drug that is predicted, and its pairs."""
    entities = sorted({row[column] for row in predictions_of(world, slate)})
    for grain, everything in groups_of_all(world, slate):
        for entity in entities:
            pairs = [pair for pair in everything if pair[column] == entity]
            yield (
                {
                    **grain,
                    column: entity,
                    "n_predictions": len(pairs),
                    "n_with_any_outcome": sum(pair["has_any_outcome"] for pair in pairs),
                    "n_hits": n_hits(pairs),
                    "hit_rate": as_double(hit_rate(pairs)),
                },
                pairs,
            )


@view(*GROUP, "disease_id")
def disease_performance(world: World, slate: Row) -> Iterator[Row]:
    for row, pairs in performance(world, slate, "disease_id"):
        expected = expected_hits(world, slate, pairs, row, "decile")
        yield row | {
            "expected_hit_rate": as_double(divide(expected, Fraction(len(pairs)))),
            "enrichment_vs_popularity": as_double(divide(Fraction(n_hits(pairs)), expected)),
        }


@view(*GROUP, "drug_id")
def drug_performance(world: World, slate: Row) -> Iterator[Row]:
    for row, _ in performance(world, slate, "drug_id"):
        yield row


# Time


@view(*PAIR)
def time_to_event(world: World, slate: Row) -> Iterator[Row]:
    events = events_of(world, slate, "all")
    for prediction in predictions_of(world, slate):
        dated = [
            row
            for row in events.get(pair_of(prediction), [])
            if is_high(row) and row["event_date"] is not None
        ]
        if dated:
            first = min(dated, key=itemgetter("event_date", "outcome_id"))
            yield {
                **only(prediction, *PAIR, "tier", "rank"),
                "first_event_date": first["event_date"],
                "days_to_event": (first["event_date"] - slate["frozen_on"]).days,
                "days_from_counted": (first["event_date"] - counted_from(slate)).days,
                "timing": timing_of(slate, first),
                **only(first, "outcome_type", "source"),
            }


def median_of(days: list[int]) -> float | None:
    if not days:
        return None
    ordered = sorted(days)
    return as_double(Fraction(ordered[(len(days) - 1) // 2] + ordered[len(days) // 2], 2))


@view("tier")
def median_time_to_event(world: World, slate: Row) -> Iterator[Row]:
    for tier, own in by_tier(world, slate, time_to_event(world, slate)):
        days = [row["days_to_event"] for row in own]
        yield {
            "tier": tier,
            "n_events": len(days),
            "median_days": median_of(days),
            "median_days_from_counted": median_of([row["days_from_counted"] for row in own]),
            "n_negative": sum(day < 0 for day in days),
            "n_zero": sum(day == 0 for day in days),
            "n_positive": sum(day > 0 for day in days),
        }


# Falsification


def phase_of(outcome: Row) -> float | None:
    """Return the phase an outcome proves, None where it proves none."""
    if outcome["outcome_type"] in APPROVALS:
        return 4.0
    named = outcome["detail"].get("phase") if isinstance(outcome["detail"], dict) else None
    if not is_high(outcome) or named is None:
        return None
    try:
        phase = float(named)
    except (TypeError, ValueError):
        return None
    return phase if 0 <= phase <= 4 else None


def due_date_of(slate: Row, prediction: Row) -> date | None:
    years = prediction["criterion_horizon_years"]
    if prediction["criterion"] == "monitor" or years is None:
        return None
    return months_later(slate["frozen_on"], 12 * years)


def satisfies(prediction: Row, outcome: Row) -> bool:
    """Return whether an outcome, dated in time, is what the criterion asks for."""
    if prediction["criterion"] == "any_activity":
        return True
    if prediction["criterion"] == "exceed_phase" and outcome["outcome_type"] in APPROVALS:
        return True
    phase = phase_of(outcome)
    bar: float | None = prediction["criterion_min_phase"]
    if phase is None or bar is None:
        return False
    return phase >= bar if prediction["criterion"] == "reach_phase" else phase > bar


def report_day(world: World) -> date:
    """Return the day of the report: the as-of date of a cut world, else today in UTC."""
    given = world.get("report_day")
    day: date = given[0]["reported_on"] if given else datetime.now(UTC).date()
    return day


@view(*PAIR)
def falsification_status(world: World, slate: Row) -> Iterator[Row]:
    today, covered = report_day(world), followed_until(world, slate)
    events = events_of(world, slate, "all")
    for prediction in predictions_of(world, slate):
        due = due_date_of(slate, prediction)
        meeting = [
            outcome
            for outcome in events.get(pair_of(prediction), [])
            if due is not None
            and outcome["event_date"] is not None
            and slate["frozen_on"] < outcome["event_date"] <= due
            and satisfies(prediction, outcome)
        ]
        if meeting:
            status = "met"
        elif due is not None and covered is not None and due <= covered:
            status = "falsified"
        else:
            status = "not yet known" if due is not None and due < today else "open"
        yield {
            **only(prediction, *PAIR, "tier", "criterion"),
            "due_date": due,
            "status": status,
            "met_on": min((outcome["event_date"] for outcome in meeting), default=None),
            "is_met_prospectively": any(
                timing_of(slate, outcome) == "prospective" for outcome in meeting
            ),
            "days_to_due": None if due is None else (due - today).days,
        }


@view("tier")
def falsification_summary(world: World, slate: Row) -> Iterator[Row]:
    for tier, members in by_tier(world, slate, falsification_status(world, slate)):
        statuses = Counter(row["status"] for row in members)
        falsifiable = [row for row in members if row["due_date"] is not None]
        still_open = [row["due_date"] for row in falsifiable if row["status"] == "open"]
        yield {
            "tier": tier,
            "n_predictions": len(members),
            "n_falsifiable": len(falsifiable),
            "n_met": statuses["met"],
            "n_met_prospectively": sum(row["is_met_prospectively"] for row in members),
            "n_falsified": statuses["falsified"],
            "n_open": len(still_open),
            "n_not_yet_known": statuses["not yet known"],
            "falsified_share": as_double(ratio(statuses["falsified"], len(falsifiable))),
            "next_due_date": min(still_open, default=None),
        }


@view(*PAIR)
def falsification_due(world: World, slate: Row) -> Iterator[Row]:
    bars = {pair_of(row): row["criterion_min_phase"] for row in predictions_of(world, slate)}
    for row in falsification_status(world, slate):
        if row["status"] != "open" or row["due_date"] is None:
            continue
        bar = bars[pair_of(row)]
        named = None if bar is None else f"{bar:g}"
        words = {
            "any_activity": "any clinical activity",
            "reach_phase": named and f"a trial of phase {named} or later",
            "exceed_phase": "an approval"
            if bar is not None and bar >= 4
            else named and f"a phase above {named}",
        }
        kept = only(row, *PAIR, "tier", "due_date", "days_to_due")
        yield kept | {"criterion_text": words[row["criterion"]]}


# Audit aids


@view(*TIER, "grouping_kind")
def tier_expectation(world: World, slate: Row) -> Iterator[Row]:
    for kind in KINDS:
        group_of = group_of_drug(world, slate, kind)
        for grain, pairs in groups_by_tier(world, slate):
            candidates = population_candidates(world, slate, grain["population"])
            groups = {group_of[drug] for _, drug in candidates if drug in group_of}
            # A tier none of whose predictions has a candidate to compare with has no row.
            if any(group_of.get(pair["drug_id"]) in groups for pair in pairs):
                expected = expected_hits(world, slate, pairs, grain, kind)
                yield grain | {"grouping_kind": kind, "expected_hits": as_double(expected)}


@view(*TIER)
def popularity_sensitivity(world: World, slate: Row) -> Iterator[Row]:
    by_match = {
        itemgetter(*TIER)(row): row["enrichment_vs_matched"]
        for row in enrichment_vs_matched(world, slate)
    }
    for grain, pairs in groups_by_tier(world, slate):
        values = [
            divide(
                Fraction(n_hits(pairs)),
                expected_hits(world, slate, pairs, grain, kind),
            )
            for kind in KINDS
        ]
        known = [value for value in values if value is not None]
        yield {
            **grain,
            **{
                f"enrichment_by_{kind}": as_double(value)
                for kind, value in zip(KINDS, values, strict=True)
            },
            "enrichment_by_match": by_match[itemgetter(*TIER)(grain)],
            "enrichment_by_degree_product": as_double(
                divide(Fraction(n_hits(pairs)), hits_by_product(world, slate, pairs, grain))
            ),
            "enrichment_spread": as_double(max(known) - min(known)) if len(known) == 3 else None,
        }


def hits_by_product(world: World, slate: Row, pairs: list[Row], grain: Row) -> Fraction | None:
    """Return the hits of these pairs if candidates hit in proportion to breadth x degree."""
    breadth = group_of_drug(world, slate, "breadth")
    degree = degree_of(world, slate)
    candidates = [
        pair
        for pair in population_candidates(world, slate, grain["population"])
        if pair[1] in breadth
    ]
    if not pairs or any(row["drug_id"] not in breadth for row in pairs):
        return None
    hits = set(candidates) & hit_pairs(world, slate, grain["evidence_window"])
    total = sum(breadth[drug] * degree[disease] for disease, drug in candidates)
    own = sum(breadth[row["drug_id"]] * degree[row["disease_id"]] for row in pairs)
    return ratio(own * len(hits), total)


# What was to be expected at the freeze, pair by pair.


@dataclass(frozen=True)
class Past:
    """The pairs an event made known in the past years, those known before, and the years."""

    events: set[Pair]
    known_before: set[Pair]
    years: float


def past_of(world: World, slate: Row) -> Past:
    freeze = counted_from(slate)
    everything = [row for row in outcomes_of(world, slate) if is_public_by_freeze(slate, row)]
    start = months_later(freeze, -36)
    dated = [row["public_after"] for row in everything if row["public_after"] is not None]
    if dated and not any(first_public_on(row) for row in everything):
        start = max(start, min(dated))
    labels = labels_of(world, slate) or {}
    events = set()
    for pair, rows in grouped(everything, pair_of).items():
        approved = labels[pair]["approval_year"] if pair in labels else None
        is_dated = all(row["public_after"] and row["public_after"] >= start for row in rows)
        if is_dated and (approved is None or approved >= start.year):
            events.add(pair)
    known = set(known_pairs(world, slate))
    return Past(events, known - events, (freeze - start).days / 365.25)


def breadth_then_of(world: World, slate: Row, past: Past) -> dict[int, int]:
    new = set(labels_of(world, slate) or {}) & past.events
    return {
        row["drug_id"]: row["breadth"] - sum(drug == row["drug_id"] for _, drug in new)
        for row in drug_breadth(world, slate)
    }


@view("drug_id")
def past_drug_count(world: World, slate: Row) -> Iterator[Row]:
    past = past_of(world, slate)
    degree = degree_of(world, slate)
    breadth = breadth_then_of(world, slate, past)
    for drug, pairs in grouped(slate_candidates_of(world, slate), lambda pair: pair[1]).items():
        if drug in breadth:
            novel_then = [pair for pair in pairs if pair not in past.known_before]
            yield {
                "drug_id": drug,
                "breadth_then": breadth[drug],
                "n_pairs": len(novel_then),
                "n_events": len(past.events.intersection(pairs)),
                "degree_sum": sum(degree[disease] + 1 for disease, _ in novel_then),
                "years": past.years,
            }


def degree_of(world: World, slate: Row) -> dict[int, int]:
    return {row["disease_id"]: row["n_known_pairs"] for row in disease_activity(world, slate)}


def yearly_growth(world: World, slate: Row) -> Fraction | None:
    """Return the known pairs that arise in a year, by approvals of the ten years before."""
    drugs = {drug for _, drug in slate_candidates_of(world, slate)}
    diseases = predicted_diseases(world, slate)
    own = [
        row
        for (disease, drug), row in (labels_of(world, slate) or {}).items()
        if disease in diseases and drug in drugs
    ]
    approved = [row for row in own if row["label"] == 4]
    year = counted_from(slate).year
    recent = sum(year - 10 <= (row["approval_year"] or 0) < year for row in approved)
    if not approved:
        return None
    return Fraction(recent, 10) * Fraction(sum(row["label"] > 0 for row in own), len(approved))


def octave(breadth: int) -> int:
    """Return how often 2 fits into breadth + 1 as a factor: 0, 1 to 2, 3 to 6, 7 to 14, ..."""
    return int(breadth + 1).bit_length() - 1


@view("tier", *PAIR)
def freeze_expectation(world: World, slate: Row) -> Iterator[Row]:
    counts = list(past_drug_count(world, slate))
    if not counts:
        return
    by_octave = grouped(
        (row for row in counts if row["n_pairs"]), lambda row: octave(row["breadth_then"])
    )
    growth = yearly_growth(world, slate)
    has_events = any(row["n_events"] for row in counts)
    basis = "events" if has_events else "approvals" if growth else None
    compared = Matched(world, slate, "all", "novel")
    degree = degree_of(world, slate)

    def popularity(pair: Pair) -> int:
        return (compared.breadth[pair[1]] + 1) * (degree[pair[0]] + 1)

    total = sum(popularity(pair) for pair in compared.pairs)

    def rate_of(pair: Pair) -> float:
        if basis == "approvals":
            return float((growth or 0) * popularity(pair) / total)
        lower = [o for o in by_octave if o <= octave(compared.breadth[pair[1]])]
        like = by_octave[max(lower)] if lower else []
        unit = sum((row["breadth_then"] + 1) * row["degree_sum"] for row in like)
        events = sum(row["n_events"] for row in like)
        return events / (unit * like[0]["years"]) * popularity(pair) if like else 0.0

    known = known_pairs(world, slate)
    novel = [
        row
        for row in predictions_of(world, slate)
        if pair_of(row) not in known and row["drug_id"] in compared.breadth
    ]
    for tier, rows in by_tier(world, slate, novel):
        own = list(map(pair_of, rows))
        for pair in own:
            stratum = compared.stratum(pair)
            alike = [other for other in compared.pairs if compared.stratum(other) == stratum]
            n_listed = sum(compared.stratum(other) == stratum for other in own)
            mean = math.fsum(map(rate_of, alike)) / len(alike) if basis and alike else 0.0
            yield {
                **ids(pair),
                "tier": tier,
                "breadth_class": stratum[1],
                "n_candidates": len(alike),
                "listed_share": min(n_listed / len(alike), 1.0) if alike else None,
                "degree_product": (
                    as_double(Fraction(sum(map(popularity, alike)), len(alike))) if alike else None
                ),
                "yearly_rate": min(mean, 1.0) if basis else None,
                "basis": basis,
            }


def drug_spread_of(counts: list[Row]) -> float | None:
    """Return how much drugs of like breadth differ beyond chance in the events of past years."""
    above = below = 0.0
    for row in counts:
        like = [
            each for each in counts if octave(each["breadth_then"]) == octave(row["breadth_then"])
        ]
        total = sum((each["breadth_then"] + 1) * each["degree_sum"] for each in like)
        if total:
            own = (row["breadth_then"] + 1) * row["degree_sum"] / total
            expected = own * sum(each["n_events"] for each in like)
            above += (row["n_events"] - expected) ** 2 - row["n_events"] * (1 - own)
            below += (expected * (1 - own)) ** 2
    if below == 0:
        return None
    return above / below if above / below > 1e-9 else 0.0


@view("tier")
def freeze_base_rate(world: World, slate: Row) -> Iterator[Row]:
    counts = list(past_drug_count(world, slate))
    by_list = grouped(freeze_expectation(world, slate), itemgetter("tier"))
    for tier in tiers_of(world, slate):
        own = by_list.get(tier, [])
        rates = [row["yearly_rate"] for row in own if row["yearly_rate"] is not None]
        weights = [row["degree_product"] or 0.0 for row in own]
        alone = math.fsum(
            row["listed_share"] * row["degree_product"] for row in own if row["degree_product"]
        )
        basis = own[0]["basis"] if own else None
        expected = math.fsum(rates) if rates else None
        yield {
            "tier": tier,
            "n_predictions": len(own),
            "basis": basis,
            "years": counts[0]["years"] if basis == "events" else None,
            "n_past_events": sum(row["n_events"] for row in counts),
            "expected_events": expected,
            "yearly_rate": None if expected is None else expected / len(own),
            "drug_spread": drug_spread_of(counts) if basis == "events" else None,
            "own_share": alone / math.fsum(weights) if any(weights) else None,
        }


def _first_record(outcomes: Sequence[Row]) -> str | None:
    """Return source and record of the first high-signal outcome of a pair that has a record."""
    found = [
        (
            row["event_date"] is None,
            row["event_date"] or date.min,
            row["outcome_type"],
            row["outcome_id"],
            f"{row['source']} {row['detail']['record']}",
        )
        for row in outcomes
        if is_high(row) and isinstance(row["detail"], dict) and row["detail"].get("record")
    ]
    return min(found)[-1] if found else None


def records_of_hits(world: World, slate: Row, grain: Row, pairs: Sequence[Row]) -> Counter[str]:
    """Return how many hits each record made first, of those that have a record."""
    window = grain["evidence_window"]
    events = events_of(world, slate, window)
    records = [
        _first_record(counted(slate, events[pair_of(pair)], window))
        for pair in pairs
        if pair["is_hit"]
    ]
    return Counter(record for record in records if record)


def concentration(kind: str, total: int, hits: Counter[Any], most: Any, name: str) -> Row:
    """Return how far the hits, in total `total`, are those of one disease, drug or record."""
    return {
        "entity_kind": kind,
        "n_hits": total,
        "n_entities": len(hits),
        "n_entities_with_hits": sum(count > 0 for count in hits.values()),
        "entity_name": name if total else None,
        "n_most_hits": hits[most],
        "largest_share": as_double(ratio(hits[most], total)),
    }


@view(*GROUP, "entity_kind")
def hit_concentration(world: World, slate: Row) -> Iterator[Row]:
    for grain, pairs in groups_of_all(world, slate):
        records = records_of_hits(world, slate, grain, pairs)
        total = sum(pair["is_hit"] for pair in pairs)
        if records:
            _, record = min((-count, record) for record, count in records.items())
            yield grain | concentration("record", total, records, record, record)
        for kind in ("disease", "drug") if pairs else ():
            hits: Counter[int] = Counter()
            for pair in pairs:
                hits[pair[f"{kind}_id"]] += pair["is_hit"]
            *_, most = min(
                (-count, [name for _, name in tie_names(world, kind, entity)][-1:], entity)
                for entity, count in hits.items()
            )
            (name,) = (row["name"] for row in world[kind] if row[f"{kind}_id"] == most)
            yield grain | concentration(kind, total, hits, most, name)


@view("disease_id")
def score_spread(world: World, slate: Row) -> Iterator[Row]:
    by_disease = grouped(predictions_of(world, slate), itemgetter("disease_id"))
    for disease_id, rows in by_disease.items():
        scores = [row["score"] for row in rows]
        yield {
            "disease_id": disease_id,
            "n_predictions": len(scores),
            "n_distinct_scores": len(set(scores)),
            "n_tied_predictions": sum(scores.count(score) > 1 for score in scores),
            "lowest_score": min(scores),
            "highest_score": max(scores),
            "is_constant": len(scores) > 1 and len(set(scores)) == 1,
        }


@view("other_slate_id")
def same_model_slate(world: World, slate: Row) -> Iterator[Row]:
    own = set(predicted_pairs(world, slate))
    given = world.get("report_day")
    for other in world["slate"]:
        if (
            other["slate_id"] == slate["slate_id"]
            or other["model_version"] != slate["model_version"]
            or (given and other["created_at"] > given[0]["reported_at"])
        ):
            continue
        n_shared = len(own.intersection(predicted_pairs(world, other)))
        yield {
            "other_slate_id": other["slate_id"],
            "model_version": slate["model_version"],
            "other_frozen_on": other["frozen_on"],
            "is_other_replay": other["is_replay"],
            "n_other_predictions": other["n_predictions"],
            "n_shared": n_shared,
            "overlap_share": as_double(ratio(n_shared, slate["n_predictions"])),
        }


GREEK = dict(zip("\u03b1\u03b2\u03b3\u03b4", ("alpha", "beta", "gamma", "delta"), strict=True))
ROMAN = dict(
    zip(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"), "123456789", strict=True)
)


def salts() -> set[str]:
    """The salts of drugs' names, which sql/matching/match_word.sql lists."""
    path = Path(__file__).parents[2] / "sql" / "matching" / "match_word.sql"
    text = path.read_text(encoding="utf-8")
    listed = text[text.index("'salt' as usage") :]
    return set(
        " ".join(re.findall(r"'([^']*)'", listed[: listed.index(") as word")])[1:-1]).split()
    )


def disease_word(word: str) -> str:
    if word in ROMAN:
        return ROMAN[word]
    if len(word) <= 3 or re.search("[0-9]|(ss|us|is)$", word) or not word.endswith("s"):
        return word
    return word[:-3] + "y" if len(word) > 5 and word.endswith("ies") else word[:-1]


def name_stems(kind: str, name: str) -> tuple[str, str]:
    """Return the sorted words of a name, and its letters and numbers."""
    name = name.lower()
    for letter, word in GREEK.items():
        name = name.replace(letter, f" {word} ")
    plain = []
    for letter in name:
        decomposed = unicodedata.normalize("NFD", letter)
        plain.append({"ł": "l", "ø": "o"}.get(letter, decomposed[0] if decomposed else letter))
    name = re.sub("[\u2019\u2018\u02bc\xb4`\u2032]", "'", "".join(plain))
    numbers = " ".join(re.findall("[0-9]+", name))
    if kind == "disease":
        name = re.sub(r"'s\b", "", name)
    words = re.findall(r"[^\W_]+", name.replace("'", ""))
    if kind == "drug":
        words = [word for word in words if word not in salts()] or words
    else:
        words = [disease_word(word) for word in words]
    return " ".join(sorted(words)), f"{''.join(words)} {numbers}"


@view("entity_kind", "name_stem")
def name_variant(world: World, slate: Row) -> Iterator[Row]:
    for kind in ("drug", "disease"):
        predicted = {row[f"{kind}_id"] for row in predictions_of(world, slate)}
        rows = [
            (row["name"], *name_stems(kind, row["name"]))
            for row in sorted(world[kind], key=itemgetter(f"{kind}_id"))
            if row[f"{kind}_id"] in predicted
        ]
        by_letters: dict[str, str] = {}
        for _, words, letters in rows:
            by_letters[letters] = min(words, by_letters.get(letters, words))
        by_words: dict[str, str] = {}
        for _, words, letters in rows:
            by_words[words] = min(by_letters[letters], by_words.get(words, by_letters[letters]))
        by_stem: dict[str, list[str]] = defaultdict(list)
        for name, words, _ in rows:
            by_stem[by_words[words]].append(name)
        for stem, names in by_stem.items():
            if len(names) > 1 and stem:
                yield {
                    "entity_kind": kind,
                    "name_stem": stem,
                    "n_names": len(names),
                    "names": "; ".join(names),
                }


# What resampling and plans are about


@view(*PAIR)
def marked_candidate(world: World, slate: Row) -> Iterator[Row]:
    known = known_pairs(world, slate).keys()
    hits, foreseen = (hit_pairs(world, slate, window) for window in WINDOWS)
    for pair in (known | hits) & (candidates_of(world, slate) or set()):
        yield ids(pair) | {
            "is_known": pair in known,
            "is_hit": pair in hits,
            "is_prospective_hit": pair in foreseen,
        }


@view("disease_id", "breadth")
def breadth_cell(world: World, slate: Row) -> Iterator[Row]:
    novel = population_candidates(world, slate, "novel")
    hits, foreseen = (hit_pairs(world, slate, window) for window in WINDOWS)
    breadth_of = group_of_drug(world, slate, "breadth")
    everything = [pair for pair in slate_candidates_of(world, slate) if pair[1] in breadth_of]
    cells = grouped(everything, lambda pair: (pair[0], breadth_of[pair[1]]))
    for (disease_id, breadth), pairs in cells.items():
        cell = set(pairs)
        yield {
            "disease_id": disease_id,
            "breadth": breadth,
            "breadth_class": breadth_class(breadth, span_of(slate)),
            "n_candidates": len(cell),
            "n_known": len(cell - novel),
            "n_hits": len(cell & hits),
            "n_novel_hits": len(cell & hits & novel),
            "n_prospective_hits": len(cell & foreseen),
            "n_novel_prospective_hits": len(cell & foreseen & novel),
        }


@view(*GROUP, *PAIR)
def population_pair(world: World, slate: Row) -> Iterator[Row]:
    for grain, pairs in groups_of_all(world, slate):
        for pair in pairs:
            yield grain | only(pair, *PAIR, "tier", "score", "is_hit")


@view("disease_id")
def disease_activity(world: World, slate: Row) -> Iterator[Row]:
    n_known = Counter(disease for disease, _ in known_pairs(world, slate))
    diseases = predicted_diseases(world, slate)
    middle = median_of([n_known[disease] for disease in diseases]) or 0
    for disease_id in diseases:
        yield {
            "disease_id": disease_id,
            "n_known_pairs": n_known[disease_id],
            "is_low_activity": n_known[disease_id] <= middle,
        }


# Predictions against other candidates of the same disease and class of breadth. In a list of
# predictions each pair has a part: 1, or less where equals share a place.

Parts = dict[Pair, Fraction]
Stratum = tuple[int, int]


def breadth_class(breadth: int, span: Fraction) -> int:
    """Return how many powers of the span, the 0th among them, the breadth reaches."""
    number, bound = 0, Fraction(1)
    while bound <= breadth:
        number, bound = number + 1, bound * span
    return number


def span_of(slate: Row) -> Fraction:
    return Fraction(str((slate["plan"] or {}).get("breadth_span", 1.15)))


class Matched:
    """The candidates of a window and population, and which of them came true."""

    def __init__(
        self,
        world: World,
        slate: Row,
        window: str,
        population: str,
        class_of: Callable[[Pair], str] | None = None,
        closeness: Mapping[Pair, int] | None = None,
    ) -> None:
        """Compare within a population, or with `class_of` within a class of that name.

        With `closeness` pairs are compared with those as close.
        """
        self.closeness = closeness or {}
        name, population = population, population if class_of is None else "all"

        def is_own(pair: Pair) -> bool:
            return class_of is None or class_of(pair) == name

        self.breadth = group_of_drug(world, slate, "breadth")
        span = span_of(slate)
        self.classes = {drug: breadth_class(b, span) for drug, b in self.breadth.items()}
        self.pairs = {
            pair
            for pair in population_candidates(world, slate, population)
            if pair[1] in self.breadth and is_own(pair)
        }
        self.hits = self.pairs & hit_pairs(world, slate, window)
        self.predicted: dict[Pair, Row] = {
            pair_of(row): row
            for row in pair_outcome(world, slate)
            if row["evidence_window"] == window
            and (population == "all" or row["is_novel"])
            and is_own(pair_of(row))
        }

    def stratum(self, pair: Pair) -> Stratum:
        return pair[0], 1000 * self.closeness.get(pair, 0) + self.classes[pair[1]]

    def tier(self, tier: str) -> dict[Pair, Row]:
        return {pair: row for pair, row in self.predicted.items() if tier in ("all", row["tier"])}

    def figures(self, listed: Iterable[Pair] | Parts) -> Row:
        """Return what a list has: hits, those expected, the ratio and the own share."""
        given = listed if isinstance(listed, dict) else dict.fromkeys(listed, Fraction(1))
        parts = {pair: Fraction(part) for pair, part in given.items() if pair in self.pairs}
        sizes = Counter(map(self.stratum, self.pairs))
        all_hits = Counter(map(self.stratum, self.hits))
        own: dict[Stratum, Fraction] = {}
        own_hits: dict[Stratum, Fraction] = {}
        for pair, part in parts.items():
            stratum = self.stratum(pair)
            own[stratum] = own.get(stratum, Fraction()) + part
            own_hits[stratum] = own_hits.get(stratum, Fraction()) + part * (pair in self.hits)
        above = below = left_in = alone = n_others = Fraction()
        for stratum, n_own in own.items():
            share = n_own / sizes[stratum]
            n_others += all_hits[stratum] - own_hits[stratum]
            above += own_hits[stratum] * (1 - share)
            below += (all_hits[stratum] - own_hits[stratum]) * share
            left_in += share * all_hits[stratum]
            alone += share**2 * all_hits[stratum]
        n_listed_hits = sum(own_hits.values(), Fraction())
        own_share = divide(alone, left_in)
        value = divide(above, below)
        if own_share is not None and own_share > Fraction(9, 10):
            value = None
        return {
            "n_listed_hits": n_listed_hits,
            "n_other_hits": int(n_others) if left_in else None,
            "expected_hits": as_double(n_listed_hits / value if value else left_in),
            "enrichment_vs_matched": as_double(value),
            "observed_vs_expected": as_double(divide(n_listed_hits, left_in)),
            "own_share": as_double(own_share),
        }


def has_sets(world: World, slate: Row) -> bool:
    return candidates_of(world, slate) is not None and labels_of(world, slate) is not None


def list_row(world: World, slate: Row, compared: Matched, listed: Iterable[Pair]) -> Row:
    """Return the columns of a list that views have; expected hits only of a list with pairs."""
    listed = list(listed)
    found = compared.figures(listed)
    del found["n_listed_hits"], found["n_other_hits"]
    if not listed or not has_sets(world, slate):
        found["expected_hits"] = None
    return found


@view(*TIER)
def enrichment_vs_matched(world: World, slate: Row) -> Iterator[Row]:
    for grain, pairs in groups_by_tier(world, slate):
        compared = Matched(world, slate, grain["evidence_window"], grain["population"])
        listed = list(compared.tier(grain["tier"]))
        yield {
            **grain,
            "n_predictions": len(pairs),
            "n_hits": n_hits(pairs),
            "n_other_hits": compared.figures(listed)["n_other_hits"],
            **list_row(world, slate, compared, listed),
        }


# Rankers without skill.


def filled(pairs: Iterable[Pair], key: Callable[[Pair], int], number: int) -> Parts:
    """Return the parts of a list of this length, highest keys first, equals in equal part."""
    parts: Parts = {}
    left = Fraction(number)
    pool = list(pairs)
    for value in sorted({key(pair) for pair in pool}, reverse=True):
        equal = [pair for pair in pool if key(pair) == value]
        part = max(min(left / len(equal), Fraction(1)), Fraction(0))
        parts |= dict.fromkeys(equal, part)
        left -= len(equal)
    return {pair: part for pair, part in parts.items() if part}


def neighbour_scores(world: World, slate: Row) -> Counter[Pair]:
    """Return the score of every pair by the similar diseases that have the drug."""
    drugs: dict[int, set[int]] = defaultdict(set)
    for (disease, drug), row in (labels_of(world, slate) or {}).items():
        if row["label"] > 0:
            drugs[disease].add(drug)
    scores: Counter[Pair] = Counter()
    for disease, own in list(drugs.items()):
        for other, theirs in drugs.items():
            shared = len(own & theirs)
            if other != disease and shared:
                similarity = round(shared / math.sqrt(len(own) * len(theirs)) * 2**36)
                for drug in theirs:
                    scores[disease, drug] += similarity
    return scores


@view(*PAIR)
def neighbour_score(world: World, slate: Row) -> Iterator[Row]:
    """Yield the scores that a list as long as the disease's predictions can reach.

    Such a list passes over known pairs, and over drugs that are no candidates.
    """
    scores = neighbour_scores(world, slate)
    n_predicted = Counter(row["disease_id"] for row in predictions_of(world, slate))
    degree = degree_of(world, slate)
    candidates = candidates_of(world, slate) or set()
    drugs = {drug for _, drug in candidates} | {drug for _, drug in labels_of(world, slate) or {}}
    for disease, number in n_predicted.items():
        own = {drug for other, drug in candidates if other == disease}
        reached = number + degree[disease] + len(drugs - own)
        of_disease = [score for pair, score in scores.items() if pair[0] == disease]
        for drug in own:
            score = scores[disease, drug]
            if score and sum(other > score for other in of_disease) < reached:
                yield ids((disease, drug)) | {"score": score}


# Nearness. The vocabularies of the worlds have one release and no classes that divide.


@dataclass(frozen=True)
class Vocabulary:
    """The terms at or below an area, each with all that is above it, itself among it."""

    parents: dict[str, set[str]]
    areas: set[str]
    above: dict[str, set[str]]

    def size(self, term: str) -> int:
        """Return how many terms are at or below the term."""
        return sum(term in above for above in self.above.values())

    def relation(self, term: str, other: str) -> tuple[int, str, int] | None:
        """Return what the other term is to the term, closest first: rank, word, class size."""
        if term == other:
            return 1, "same disease", 1
        found = []
        if other in self.above[term] and self.size(other) <= 100:
            found.append((2, "ancestor", self.size(other)))
        if term in self.above[other] and self.size(term) <= 100:
            found.append((3, "descendant", self.size(term)))
        sizes = [
            self.size(parent)
            for parent in self.parents[term] & self.parents[other]
            if parent in self.above and parent not in self.areas
        ]
        if min(sizes, default=51) <= 50:
            found.append((4, "sibling", min(sizes)))
        return min(found, default=None)


def vocabulary_of(world: World) -> Vocabulary:
    known = {row["release_id"] for row in world["release"]}
    live = {
        row["term_id"]: row["label"]
        for row in world["vocabulary_term"]
        if row["release_id"] in known and not row["is_obsolete"]
    }
    parents: dict[str, set[str]] = {term: set() for term in live}
    for row in world["vocabulary_parent"]:
        if row["term_id"] in live and row["parent_term_id"] in live:
            parents[row["term_id"]].add(row["parent_term_id"])
    roots = {term for term, label in live.items() if label in ("disease", "human disease")}
    areas = {term for term in live if parents[term] & roots}

    def all_above(term: str) -> set[str]:
        found, todo = {term}, [term]
        while todo:
            todo = [new for one in todo for new in parents[one] - found]
            found.update(todo)
        return found

    above = {term: all_above(term) for term in live}
    inside = {term for term in live if above[term] & areas}
    return Vocabulary(parents, areas, {term: above[term] & inside for term in inside})


def terms_of(world: World, vocabulary: Vocabulary) -> dict[int, set[str]]:
    """Return the terms of each disease: by its identifiers, else by a label, else by a synonym."""
    named: dict[str, dict[str, set[str]]] = {"label": defaultdict(set), "exact": defaultdict(set)}
    for row in world["vocabulary_name"]:
        if row["scope"] in named and row["term_id"] in vocabulary.above:
            named[row["scope"]][row["folded_name"]].add(row["term_id"])
    terms: dict[int, set[str]] = {}
    for disease in {row["disease_id"] for row in world["disease_alias"]}:
        own = [row for row in world["disease_alias"] if row["disease_id"] == disease]
        names = [row["value"] for row in own if row["kind"] == "name"]
        ways = (
            {row["value"] for row in own if row["kind"] not in ("name", "synonym")}
            & vocabulary.above.keys(),
            {term for name in names for term in named["label"][name]},
            {term for name in names for term in named["exact"][name]},
        )
        terms[disease] = next((way for way in ways if way), set())
    return terms


def molecules_of(world: World) -> dict[int, set[int]]:
    """Return the drugs that are one molecule with each drug."""
    ids: dict[int, set[str]] = defaultdict(set)
    for row in world["drug_alias"]:
        if row["kind"] in ("chembl_id", "parent_chembl_id"):
            ids[row["drug_id"]].add(row["value"])
    return {
        drug: {other for other in ids if other != drug and ids[other] & own}
        for drug, own in ids.items()
    }


def relatives_of(world: World, slate: Row) -> dict[Pair, list[tuple[Any, ...]]]:
    """Return of every pair its known relatives, each with what orders them, closest first."""
    vocabulary = vocabulary_of(world)
    terms = terms_of(world, vocabulary)
    predicted = {row["disease_id"] for row in predictions_of(world, slate)}
    # A slate of which no disease is a term has no vocabulary.
    if not any(terms.get(disease) for disease in predicted):
        terms = {}
    molecules = molecules_of(world)
    names = {
        entity: {row[f"{entity}_id"]: row["name"] for row in world[entity]}
        for entity in ("disease", "drug")
    }
    found: dict[Pair, list[tuple[Any, ...]]] = defaultdict(list)
    for known_disease, known_drug in known_pairs(world, slate):
        for disease in predicted:
            if disease == known_disease:
                relation: tuple[int, str, int] | None = (0, "same molecule", 1)
            else:
                ways = [
                    vocabulary.relation(own, other)
                    for own in terms.get(disease, ())
                    for other in terms.get(known_disease, ())
                ]
                relation = min((way for way in ways if way), default=None)
            if relation is None:
                continue
            same = molecules.get(known_drug, set())
            for drug in same if disease == known_disease else same | {known_drug}:
                rank, word, size = relation
                keys = (names["disease"][known_disease], names["drug"][known_drug])
                found[disease, drug].append((rank, size, *keys, known_disease, known_drug, word))
    return {pair: sorted(relatives) for pair, relatives in found.items()}


def n_related_diseases(relatives: Iterable[tuple[Any, ...]]) -> int:
    return len({relative[4] for relative in relatives if relative[0] > 0})


@view(*PAIR)
def nearness(world: World, slate: Row) -> Iterator[Row]:
    known = known_pairs(world, slate)
    candidates = candidates_of(world, slate) or set()
    own = candidates.union(predicted_pairs(world, slate))
    for pair, relatives in relatives_of(world, slate).items():
        if pair in own:
            *_, known_disease, known_drug, word = relatives[0]
            yield ids(pair) | {
                "relation": word,
                "closeness": 1 + relatives[0][0],
                "known_disease_id": known_disease,
                "known_drug_id": known_drug,
                "n_related_diseases": n_related_diseases(relatives),
                "is_known": pair in known,
                "is_candidate": pair in candidates,
            }


@view("disease_id")
def placed_disease(world: World, slate: Row) -> Iterator[Row]:
    vocabulary = vocabulary_of(world)
    terms = terms_of(world, vocabulary)

    def has_relative(term: str) -> bool:
        return any(vocabulary.relation(term, other) for other in {*vocabulary.above} - {term})

    for disease in predicted_diseases(world, slate):
        own = terms.get(disease, set())
        yield {
            "disease_id": disease,
            "has_term": bool(own),
            "has_relatives": any(map(has_relative, own)),
        }


def endpoint_of(slate: Row) -> Row:
    """Return the window, population and tier of the slate's primary endpoint."""
    plan = slate["plan"] or {}
    return dict(zip(TIER, ("prospective", "novel", "high"), strict=True)) | {
        name: plan[name] for name in TIER if name in plan
    }


def classes_of_nearness(world: World, slate: Row) -> Iterator[tuple[str, Matched]]:
    """Yield what is compared in each class of nearness, where any pair has a relative."""
    window = endpoint_of(slate)["evidence_window"]
    near, known = relatives_of(world, slate), known_pairs(world, slate)
    if not any(nearness(world, slate)):
        return
    placed = {row["disease_id"] for row in placed_disease(world, slate) if row["has_relatives"]}

    def class_of(pair: Pair) -> str:
        if pair in known:
            return "known"
        if pair in near:
            return "near-known"
        return "new" if pair[0] in placed else "unplaced"

    closeness = {pair: 1 + relatives[0][0] for pair, relatives in near.items()}
    for name in ("known", "near-known", "new", "unplaced"):
        as_close = closeness if name == "near-known" else None
        yield name, Matched(world, slate, window, name, class_of, as_close)


@view("nearness")
def enrichment_by_nearness(world: World, slate: Row) -> Iterator[Row]:
    endpoint = endpoint_of(slate)
    for name, compared in classes_of_nearness(world, slate):
        listed = compared.tier(endpoint["tier"])
        if listed:
            found = list_row(world, slate, compared, listed)
            if name == "unplaced":
                found = dict.fromkeys(found)
            yield {
                **endpoint,
                "nearness": name,
                **({"population": "all"} if name == "known" else {}),
                "n_diseases": len({pair[0] for pair in listed}),
                "n_predictions": len(listed),
                "n_hits": n_hits(listed.values()),
                "hit_rate": as_double(hit_rate(list(listed.values()))),
                **only(found, "expected_hits", "enrichment_vs_matched", "own_share"),
            }


@view("ranker")
def leak_alarm(world: World, slate: Row) -> Iterator[Row]:
    endpoint = endpoint_of(slate)
    compared = Matched(world, slate, endpoint["evidence_window"], endpoint["population"])
    numbers = Counter(pair[0] for pair in compared.tier(endpoint["tier"]))
    degree = degree_of(world, slate)
    known = set(known_pairs(world, slate)) & compared.pairs
    scores = neighbour_scores(world, slate)
    n_related = Counter(
        {pair: n_related_diseases(found) for pair, found in relatives_of(world, slate).items()}
    )

    def by_disease(key: Callable[[Pair], int], pairs: set[Pair] = compared.pairs) -> Parts:
        """List as many pairs of each disease as the slate does."""
        parts: Parts = {}
        for disease, number in numbers.items():
            parts |= filled((pair for pair in pairs if pair[0] == disease), key, number)
        return parts

    def if_any(found: Counter[Pair]) -> Parts:
        return by_disease(found.__getitem__) if any(map(found.get, compared.pairs)) else {}

    lists = {
        "popularity": by_disease(lambda pair: compared.breadth[pair[1]]),
        "degree product": filled(
            compared.pairs,
            lambda pair: compared.breadth[pair[1]] * degree[pair[0]],
            numbers.total(),
        ),
        "nearest neighbours": if_any(scores),
        "related diseases": if_any(n_related),
        "known pairs": by_disease(lambda _: 0, known),
        "random": by_disease(lambda _: 0),
    }
    for ranker, parts in lists.items():
        found = compared.figures(parts)
        yield {
            **endpoint,
            "ranker": ranker,
            "listed_pairs": float(sum(parts.values(), Fraction())),
            "listed_hits": float(found["n_listed_hits"]),
            "expected_hits": found["expected_hits"] if parts else None,
            **only(found, "own_share", "enrichment_vs_matched"),
        }


def by_score(world: World, slate: Row, rows: Iterable[Row]) -> list[Row]:
    """Return predictions in the order of a list over all diseases."""

    def place(row: Row) -> tuple[Any, ...]:
        tied = tie_order(world, slate, disease=row["disease_id"], drug=row["drug_id"])
        return -row["score"], row["rank"], tied

    return sorted(rows, key=place)


@view(*GROUP, *PAIR)
def global_list_pair(world: World, slate: Row) -> Iterator[Row]:
    for grain, pairs in groups_of_all(world, slate):
        ordered = by_score(world, slate, pairs)
        for place, row in enumerate(ordered[:500], start=1):
            tied = [other["score"] == row["score"] for other in ordered]
            level = [other for other in ordered if other["score"] == row["score"]]
            yield grain | {
                **only(row, *PAIR, "score", "is_hit"),
                "place": place,
                "n_predictions": len(ordered),
                "n_tied": len(level),
                "n_tied_so_far": sum(tied[:place]),
                "n_tied_hits": n_hits(level),
            }


@view(*GROUP, "list_size")
def global_list(world: World, slate: Row) -> Iterator[Row]:
    for grain, pairs in groups_of_all(world, slate):
        compared = Matched(world, slate, grain["evidence_window"], grain["population"])
        ordered = by_score(world, slate, pairs)
        for size in (20, 50, 100, 500):
            chosen = ordered[:size]
            lowest = chosen[-1]["score"] if chosen else None
            mean_hits, least, most = over_ties(pairs, chosen)
            yield grain | {
                "list_size": size,
                "n_predictions": len(chosen),
                "n_diseases": len({row["disease_id"] for row in chosen}),
                "n_drugs": len({row["drug_id"] for row in chosen}),
                "n_hits": n_hits(chosen),
                "tie_mean_hits": as_double(mean_hits),
                "hit_rate": as_double(divide(mean_hits, Fraction(len(chosen)))),
                "tie_low_hit_rate": as_double(ratio(least, len(chosen))),
                "tie_high_hit_rate": as_double(ratio(most, len(chosen))),
                **list_row(world, slate, compared, map(pair_of, chosen)),
                "lowest_score": lowest,
                "n_tied": sum(row["score"] == lowest for row in pairs),
                "n_tied_listed": sum(row["score"] == lowest for row in chosen),
            }
            if len(chosen) == len(pairs):
                break


@view(*GROUP)
def disease_summary(world: World, slate: Row) -> Iterator[Row]:
    low = {row["disease_id"] for row in disease_activity(world, slate) if row["is_low_activity"]}
    performance = list(disease_performance(world, slate))
    for group in GROUPS:
        rows = [row for row in performance if itemgetter(*GROUP)(row) == group]
        rows = [row for row in rows if row["n_predictions"] > 0]
        enrichments = [row["enrichment_vs_popularity"] for row in rows]
        n_enriched = sum(value is not None and value > 1 for value in enrichments)
        is_known = any(value is not None for value in enrichments)
        quiet = [row for row in rows if row["disease_id"] in low]
        yield dict(zip(GROUP, group, strict=True)) | {
            "n_diseases": len(rows),
            "n_diseases_with_hits": sum(row["n_hits"] > 0 for row in rows),
            "n_diseases_enriched": n_enriched,
            "share_of_diseases_enriched": as_double(
                ratio(n_enriched, len(rows)) if is_known else None
            ),
            "n_low_activity_diseases": len(quiet),
            "n_low_activity_diseases_with_hits": sum(row["n_hits"] > 0 for row in quiet),
        }


# Each figure of headline_figure: its view, its column, and the column it is taken over.
TIER_FIGURES: tuple[tuple[Reference, str, str], ...] = (
    (tier_hit_rate, "hit_rate", "n_predictions"),
    (tier_hit_rate, "n_hits", "n_predictions"),
    (precision_proxy, "precision_proxy", "n_with_any_outcome"),
    (enrichment_vs_matched, "enrichment_vs_matched", "n_predictions"),
    (enrichment_vs_random, "enrichment_vs_random", "n_predictions"),
    (enrichment_vs_popularity, "enrichment_vs_popularity", "n_predictions"),
    (enrichment_vs_popularity, "enrichment_vs_popularity_tie_safe", "n_predictions"),
    (score_calibration, "score_gap", "n_predictions"),
)
SLATE_FIGURES = (
    ("share_of_diseases_enriched", "n_diseases"),
    ("n_low_activity_diseases_with_hits", "n_low_activity_diseases"),
)


@view(*TIER, "metric")
def headline_figure(world: World, slate: Row) -> Iterator[Row]:
    counts = {itemgetter(*TIER)(row): row for row in tier_count(world, slate)}
    everywhere = dict.fromkeys(TIER, "all")
    found = [
        (row, column, row[column], counts[itemgetter(*TIER)(row)][over])
        for of_view, column, over in TIER_FIGURES
        for row in of_view(world, slate)
    ]
    found += [
        (row, column, row[column], row[over])
        for row in disease_summary(world, slate)
        for column, over in SLATE_FIGURES
    ]
    found += [
        (row, "falsified_share", row["falsified_share"], row["n_falsifiable"])
        for row in falsification_summary(world, slate)
    ]
    for row, metric, value, n in found:
        yield (
            everywhere
            | {name: row[name] for name in TIER if name in row}
            | {
                "metric": metric,
                "value": None if value is None else float(value),
                "n": n,
            }
        )


# How long pairs were followed


def source_ends_of(world: World, slate: Row) -> dict[str, date]:
    """Return the date of the newest release of each source that can show the slate's outcomes.

    Some records alone of the FDA or EMA end no follow-up.
    """
    partial = {row["release_id"] for row in world["release_coverage"] if not row["is_complete"]}
    sources = {"chembl", "ctgov"}
    if (slate["plan"] or {}).get("fda_drug_level"):
        sources.add("fda")
    if slate["plan"] is None or slate["plan"].get("ema_approvals") is True:
        sources.add("ema")
    ends: dict[str, date] = {}
    for row in world["release"]:
        is_partial = row["release_id"] in partial and row["source"] in ("fda", "ema")
        if row["source"] in sources and not is_partial:
            ends[row["source"]] = max(ends.get(row["source"], date.min), row["released_on"])
    return ends


def followed_until(world: World, slate: Row) -> date | None:
    ends = source_ends_of(world, slate)
    return max(min(ends.values()), counted_from(slate)) if ends else None


@view()
def slate_follow_up(world: World, slate: Row) -> Iterator[Row]:
    ends = source_ends_of(world, slate)
    yield {
        "frozen_on": slate["frozen_on"],
        "counted_from": counted_from(slate),
        "followed_until": followed_until(world, slate),
        "source": min(ends, key=lambda source: (ends[source], source), default=None),
        "newest_on": max(*ends.values(), counted_from(slate)) if ends else None,
        "newest_source": max(ends, key=lambda source: (ends[source], source), default=None),
    }


@view()
def slate_horizon(_: World, slate: Row) -> Iterator[Row]:
    yield {
        "frozen_on": slate["frozen_on"],
        "counted_from": counted_from(slate),
        "horizon_months": horizon_months_of(slate),
        "ends_on": horizon_end_of(slate),
    }


@view(*PAIR)
def probability_follow_up(world: World, slate: Row) -> Iterator[Row]:
    if (slate["plan"] or {}).get("scores") != {"are": "probabilities"}:
        return
    end = horizon_end_of(slate)
    last = followed_until(world, slate) or counted_from(slate)
    events = events_of(world, slate, "prospective")
    known = known_pairs(world, slate)
    for row in predictions_of(world, slate):
        days = [
            max(outcome["event_date"], outcome["public_by"])
            for outcome in by_horizon(slate, events.get(pair_of(row), []))
            if is_high(outcome)
        ]
        # A hit that only a source further ahead shows is none yet, and its pair no miss.
        if days and min(days) <= last:
            state, day = "hit", min(days)
        elif last < end:
            state, day = "censored", last
        else:
            state, day = "miss", end
        yield only(row, *PAIR) | {
            "is_novel": pair_of(row) not in known,
            "probability": row["score"],
            "state": state,
            "follow_up_days": (day - counted_from(slate)).days,
        }


def last_day_of(world: World, slate: Row) -> date:
    start: date = counted_from(slate)
    recorded: list[date] = [row["recorded_at"].date() for row in outcomes_of(world, slate)]
    return max(followed_until(world, slate) or max(recorded, default=start), start)


@view()
def follow_up_end(world: World, slate: Row) -> Iterator[Row]:
    yield {
        "frozen_on": slate["frozen_on"],
        "counted_from": counted_from(slate),
        "last_day": last_day_of(world, slate),
    }


@view()
def follow_up_gap(world: World, slate: Row) -> Iterator[Row]:
    (followed,) = slate_follow_up(world, slate)
    last_day = last_day_of(world, slate)
    newest, until = followed["newest_on"], followed["followed_until"]
    yield {
        **only(followed, "source", "newest_source", "newest_on"),
        "last_day": last_day,
        "days_behind": None if newest is None else (newest - until).days,
        "n_later_events": sum(
            row["first_event_date"] > last_day for row in time_to_event(world, slate)
        ),
    }


@view("tier", *PAIR)
def follow_up_pair(world: World, slate: Row) -> Iterator[Row]:
    """Yield the pairs of each tier and of all with their days and whether there was an event."""
    last_day = last_day_of(world, slate)
    events = events_of(world, slate, "all")
    for row in predictions_of(world, slate):
        outcomes = events.get(pair_of(row), [])
        event_date = first_date(outcomes)
        if event_date is None and any(map(is_high, outcomes)):
            continue
        # What only a source further ahead shows is not known of the other pairs.
        is_event = event_date is not None and event_date <= last_day
        until = event_date if event_date is not None and is_event else last_day
        for tier in (row["tier"], "all"):
            yield only(row, *PAIR) | {
                "tier": tier,
                "follow_up_days": (until - counted_from(slate)).days,
                "is_event": is_event,
            }


@view("tier", "day")
def survival_curve(world: World, slate: Row) -> Iterator[Row]:
    for tier, pairs in grouped(follow_up_pair(world, slate), itemgetter("tier")).items():
        times = [(pair["follow_up_days"], pair["is_event"]) for pair in pairs]
        without = Fraction(1)
        for day in sorted({days for days, _ in times}):
            if day > 0 and not any(0 < days < day for days, _ in times):
                without = Fraction(1)
            n_at_risk = sum(days >= day for days, _ in times)
            n_events = times.count((day, True))
            without *= 1 - Fraction(n_events, n_at_risk)
            yield {
                "tier": tier,
                "day": day,
                "n_at_risk": n_at_risk,
                "n_events": n_events,
                "n_censored": times.count((day, False)),
                "share_with_event": float(1 - without),
            }


# The text that is hashed


@view(*PAIR)
def prediction_line(world: World, slate: Row) -> Iterator[Row]:
    names = (
        "disease_identifier",
        "drug_identifier",
        "score",
        "rank",
        "tier",
        "known_label",
        "known_max_phase",
        "first_approval_year",
        "criterion",
        "criterion_min_phase",
        "criterion_horizon_years",
    )
    for row in predictions_of(world, slate):
        cells = only(row, *names).values()
        yield only(row, *PAIR, "disease_identifier", "drug_identifier", "line_checksum") | {
            "line": "\t".join("" if cell is None else str(cell) for cell in cells)
        }


# The ratio of a row of the view; where it is NULL the row has a reason.
HEADLINES = {
    "tier_hit_rate": "hit_rate",
    "enrichment_vs_random": "enrichment_vs_random",
    "precision_proxy": "precision_proxy",
    "score_calibration": "score_gap",
    "popularity_baseline": "baseline_hit_rate",
    "breadth_decile_hit_rate": "hit_rate",
    "breadth_baseline": "baseline_hit_rate",
    "enrichment_vs_popularity": "enrichment_vs_popularity",
    "disease_performance": "enrichment_vs_popularity",
    "median_time_to_event": "median_days",
    "falsification_summary": "falsified_share",
    "disease_summary": "share_of_diseases_enriched",
    "headline_figure": "value",
    "popularity_sensitivity": "enrichment_spread",
    "freeze_base_rate": "yearly_rate",
    "leak_alarm": "enrichment_vs_matched",
    "hit_concentration": "largest_share",
}


def rows(view: str, world: World, slate_ids: Iterable[UUID] | None = None) -> list[Row]:
    """Return the rows of a view for every slate, or for the given ones."""
    wanted = None if slate_ids is None else set(slate_ids)
    world = dated(world)
    return [
        row
        for slate in world["slate"]
        if wanted is None or slate["slate_id"] in wanted
        for row in VIEWS[view][0](world, slate)
    ]
