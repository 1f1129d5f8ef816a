"""The standing of teams over rounds, adjusted for the difficulty of the diseases in each."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import slates
from tracker.reports import pairs
from tracker.reports.kinds import Kind, Report
from tracker.reports.records import Section
from tracker.reports.words import count, or_dash, ratio, span, with_limits
from tracker.rows import Rows
from tracker.store.state import scope
from tracker.uncertainty.estimates import rounds
from tracker.uncertainty.estimates.duels import Duel
from tracker.uncertainty.estimates.rounds import Standing

STANDING = Kind("standing", "Teams over all rounds", ("entry_name", "versus_entry_name"))
OVER_ROUNDS, PAIRS = "round_standing_adjusted", "round_pair_adjusted"

_SLATES = sa.text(
    "select slate_id from round_entry inner join round_deadline using (round_id) "
    "cross join report_instant where entered_at <= as_of and (:include_replays or not is_replay)"
)
_ROUNDS = sa.text(
    "select count(*) from round_deadline cross join report_instant "
    "where opened_at <= as_of and (:include_replays or not is_replay)"
)
_LIMIT = (
    "A team whose hits rest on few drugs has too narrow an interval here, since drugs that all its "
    "lists share are not accounted for; the boards of the rounds account for them."
)

_COLUMNS: dict[str, Callable[[Standing], Any]] = {
    "entry_name": attrgetter("name"),
    "is_team": attrgetter("is_team"),
    "rank": attrgetter("rank"),
    "n_rounds": attrgetter("n_rounds"),
    "n_hits": attrgetter("n_hits"),
    "expected_hits": attrgetter("expected_hits"),
    "adjusted_ratio": attrgetter("ratio.estimate"),
    "adjusted_ratio_low": attrgetter("ratio.low"),
    "adjusted_ratio_high": attrgetter("ratio.high"),
    "p_value": attrgetter("ratio.p_value"),
    "component": attrgetter("component"),
    "reason": attrgetter("ratio.reason"),
}
_TEXT_COLUMNS: dict[str, Callable[[Standing], Any]] = {
    "rank": lambda one: or_dash(one.rank, str),
    "entry": lambda one: one.name + ("" if one.is_team else " *"),
    "rounds": attrgetter("n_rounds"),
    "hits": lambda one: f"{one.n_hits:,}",
    "expected": lambda one: f"{one.expected_hits:,.1f}",
    "times (95%)": lambda one: with_limits(
        one.ratio.estimate, one.ratio.low, one.ratio.high, of=ratio
    ),
}


def build(connection: Connection, *, include_replays: bool = False) -> Report:
    """Report every entry over all rounds; replays, made with hindsight, only if asked for."""
    asked = {"include_replays": include_replays}
    chosen = {str(one) for one in connection.execute(_SLATES, asked).scalars()}
    own = [row for row in slates.all_slates(connection) if str(row.slate_id) in chosen]
    standings: list[Standing] = []
    duels: list[Duel[str]] = []
    if own:
        with scope.of_slates(connection, *own):
            standings, duels = rounds.over_rounds(connection, include_replays=include_replays)
    n_rounds = connection.execute(_ROUNDS, asked).scalar_one()
    ranked = [one for one in standings if one.rank is not None]
    facts: dict[str, Any] = {
        "rounds": n_rounds,
        "teams": sum(one.is_team for one in standings),
        "include_replays": include_replays,
        "verdicts": [_verdict(one) for one in ranked]
        or [f"No team can be ranked yet: {count(n_rounds, 'round')} on record."],
    }
    found = pairs.section(PAIRS, "Pairs of teams", "entry", "entry_name", "adjusted_ratio", duels)
    return Report(facts, [_LIMIT] if ranked else [], [_entries(standings), found], STANDING)


def _verdict(one: Standing) -> str:
    return (
        f"Rank {one.rank}, {one.name}: {ratio(one.ratio.estimate)} times the hits of equally "
        f"popular drugs ({span(one.ratio.low, one.ratio.high)}), in {count(one.n_rounds, 'round')}."
    )


def _entries(standings: list[Standing]) -> Section:
    return Section(
        OVER_ROUNDS,
        "Teams over all rounds",
        "hits against those of equally popular drugs, by two-way effects of team and disease",
        "ratio, 1 = no better than equally popular drugs; teams that cannot be told apart share a "
        "rank; * is no team's. docs/statistics.md#standing",
        Rows.of(_COLUMNS, standings),
        text_table=Rows.of(_TEXT_COLUMNS, standings),
        empty="No entry yet.",
    )
