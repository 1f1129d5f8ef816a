"""The board of a round: who predicts best, and how sure that is."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import clock, slates
from tracker.extras.rounds import questions
from tracker.extras.rounds.questions import Round
from tracker.reports import pairs
from tracker.reports.kinds import Kind, Report
from tracker.reports.leaderboard import limits
from tracker.reports.records import Record, Section
from tracker.reports.words import count, joined, or_dash, percent, ratio, span, tenths
from tracker.rows import Rows, rows_from
from tracker.store import catalog
from tracker.store.state import scope
from tracker.uncertainty.estimates import rounds
from tracker.uncertainty.estimates.duels import SIGNIFICANT
from tracker.uncertainty.estimates.rounds import RoundEntry

ROUND = Kind(
    "round",
    "Round {round_id}",
    ("entry_name", "versus_entry_name", "disease_name", "month", "team", "model", "deposit_id"),
    "tracker.extras.rounds.round_page",
)
VIEW, PAIRS, POWER = "round_standing", "round_pair", "round_power"
_DEPOSITED = "deposit_state"
_NOTHING = Rows([], [])

_EMPTY = {
    _DEPOSITED: "No deposit yet.",
    "round_overlap": "No two lists of teams are nearly the same.",
}

_SLATES = sa.text(
    "select slate_id from round_entry cross join report_instant "
    "where round_id = :round_id and entered_at <= as_of"
)
_EXTENSIONS = sa.text(
    "select deadline, reason, extended_at from round_extension cross join report_instant "
    "where round_id = :round_id and extended_at <= as_of order by deadline"
)
_DEPOSITS = sa.text(
    "select deposit_id, team, model, deposit_state, stamped_at, authority, deposited_at, sha256 "
    "from deposit_state where round_id = :round_id order by deposit_id"
)
_OVERLAPS = sa.text(
    "select least(own.entry_name, other.entry_name) as entry_name, "
    "greatest(own.entry_name, other.entry_name) as versus_entry_name, n_common, common_share, "
    "same_rank_share from round_overlap "
    "inner join round_entry as own on round_overlap.slate_id = own.slate_id "
    "inner join round_entry as other on round_overlap.versus_slate_id = other.slate_id "
    "where round_overlap.round_id = :round_id order by common_share desc, 1, 2"
)
_DISEASES = sa.text(
    "select disease.name as disease_name, entry_name, n_predictions, n_hits, expected_hits, "
    "is_left_out, r, s "
    "from round_disease inner join round_entry using (round_id, slate_id) "
    "inner join disease using (disease_id) where round_id = :round_id "
    "order by sum(n_hits) over (partition by disease_id) desc, disease_name, entry_name"
)
_MONTHS = sa.text(
    "select entry_name, month, ends_on, n_hits, expected_hits, enrichment_vs_matched "
    "from hits_by_month inner join round_entry using (slate_id) "
    "where round_id = :round_id order by entry_name, month"
)
_REPORTED = sa.text(
    "select reported_on, deadline, if(isinf(as_of), :present, as_of) as instant "
    "from report_day cross join report_instant cross join round_deadline "
    "where round_id = :round_id"
).columns(deadline=sa.TIMESTAMP(timezone=True), instant=sa.TIMESTAMP(timezone=True))
_LISTED = sa.text(
    "select name, deadline, n_extensions, is_replay, "
    "count(distinct deposit_id) as n_deposits, "
    "count(distinct deposit_id) filter (where deposit_state = 'revealed') as n_revealed, "
    "round_deadline.opened_at from round_deadline left join deposit_state using (round_id) "
    "group by all order by round_deadline.opened_at, name"
)


def build(connection: Connection, found: Round) -> Report:
    """Report a round at the connection's instant; before the deadline, what could be detected."""
    key = {"round_id": found.round_id}
    chosen = {str(one) for one in connection.execute(_SLATES, key).scalars()}
    own = [row for row in slates.all_slates(connection) if str(row.slate_id) in chosen]
    with scope.of_slates(connection, *own):
        entries, duels = rounds.board(connection, found.round_id)
        read = {
            name: rows_from(connection.execute(query, key))
            for name, query in (
                (_DEPOSITED, _DEPOSITS),
                ("round_overlap", _OVERLAPS),
                ("round_disease", _DISEASES),
                ("hits_by_month", _MONTHS),
            )
        }
    facts = _facts(connection, found, entries, read[_DEPOSITED])
    facts["verdicts"] = _verdicts(facts, entries)
    sections = [
        _standing(entries),
        pairs.section(PAIRS, "Pairs of teams", "entry", "entry_name", "enrichment_ratio", duels),
        _power(found),
    ]
    sections += [
        replace(
            Section.of(catalog.find(name), rows),
            text_table=_deposits(rows) if name == _DEPOSITED else None,
            empty=_EMPTY.get(name, "No rows."),
        )
        for name, rows in read.items()
    ]
    return Report(facts, [*_limits(facts, entries, read)], sections, ROUND)


