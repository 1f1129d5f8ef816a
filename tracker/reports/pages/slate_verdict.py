"""The verdict on a slate: the plan's word, the results so far, and their uncertainty."""

from dataclasses import replace

from tracker.figures import MATCHED, METRICS
from tracker.reports import assessment
from tracker.reports.kinds import Report
from tracker.reports.pages import baselines, parts, states
from tracker.reports.pages.lead import Lead
from tracker.reports.pages.page import Verdict
from tracker.reports.records import Record, first, records
from tracker.reports.words import beside, beside_1, count, joined, ratio, sentence, undated_hits
from tracker.uncertainty.estimates import MOST_OWN_SHARE
from tracker.uncertainty.estimates.duels import SIGNIFICANT

_EXPLAINED = "Explained by popularity"
_SO_FAR = " so far"
# Each begins with a verdict of `tracker assess`.
_PLAN_WORDS = {
    assessment.WORKS: "Works: it met its plan's success criteria",
    assessment.DOES_NOT_WORK: "Does not work: it met its plan's failure criteria",
    assessment.EXPLAINED: _EXPLAINED,
    assessment.INCONCLUSIVE: "Inconclusive: the evidence is in, and leaves its plan open",
    assessment.TOO_EARLY: "Too early to say by its plan",
}
_REPLAYED = "Made after the events it is compared with, so not a prospective test."
_NO_FORESIGHT = "No figure on this page can show that the model foresaw anything."
_EARLY = "Too early: "
_SMALLEST_P = 0.0001


def verdict(report: Report, lead: Lead, assessed: Report | None = None) -> Verdict:
    """Return a page's verdict on the slate; `assessed` is its assessment by its plan.

    Without an assessment, the verdict is the result so far. The plan's deciding criteria are named
    if the slate does not work; what is awaited or open, if it is undecided. No result of a replay
    is worded, since none shows foresight.
    """
    state = states.state_of(report.facts, assessed)
    if report.facts["is_replay"]:
        if assessed is None:
            return Verdict("Replay", _REPLAYED, _NO_FORESIGHT, state)
        word = sentence(assessed.facts["overall"]).rstrip(".")
        told = " ".join([_REPLAYED, *_awaited(assessed)])
        return Verdict(word, told, _NO_FORESIGHT, state)
    if assessed is None:
        return replace(_so_far(report, lead), state=state)
    overall = assessment.word(assessed.facts)
    found = replace(_so_far(report, lead, is_pending=overall == assessment.TOO_EARLY), state=state)
    certainty = found.certainty if found.word == _EXPLAINED else f"{found.word}. {found.certainty}"
    failed = records(assessed.sections, "assessment", role="failure", state=assessment.MET)
    if overall == assessment.TOO_EARLY:
        why = "".join(f"{one} " for one in _awaited(assessed))
    elif overall == assessment.INCONCLUSIVE and assessed.warnings:
        why = f"{sentence(assessed.warnings[0].rstrip('.'))} "
    else:
        why = f"It fails by {joined([_met(row) for row in failed])}. " if failed else ""
    why = f"{assessment.caveats(assessed.facts)}{why}"
    undated = ""
    if n_undated := assessed.facts["n_undated_hits"]:
        undated = f" {sentence(undated_hits(n_undated))}"
    return Verdict(_PLAN_WORDS[overall], f"{why}{found.sentence}{undated}", certainty, found.state)


def _awaited(assessed: Report) -> list[str]:
    """Word what the plan still requires; the section on the plan says how it comes."""
    return [
        sentence(one.removeprefix(_EARLY).partition(": ")[0].rstrip("."))
        for one in assessed.warnings
        if one.startswith(_EARLY)
    ]


def _met(row: Record) -> str:
    """Name a met criterion; the plan's table has its value and interval."""
    metric, _, bound = row["criterion"].removesuffix(" by its interval").partition(" ")
    return f"{METRICS[metric].noun} {bound}"


