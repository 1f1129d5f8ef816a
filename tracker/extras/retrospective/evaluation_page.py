"""The page of a retrospective evaluation: scores and rankers against known labels."""

from tracker.extras.retrospective.evaluation_sections import SECTIONS
from tracker.reports.kinds import Report
from tracker.reports.pages import sections
from tracker.reports.pages.page import Check, KeyFigure, Page, Verdict
from tracker.reports.pages.sections import USUAL_K
from tracker.reports.records import Record, first, records
from tracker.reports.words import between, count, percent, ratio


def build(report: Report) -> Page:
    """Return the page of an evaluation's report."""
    panels = sections.panels(SECTIONS, report.sections)
    facts = report.facts
    number = facts["evaluation_id"]
    return Page(
        kicker="Retrospective evaluation",
        title=f"Evaluation {number}: {facts['candidate_set'] or 'every labeled drug'}",
        subtitle=f"Compared with the labels {facts['label_set']}; labels "
        f"{facts['positive_min_label']} and above count as positive.",
        question="Do the scores find what is already known?",
        verdict=_verdict(report),
        key_figures=_key_figures(report),
        shows=[
            "How the scores rank pairs whose answer is known, next to baselines that know only how "
            "popular a drug is."
        ],
        limits=[
            "It shows nothing about the future: the answers were known when the scores were made. "
            "Freeze a slate for that.",
            "A pair without a label counts as negative, though it may only be untested.",
            *report.warnings,
        ],
        panels=panels,
        tables=sections.tables(report.sections, panels),
        facts=[(name.replace("_", " "), str(value)) for name, value in facts.items() if value],
        checks=[
            Check("Every figure again, from the store.", f"tracker retrospective report {number}"),
            Check("A figure's definition.", "tracker view auc"),
        ],
    )


def _verdict(report: Report) -> Verdict | None:
    auc = first(report.sections, "auc")
    if auc.get("auc") is None:
        return None
    value = auc["auc"]
    found = (
        f"A known positive outscores a pair that is not positive in {percent(value)} of cases; a "
        "coin toss would manage 50%."
    )
    interval = between(auc["low"], auc["high"], of=ratio)
    basis = f"It rests on {count(auc['n_positive'], 'positive')} and {auc['n_negative']:,} others"
    reason = first(report.sections, "estimate", figure="auc").get("reason")
    certainty = f"{basis}; {interval}." if interval else f"{basis}; no interval: {reason}."
    return Verdict(f"AUC {ratio(value)}", found, certainty)


def _key_figures(report: Report) -> list[KeyFigure]:
    figures = []
    ndcg = {record["k"]: record for record in records(report.sections, "ndcg_at_k")}
    if ndcg:
        record = ndcg.get(USUAL_K) or next(iter(ndcg.values()))
        figures.append(
            KeyFigure(
                f"NDCG at {record['k']}",
                ratio(record["ndcg_at_k"]),
                _certainty(record, f"mean of {count(record['n_diseases'], 'disease')}"),
                record["ndcg_at_k"],
                record["low"],
                record["high"],
            )
        )
    figures += [
        KeyFigure(
            f"Hit@{USUAL_K}, {record['ranker']}",
            percent(record["hit_at_k"]),
            between(record["low"], record["high"], of=percent),
            record["hit_at_k"],
            record["low"],
            record["high"],
        )
        for record in records(report.sections, "hit_at_k", k=USUAL_K)
    ]
    figures += [
        KeyFigure(
            f"temporal AUC, {record['ranker']}",
            ratio(record["temporal_auc"]),
            _certainty(
                record, f"approvals after {record['cutoff_year']}: {record['n_positive']:,}"
            ),
            record["temporal_auc"],
            record["low"],
            record["high"],
        )
        for record in records(report.sections, "temporal_auc", approval_year="all")
    ]
    return figures


def _certainty(record: Record, basis: str) -> str:
    """Return what a figure rests on, and its interval if it has one."""
    interval = between(record["low"], record["high"], of=ratio)
    return f"{basis}; {interval}" if interval else basis