def asked(connection: Connection, found: Round) -> Report:
    """Report a round as it opens: the question, and what could be detected.

    The report is as of the day of opening, so that it is the same whenever it is written again.
    """
    opened_on = found.row.opened_at.astimezone(UTC).date()
    facts = _facts(connection, found, [], _NOTHING) | {"state": "open", "reported_on": opened_on}
    facts["verdicts"] = _verdicts(facts, [])
    return Report(facts, [*_limits(facts, [], {})], [_power(found)], ROUND)


def summary(report: Report) -> Report:
    """Return the part of a board that texts show; before the deadline, what could be detected."""
    shown = {POWER, _DEPOSITED} if report.facts["state"] == "open" else {VIEW, PAIRS, _DEPOSITED}
    left_out = [one.view for one in report.sections if one.view not in shown]
    *kept, last = [one for one in report.sections if one.view in shown]
    more = f"--format html, json or csv also have {joined(left_out)}"
    return replace(report, sections=[*kept, replace(last, notes=(more,))])


def listed(connection: Connection) -> Rows:
    """Return a row for each round: its deadline, and the number of revealed deposits."""
    return rows_from(connection.execute(_LISTED))


def _facts(
    connection: Connection, found: Round, entries: list[RoundEntry], deposited: Rows
) -> dict[str, Any]:
    question = found.question
    key = {"round_id": found.round_id}
    extensions = connection.execute(_EXTENSIONS, key).all()
    reported = connection.execute(_REPORTED, {**key, "present": clock.read()}).one()
    today = reported.reported_on
    ends_on = max((one.row.ends_on for one in entries), default=None)
    is_closed = any(one.row.entry_kind == "all teams" for one in entries)
    is_open = not is_closed and reported.instant <= reported.deadline and not found.row.is_replay
    return {
        "round_id": found.name,
        "question_sha256": found.row.question_sha256,
        "state": "closed" if is_closed else "open" if is_open else "revealing",
        "deadline": reported.deadline.astimezone(UTC).isoformat(),
        "extensions": [
            f"{questions.shown(one.extended_at)}: moved to {questions.shown(one.deadline)}, "
            f"{one.reason}"
            for one in extensions
        ],
        "is_replay": found.row.is_replay,
        "n_diseases": question["n_diseases"],
        "n_drugs": question["n_drugs"],
        "top_k": question["top_k"],
        "labels_as_of": question["labels_as_of"],
        "embargo_until": question["embargo_until"],
        "deposits": len(deposited.values),
        "teams": len({one["team"] for one in deposited.records()}),
        "horizon_ends_on": ends_on,
        "reported_on": today,
        "is_preliminary": ends_on is not None and today <= ends_on,
    }


def _verdicts(facts: dict[str, Any], entries: list[RoundEntry]) -> list[str]:
    """Return a sentence for each block of teams on who predicts best, or why nobody does yet."""
    deadline = facts["deadline"].replace("T", " ")[:16]
    deposits = count(facts["deposits"], "deposit")
    of_teams = f"{deposits} of {count(facts['teams'], 'team')}"
    teams = [one for one in entries if one.is_team]
    if facts["state"] == "open":
        return [f"Open until {deadline} UTC: {of_teams} so far."]
    if not teams and facts["embargo_until"] and str(facts["reported_on"]) < facts["embargo_until"]:
        return [f"Withheld until {facts['embargo_until']}: {of_teams}."]
    if not teams:
        return [f"The deadline was {deadline} UTC, with {of_teams}; no file was revealed yet."]
    ranked = [one for one in teams if one.block is not None]
    if not ranked:
        reason = next((one.row.reason for one in teams if one.row.reason), "no interval")
        return [f"No team can be ranked yet: {reason}."]
    lines = []
    for block in sorted({one.block for one in ranked if one.block is not None}):
        own = [one for one in ranked if one.block == block]
        told = "" if len(own) == 1 else f", {len(own)} entries that cannot be told apart"
        lines.append(f"Block {block}{told}: {'; '.join(_worded(one) for one in own)}.")
    return lines


def _worded(one: RoundEntry) -> str:
    interval = one.found.interval if one.found else None
    limits = f" ({span(interval.low, interval.high)})" if interval else ""
    told = one.p_adjusted is not None and one.p_adjusted < SIGNIFICANT
    return (
        f"{one.row.entry_name} with {one.row.n_hits:,} hits where {tenths(one.row.expected_hits)} "
        f"were expected, {ratio(one.row.enrichment)} times{limits}"
        f"{'' if told else ', which chance may explain'}"
    )


