"""Rounds: rows of round_standing with intervals, tests and ranks, and standings over all rounds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.uncertainty import stats
from tracker.uncertainty.estimates import duels, endpoint
from tracker.uncertainty.estimates.duels import Duel
from tracker.uncertainty.stats import Interval, pooling, two_way
from tracker.uncertainty.stats.pooling import Part

_ENTRIES = sa.text(
    "select * from round_standing where round_id = :round_id order by entry_name, slate_id"
).columns(slate_id=sa.Uuid)
_LISTS = sa.text(
    "select slate_id, list_number from round_entry inner join primary_endpoint using (slate_id) "
    "inner join prediction_list using (slate_id, evidence_window, population, tier) "
    "where round_id = :round_id and list_kind = 'tier'"
).columns(slate_id=sa.Uuid)

_MET = sa.text(
    "select round_id, disease_id, entry_kind, entry_name, n_hits, expected_hits "
    "from round_disease inner join round_entry using (round_id, slate_id) "
    "inner join round_deadline using (round_id) "
    "where expected_hits > 0 and (:include_replays or not is_replay) "
    "order by round_id, disease_id, entry_name"
)


@dataclass(frozen=True)
class Place:
    """Where a team's entry stands among those of its round; see RoundEntry."""

    found: Interval
    p_adjusted: float | None
    rank: int
    block: int


@dataclass(frozen=True)
class RoundEntry:
    """A row of round_standing with its interval and place.

    `p_adjusted` is against 1, by Holm's method over the teams' entries. `rank` is 1 + the number of
    teams' entries shown to be better. A `block` holds entries linked by pairs that cannot be told
    apart; blocks are numbered from the best. All three are None without an interval, and for
    entries that no team made.
    """

    row: Row[Any]
    found: pooling.Pooled | None
    p_adjusted: float | None = None
    rank: int | None = None
    block: int | None = None

    @property
    def is_team(self) -> bool:
        """Whether a team made the entry."""
        return str(self.row.entry_kind) == "team"


@dataclass(frozen=True)
class Standing:
    """An entry over all rounds: hits against those of equally popular drugs, adjusted for diseases.

    `ratio` is adjusted for how all entries did in the diseases that it met; only ratios of one
    `component` can be compared. `rank` is as in RoundEntry.
    """

    name: str
    is_team: bool
    n_rounds: int
    n_hits: int
    expected_hits: float
    ratio: Interval
    component: int | None
    rank: int | None = None


def over_rounds(
    connection: Connection, *, include_replays: bool = False
) -> tuple[list[Standing], list[Duel[str]]]:
    """Return the standing of every entry over all rounds, and each pair of ranked teams.

    Call it inside `scope.of_slates` of the rounds' slates.
    """
    rows = connection.execute(_MET, {"include_replays": include_replays}).all()
    names = [row.entry_name for row in rows]
    fitted = two_way.fit(
        names,
        [f"{row.round_id}:{row.disease_id}" for row in rows],
        [row.disease_id for row in rows],
        [row.n_hits for row in rows],
        [row.expected_hits for row in rows],
    )
    own: dict[str, list[Row[Any]]] = {}
    for row in rows:
        own.setdefault(row.entry_name, []).append(row)
    standings = {
        name: Standing(
            name,
            met[0].entry_kind == "team",
            len({row.round_id for row in met}),
            sum(row.n_hits for row in met),
            sum(row.expected_hits for row in met),
            fitted.ratios[name],
            fitted.components.get(name),
        )
        for name, met in own.items()
    }
    ordered = sorted(standings, key=lambda name: (-(fitted.ratios[name].estimate or 0.0), name))
    ranked = [one for one in ordered if standings[one].is_team and fitted.ratios[one].low]
    pairs = duels.of_pairs(ranked, fitted.versus)
    for name in ranked:
        standings[name] = replace(standings[name], rank=duels.rank(name, pairs))
    return [
        standings[name] for name in sorted(ordered, key=lambda n: not standings[n].is_team)
    ], pairs


