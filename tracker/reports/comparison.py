"""Compares slates: which predicts better, how sure that is, and on which diseases."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row

from tracker.errors import InputRefused
from tracker.reports.dates import require_frozen
from tracker.reports.kinds import COMPARISON, Report
from tracker.reports.records import Section
from tracker.reports.words import (
    NOTHING,
    beside,
    beside_1,
    count,
    joined,
    limit,
    or_dash,
    percent,
    ratio,
)
from tracker.rows import Rows, rows_from
from tracker.slates import plans
from tracker.store import catalog, statements
from tracker.uncertainty.estimates import Estimate
from tracker.uncertainty.estimates import comparison as estimates
from tracker.uncertainty.estimates.comparison import Compared
from tracker.uncertainty.estimates.duels import SIGNIFICANT

VIEW, VIEWS_READ = estimates.VIEW, estimates.VIEWS_READ

# Differences of rates are in percentage points, ratios of enrichments in times.
_HEADINGS = ["slates", "figure", "of each", "by", "95%", "p"]
_DISEASE_COLUMNS = ("disease_name", "n_predictions", "n_hits", "n_versus_hits", "n_shared_hits")
# Columns of hits unique to one slate that do not fit a terminal.
_LEFT_OUT = ("public_by", "outcome_type", "source")


def build(
    connection: Connection,
    slates: Sequence[Row[Any]],
    *,
    population: str | None = None,
    tier: str | None = None,
    as_of: datetime | None = None,
) -> Report:
    """Compare each slate with each later one; the connection must have been opened with `as_of`.

    The fact `verdicts` has a sentence for each pair. `population` and `tier` are by default those
    of the first slate's primary endpoint. Fast inside `scope.of_comparison`. Raises InputRefused if
    a slate did not exist at `as_of`, is given twice, or if no two slates share a disease.
    """
    for slate in slates:
        require_frozen(slate, as_of)
    if len({slate.slate_id for slate in slates}) < len(slates):
        raise InputRefused("a slate is compared with others, not with itself: it is given twice")
    primary = plans.of_slate(slates[0]).plan.primary
    population = population or primary.population
    tier = tier or primary.tier
    found = estimates.compare(connection, slates, population, tier)
    if not found:
        raise InputRefused(
            f"the slates have no disease in common, or no predictions of the {tier} tier"
            if tier != "all"
            else "the slates have no disease in common"
        )
    names = {slate.slate_id: _name(slate) for slate in slates}
    replays = frozenset(str(slate.slate_id)[:8] for slate in slates if slate.is_replay)
    facts = {
        "comparison_id": ", ".join(str(slate.slate_id)[:8] for slate in slates),
        "models": [
            f"{slate.model_version} (replay)" if slate.is_replay else slate.model_version
            for slate in slates
        ],
        "has_replays": bool(replays),
        "population": population,
        "tier": tier,
        "as_of": as_of.astimezone(UTC).isoformat() if as_of else None,
        "verdicts": [_verdict(one, names) for one in found],
    }
    sections = [_figures(found, replays), *_details(connection, found, replays)]
    warnings = [*_warnings(found, replays), *_unlike(connection, slates)]
    lead = f"{_listed_kind(facts)}, over common diseases and a common window."
    return Report(facts, warnings, sections, COMPARISON, lead)


def refuse_replays(slates: Sequence[Row[Any]]) -> None:
    """Raise InputRefused if one of the slates is a replay: its lists were made after the fact."""
    replays = [str(slate.slate_id)[:8] for slate in slates if slate.is_replay]
    if replays:
        are = "is a replay" if len(replays) == 1 else "are replays"
        raise InputRefused(
            f"{joined(replays)} {are}, made after the fact: --include-replays compares them all "
            "the same"
        )


def before(report: Report, comparison: Report) -> Report:
    """Return a slate's report with its comparison with another slate at the beginning."""
    return replace(
        report,
        warnings=[*comparison.facts["verdicts"], *comparison.warnings, *report.warnings],
        sections=[*comparison.sections, *report.sections],
    )


def _listed_kind(facts: Mapping[str, Any]) -> str:
    kind = "Novel predictions" if facts["population"] == "novel" else "Predictions"
    tier = "" if facts["tier"] == "all" else f" of the {facts['tier']} tier"
    return f"{kind}{tier}, equally many of each slate"


def _name(slate: Row[Any]) -> str:
    replay = ", replay" if slate.is_replay else ""
    return f"{str(slate.slate_id)[:8]} ({slate.model_version}{replay})"


def _short(slate_id: Any, replays: Set[str]) -> str:
    """Return how tables and warnings name a slate; a replay has a star."""
    short = str(slate_id)[:8]
    return f"{short}*" if short in replays else short