def _limits(
    facts: dict[str, Any], entries: list[RoundEntry], read: Mapping[str, Rows]
) -> Iterator[str]:
    if facts["is_replay"]:
        yield "A replay: the round was opened after its deadline, with hindsight."
    if facts["is_preliminary"] and any(one.is_team for one in entries):
        yield (
            f"Preliminary: the horizon ends on {facts['horizon_ends_on']}, and what came true is "
            f"counted as of {facts['reported_on']}."
        )
    for moved in facts["extensions"]:
        yield f"The deadline was extended. {moved}."
    for one in entries:
        if one.row.n_listed_diseases < one.row.n_diseases:
            n_left_out = one.row.n_diseases - one.row.n_listed_diseases
            yield (
                f"{one.row.entry_name} leaves out {count(n_left_out, 'disease')}, which count as "
                "misses."
            )
        if one.is_team and one.block is None:
            reason = one.row.reason or (one.found and one.found.interval.reason)
            yield f"{one.row.entry_name} is in no block: {reason or 'nothing is expected of it'}."
    for row in read.get("round_overlap", _NOTHING).records():
        yield (
            f"{row['entry_name']} and {row['versus_entry_name']} have "
            f"{percent(row['common_share'])} of their predictions in common, "
            f"{percent(row['same_rank_share'])} of these at equal rank."
        )
    models: dict[str, set[str]] = {}
    for row in read.get(_DEPOSITED, _NOTHING).records():
        models.setdefault(row["team"], set()).add(row["model"])
        if row["deposit_state"] == "replaced":
            yield f"{row['team']} replaced deposit {row['deposit_id']} of {row['model']}."
        if row["deposit_state"] == "never revealed":
            yield (
                f"{row['team']} deposited {row['model']} and never revealed it, so that nobody "
                "knows how it would have done."
            )
    for team, own in sorted(models.items()):
        if len(own) > 1:
            yield f"{team} has {len(own)} models, each of which counts among those compared."


def _standing(entries: list[RoundEntry]) -> Section:
    columns = list(entries[0].row._fields) if entries else []
    more = ["rank", "block", "enrichment_low", "enrichment_high", "p_value", "p_adjusted"]
    values = [(*one.row, *_estimates(one)) for one in entries]
    notes = (
        "Teams in one block cannot be told apart, or are linked by others that cannot; * is no "
        "team's. Times: hits against those of equally popular drugs, diseases left out as misses",
    )
    section = Section.of(catalog.find(VIEW), Rows([*columns, *more], values))
    table: dict[str, Callable[[Record], Any]] = {
        "block": lambda one: or_dash(one["block"], str),
        "entry": lambda one: one["entry_name"] + ("" if one["entry_kind"] == "team" else " *"),
        "hits": lambda one: f"{one['n_hits']:,} of {one['n_predictions']:,}",
        "expected": lambda one: tenths(one["expected_hits"]),
        "times (95%)": limits,
        "diseases": lambda one: f"{one['n_listed_diseases']:,} of {one['n_diseases']:,}",
        "pending": itemgetter("n_pending"),
    }
    text_table = Rows.of(table, section.rows.records())
    return replace(section, text_table=text_table, notes=notes, empty="No entry yet.")


def _estimates(one: RoundEntry) -> tuple[Any, ...]:
    if one.found is None:
        return (one.rank, one.block, None, None, None, None)
    compared = one.found.interval
    return (one.rank, one.block, compared.low, compared.high, compared.p_value, one.p_adjusted)


def _power(found: Round) -> Section:
    columns = ["list_length", "n_teams", "years", "power", "reason"]
    rows = [tuple(one.get(name) for name in columns) for one in found.question["power"]]
    return Section(
        POWER,
        "What could be detected, as stated when the round was opened",
        "probability that a team which finds twice as much as equally popular drugs is told from "
        "chance, adjusted for the number of teams; docs/statistics.md#power",
        "list_length is novel predictions for each disease; years since the deadline; power 0..1",
        Rows(columns, rows).without_empty("reason"),
    )


def _deposits(rows: Rows) -> Rows:
    table: dict[str, Callable[[Record], Any]] = {
        "deposit": itemgetter("deposit_id"),
        "team": itemgetter("team"),
        "model": itemgetter("model"),
        "became": itemgetter("deposit_state"),
        "stamped": lambda one: str(one["stamped_at"])[:16].replace("T", " "),
        "SHA-256": lambda one: one["sha256"][:12],
    }
    return Rows.of(table, rows.records())