def board(connection: Connection, round_id: int) -> tuple[list[RoundEntry], list[Duel[str]]]:
    """Return the entries of a round, the best team first, and each pair of the teams' entries.

    Diseases that an entry leaves out add to its expected hits and not to its hits. Call it inside
    `scope.of_slates` of the round's slates.
    """
    key = {"round_id": round_id}
    rows = connection.execute(_ENTRIES, key).all()
    lists = {row.slate_id: row.list_number for row in connection.execute(_LISTS, key)}
    parts: dict[str, Part] = {}
    for row in rows:
        # An entry without hits in its strata still has the hits that it missed in other diseases.
        part: Part | None = Part(0, 0.0, 0.0, None, float("inf"), None)
        if row.own_share is not None:
            given = (row.slate_id, lists[row.slate_id], row.n_predictions)
            _, part = endpoint.judge(connection, endpoint.OWN, *given)
        if part is not None and part.r + part.s + row.missed_hits > 0:
            parts[row.entry_name] = _with_misses(part, row)
    entries = {row.entry_name: RoundEntry(row, _pooled(parts.get(row.entry_name))) for row in rows}
    teams = {name: part for name, part in parts.items() if entries[name].is_team}
    alone = {name: _variance_of_misses(part, entries[name].row) for name, part in teams.items()}
    places, pairs = ranked(teams, alone)
    for name, place in places.items():
        entries[name] = replace(
            entries[name], p_adjusted=place.p_adjusted, rank=place.rank, block=place.block
        )
    return sorted(entries.values(), key=_place), pairs


def ranked(
    parts: Mapping[str, Part], alone: Mapping[str, float]
) -> tuple[dict[str, Place], list[Duel[str]]]:
    """Return the places of teams with an interval, the best first, and each pair of these teams.

    `alone` is the part of each list's variance that it shares with no other list.
    """
    found = {name: pooling.pool([part]).interval for name, part in parts.items()}
    ordered = sorted(
        (name for name, interval in found.items() if interval.low is not None),
        key=lambda name: (-(found[name].estimate or 0.0), name),
    )
    pairs = duels.of_pairs(
        ordered, pooling.each_versus({name: [parts[name]] for name in ordered}, alone)
    )
    blocks = _blocks(ordered, pairs)
    adjusted = stats.holm([found[name].p_value for name in ordered])
    places = {
        name: Place(found[name], p, duels.rank(name, pairs), blocks[name])
        for name, p in zip(ordered, adjusted, strict=True)
    }
    return places, pairs


def _with_misses(part: Part, row: Row[Any]) -> Part:
    """Return a list with the hits missed in diseases left out, added to its S and variance."""
    part = replace(part, s=part.s + row.missed_hits)
    if part.variance is None:
        return part
    return replace(part, variance=part.variance + _variance_of_misses(part, row))


def _variance_of_misses(part: Part, row: Row[Any]) -> float:
    """Return what the missed hits add to the variance of the logarithm; `part.s` includes them."""
    return float(row.missed_variance / part.s**2) if row.missed_hits else 0.0


def _pooled(part: Part | None) -> pooling.Pooled | None:
    return None if part is None else pooling.pool([part])


def _blocks(ordered: Iterable[str], pairs: Iterable[Duel[str]]) -> Mapping[str, int]:
    """Return the block of each name: names linked by pairs that cannot be told apart."""
    linked: dict[str, set[str]] = {name: set() for name in ordered}
    for pair in pairs:
        if not pair.is_told:
            linked[pair.first].add(pair.versus)
            linked[pair.versus].add(pair.first)
    blocks: dict[str, int] = {}
    for name in linked:
        if name in blocks:
            continue
        number, reached = 1 + max(blocks.values(), default=0), [name]
        while reached:
            one = reached.pop()
            blocks[one] = number
            reached += [other for other in linked[one] if other not in blocks]
    return blocks


def _place(entry: RoundEntry) -> tuple[bool, bool, float, str]:
    """Sort teams first, then other entries, each by enrichment; no ratio comes last."""
    enrichment = entry.row.enrichment
    return not entry.is_team, enrichment is None, -(enrichment or 0.0), entry.row.entry_name