def _verdict(one: Compared, names: dict[Any, str]) -> str:
    """Return one sentence: which slate of the pair predicts better, and by how much."""
    row, difference, skill = one.row, one.difference, one.ratio
    own, other = names[row.slate_id], names[row.versus_slate_id]
    if row.reason is not None:
        return f"{own} and {other} cannot be compared: {row.reason}."
    kind = "novel prediction" if row.population == "novel" else "prediction"
    tier = "" if row.tier == "all" else f" of the {row.tier} tier"
    hits = (
        f"of {count(row.n_predictions, kind)}{tier} each, {row.n_hits:,} of "
        f"{str(row.slate_id)[:8]} and {row.n_versus_hits:,} of {str(row.versus_slate_id)[:8]} came "
        "true"
    )
    if skill.value is not None and _is_told(skill):
        better, worse = (own, other) if skill.value > 1 else (other, own)
        times = skill.value if skill.value > 1 else 1 / skill.value
        return (
            f"Beyond popularity, {better} leads {worse}: {hits}, {ratio(row.enrichment)} and "
            f"{ratio(row.versus_enrichment)} times as many as equally popular drugs would have. "
            f"The ratio is {ratio(times)}{_span(skill)}{_p(skill)}."
        )
    if difference.value is not None and _is_told(difference):
        better, worse = (own, other) if difference.value > 0 else (other, own)
        why = (
            "against equally popular drugs no difference can be shown"
            if skill.value is not None
            else f"whether its drugs are only more popular is not known: {row.ratio_reason}"
        )
        return f"{better} has more hits than {worse}: {hits}{_p(difference)}; {why}."
    return f"No difference between {own} and {other} can be told: {hits}{_p(difference)}."