def _so_far(report: Report, lead: Lead, *, is_pending: bool = True) -> Verdict:
    """Compare the high tier with equally popular drugs in words, with the role of chance.

    The interval of the enrichment decides the word; without one there is none. `is_pending` says
    whether more can come.
    """
    so_far = _SO_FAR if is_pending else ""
    total = first(report.sections, "tier_hit_rate", tier="all", **lead.keys)
    high = first(report.sections, MATCHED, tier="high", **lead.keys)
    if not total or not total["n_hits"]:
        waiting = f"No {lead.kind}prediction has come true{lead.after_the_freeze}"
        return Verdict(
            f"No hit{so_far}",
            f"{waiting}{' yet' if is_pending else ''}.",
            "Without a hit, neither a rate nor an enrichment can be estimated.",
        )
    if high and is_own_baseline(high):
        return Verdict(
            _EXPLAINED,
            f"The {count(high['n_predictions'], f'{lead.kind}high-tier prediction')} came "
            f"true{lead.after_the_freeze} {ratio(high['observed_vs_expected'])} times as often as "
            f"equally popular drugs, themselves among them: {count(high['n_hits'], 'hit')} where "
            f"{high['expected_hits']:.1f} were expected.",
            f"{sentence(str(high['reason']))} Too few other candidates are as popular to compare "
            "with, so there is no interval.",
        )
    if not high or high[MATCHED] is None:
        reason = (high.get("reason") or "the slate has no high tier").rstrip(".")
        return Verdict(
            "Not known against popularity",
            f"{total['n_hits']:,} of {count(total['n_predictions'], f'{lead.kind}prediction')} "
            f"came true{lead.after_the_freeze}, but not whether popular drugs would have done as "
            "well.",
            f"Why: {reason}.",
        )
    found = (
        f"The {count(high['n_predictions'], f'{lead.kind}high-tier prediction')} came "
        f"true{lead.after_the_freeze} {ratio(high[MATCHED])} times as often as "
        f"equally popular drugs: {count(high['n_hits'], 'hit')}"
        f"{parts.near_known(report.sections, lead, 'high')} where "
        f"{high['expected_hits']:.1f} were expected from {high['n_other_hits']:,} of "
        f"others.{baselines.beside(report.sections, lead, 'high')}"
    )
    low, upper = high.get("low"), high.get("high")
    if low is None or upper is None:
        why_not = why_no_interval(report, lead, MATCHED)
        return Verdict(
            f"Inconclusive{so_far}{': ' + why_not if why_not else ''}",
            found,
            "There is no interval for so few hits or drugs.",
        )
    span = f"The 95% interval, {beside_1(low)} to {beside_1(upper)} times,"
    reference = "1, the value for popularity alone"
    p_value = high.get("p_value")
    p = ""
    if p_value is not None:
        told = beside(p_value, SIGNIFICANT, "{:.2g}".format)
        p = f" (p = {told})" if p_value >= _SMALLEST_P else f" (p < {_SMALLEST_P:.4f})"
    if low <= 1 <= upper:
        return Verdict(
            f"Inconclusive{so_far}: not told from popularity",
            found,
            f"{span} includes {reference}, so chance may explain the difference{p}.",
        )
    word, side = ("Better", "above") if low > 1 else ("Worse", "below")
    return Verdict(f"{word} than popularity{so_far}", found, f"{span} lies {side} {reference}{p}.")


def is_own_baseline(high: Record) -> bool:
    """Return whether a row has no ratio because the predictions are their own baseline."""
    return (high.get("own_share") or 0) > MOST_OWN_SHARE and bool(high.get("observed_vs_expected"))


def why_no_interval(report: Report, lead: Lead, metric: str) -> str:
    """Return why the high tier's figure has no interval; empty if it has one or none was tried."""
    estimate = first(report.sections, "estimate", figure=metric, tier="high", **lead.keys)
    return "" if estimate.get("low") is not None else str(estimate.get("reason") or "")