def _span(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None or estimate.value is None:
        return ""
    low, high = estimate.low, estimate.high
    if estimate.value < 1:
        low, high = 1 / high, 1 / low if low else math.inf
    return f", 95% interval {beside_1(low)} to {beside_1(high)}"


def _is_told(estimate: Estimate) -> bool:
    return estimate.p_adjusted is not None and estimate.p_adjusted < SIGNIFICANT


def _p(estimate: Estimate) -> str:
    return "" if estimate.p_adjusted is None else f" (p = {_short_p(estimate.p_adjusted)})"


def _short_p(value: float | None) -> str:
    if value is None:
        return NOTHING
    return beside(value, SIGNIFICANT, "{:.3f}".format) if value >= 0.001 else f"{value:.0e}"


def _warnings(found: Sequence[Compared], replays: Set[str]) -> list[str]:
    warnings = []
    interim = [one.row for one in found if one.row.is_interim and one.row.reason is None]
    if interim:
        until = min((row.followed_until for row in interim if row.followed_until), default=None)
        last = max(row.ends_on for row in interim)
        reach = f"reaches {until}" if until else "has not been ingested"
        warnings.append(f"Interim: common windows end as late as {last}, and evidence {reach}.")
    cut = sum(one.row.n_cut + one.row.n_versus_cut for one in found)
    if cut:
        warnings.append(
            f"{count(cut, 'prediction')} beyond the length of the shorter list of a disease "
            f"{'is' if cut == 1 else 'are'} left out."
        )
    if replays:
        marked = ", ".join(f"{short}*" for short in sorted(replays))
        warnings.append(
            f"{marked}: frozen after the day that the slate stands for, when outcomes could be "
            "known."
        )
    warnings += sorted(
        {
            f"{_short(one.row.slate_id, replays)} and {_short(one.row.versus_slate_id, replays)}: "
            f"no interval of the {what}: {estimate.reason}."
            for one in found
            for what, estimate in (("difference", one.difference), ("ratio", one.ratio))
            if estimate.low is None and one.row.reason is None
        }
    )
    return warnings


def _unlike(connection: Connection, slates: Sequence[Row[Any]]) -> Iterator[str]:
    """Yield what limits the comparability of the slates: different days, different sets."""
    first, last = (key(slates, key=lambda slate: slate.frozen_on) for key in (min, max))
    days = (last.frozen_on - first.frozen_on).days
    if days:
        yield (
            f"{_name(last)} was frozen {count(days, 'day')} after "
            f"{_name(first)}: its model may know what became public between, and gain "
            "by that alone."
        )
    for other in slates[1:]:
        pair = {"slate_id": str(slates[0].slate_id), "versus_slate_id": str(other.slate_id)}
        unlike = statements.run(connection, "unlike_sets", pair).one()
        kinds = [
            kind
            for kind, is_other in (
                ("labels", unlike.has_other_labels),
                ("candidates", unlike.has_other_candidates),
            )
            if is_other
        ]
        if kinds:
            yield (
                f"{_name(slates[0])} and {_name(other)} have different "
                f"{joined(kinds)}: each enrichment is against the drugs that its own sets call "
                "equally popular."
            )


def _figures(found: Sequence[Compared], replays: Set[str]) -> Section:
    """Return the section of the view comparison, each row with the estimates of both figures."""
    columns = list(found[0].row._fields)
    of_estimates = [
        f"{name}_{what}"
        for what in (estimates.DIFFERENCE, estimates.RATIO)
        for name in ("low", "high", "p_value", "p_adjusted")
    ]
    values = [
        (
            *one.row,
            *[
                getattr(estimate, name)
                for estimate in (one.difference, one.ratio)
                for name in ("low", "high", "p_value", "p_adjusted")
            ],
        )
        for one in found
    ]
    section = Section.of(catalog.find(VIEW), Rows([*columns, *of_estimates], values))
    lines = [line for one in found for line in _lines(one, replays)]
    marked = ("* a replay, made after the fact",) if replays else ()
    notes = (*(_extent(one, replays) for one in found), *marked)
    return replace(section, text_table=Rows(_HEADINGS, lines), notes=notes)


def _lines(one: Compared, replays: Set[str]) -> list[tuple[str, ...]]:
    row = one.row
    pair = f"{_short(row.slate_id, replays)} : {_short(row.versus_slate_id, replays)}"
    rates = f"{percent(row.hit_rate).rstrip('%')} : {percent(row.versus_hit_rate)}"
    enrichments = f"{or_dash(row.enrichment, ratio)} : {or_dash(row.versus_enrichment, ratio)}"
    return [
        (pair, "hit rate", rates, *_interval(one.difference, _points)),
        (pair, "enriched", enrichments, *_interval(one.ratio, limit)),
    ]


def _interval(estimate: Estimate, of: Callable[[float], str]) -> tuple[str, ...]:
    low, high = (or_dash(end, of) for end in (estimate.low, estimate.high))
    return (
        or_dash(estimate.value, of),
        NOTHING if estimate.low is None else f"{low} to {high}",
        _short_p(estimate.p_adjusted),
    )


def _points(value: float) -> str:
    return f"{100 * value:+.1f}"


def _extent(one: Compared, replays: Set[str]) -> str:
    row = one.row
    return (
        f"{_short(row.slate_id, replays)} and {_short(row.versus_slate_id, replays)}: "
        f"{row.starts_on} to {row.ends_on}, {count(row.n_diseases, 'common disease')}, the first "
        f"better in {row.n_better:,}, the second in {row.n_worse:,}; {row.n_shared:,} predictions "
        f"shared, {row.n_cut:,} and {row.n_versus_cut:,} cut"
    )


def _details(connection: Connection, found: Sequence[Compared], replays: Set[str]) -> list[Section]:
    """Return the sections of diseases and of hits unique to one slate."""
    diseases, hits = [], []
    for one in found:
        key = {
            "slate_id": str(one.row.slate_id),
            "versus_slate_id": str(one.row.versus_slate_id),
            "population": one.row.population,
            "tier": one.row.tier,
        }
        diseases.append(rows_from(statements.run(connection, "compared_disease", key)))
        hits.append(rows_from(statements.run(connection, "sole_hit", key)))
    by_disease = Section.of(catalog.find("comparison_disease"), _stacked(diseases))
    sole = Section(
        "sole_hit",
        "Hits that only one slate has",
        "listed predictions that came true and that the other slate does not list, with the first "
        "event in the common window",
        "dates; place in the slate's own list",
        _stacked(hits),
    )
    return [
        replace(by_disease, text_table=_text_table_diseases(by_disease.rows, replays)),
        replace(sole, text_table=_short_ids(sole.rows, replays, without=_LEFT_OUT)),
    ]


def _stacked(parts: Sequence[Rows]) -> Rows:
    return Rows(parts[0].columns, [row for part in parts for row in part.values])


def _text_table_diseases(rows: Rows, replays: Set[str]) -> Rows:
    return Rows(
        ["slates", "disease", "of each", "first", "second", "both"],
        [
            (
                f"{_short(one['slate_id'], replays)} : {_short(one['versus_slate_id'], replays)}",
                *[one[name] for name in _DISEASE_COLUMNS],
            )
            for one in rows.records()
        ],
    )


def _short_ids(rows: Rows, replays: Set[str], without: Sequence[str] = ()) -> Rows:
    """Return the rows for a text, with identifiers cut to their first eight characters."""
    kept = [name for name in rows.columns if name not in without]
    return Rows(
        [name.removesuffix("_id").removesuffix("_slate") for name in kept],
        [
            tuple(
                _short(record[name], replays) if name.endswith("slate_id") else record[name]
                for name in kept
            )
            for record in rows.records()
        ],
    )
