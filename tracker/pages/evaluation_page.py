"""The page of a retrospective evaluation: scores and rankers held against what is known."""

from collections.abc import Callable

from tracker.pages.figures import Curves, Estimate, Intervals, Mark, Point, Scale
from tracker.pages.page import Check, KeyFigure, Page, Panel, Verdict
from tracker.report.build import Report
from tracker.report.records import first, only, records, rows_of
from tracker.report.words import between, count, joined, percent, ratio, sentence
from tracker.uncertainty import stats

# The cut-off that sentences and tables by disease are about, where it is among the cut-offs.
_USUAL_K = 10


def build(report: Report) -> Page:
    """Return the page of an evaluation's report."""
    panels = [panel for make in _PANELS if (panel := make(report)) is not None]
    drawn = {panel.name for panel in panels}
    facts = report.facts
    number = facts["evaluation_id"]
    return Page(
        kicker="Retrospective evaluation",
        title=f"Evaluation {number}: {facts['candidate_set'] or 'every labeled drug'}",
        subtitle=f"Held against the labels {facts['label_set']}; positive from label "
        f"{facts['positive_min_label']} up.",
        question="Do the scores find what is already known?",
        verdict=_verdict(report),
        key_figures=_key_figures(report),
        shows=[
            "How the scores rank pairs whose answer is known, beside baselines that know only how "
            "popular a drug is."
        ],
        limits=[
            "It shows nothing about the future: the answers were known when the scores were made. "
            "Freeze a slate for that.",
            "A pair without a label counts as negative, though it may only be untested.",
            *report.warnings,
        ],
        panels=panels,
        tables=[
            Panel(
                section.view,
                section.title,
                "",
                f"{sentence(section.formula)} {sentence(section.units)}",
                section.rows,
            )
            for section in report.sections
            if section.view not in drawn
        ],
        facts=[(name.replace("_", " "), str(value)) for name, value in facts.items() if value],
        checks=[
            Check("Every figure again, from the store.", f"tracker retrospective report {number}"),
            Check("A figure's definition.", "tracker views auc"),
        ],
    )


def _verdict(report: Report) -> Verdict | None:
    auc = first(report.sections, "auc")
    if auc.get("auc") is None:
        return None
    value = auc["auc"]
    found = (
        f"A known positive outscores a pair that is none in {percent(value)} of cases; a coin "
        "would manage 50%."
    )
    interval = between(auc.get("low"), auc.get("high"), of=ratio)
    basis = f"It rests on {count(auc['n_positive'], 'positive')} among {auc['n_negative']:,} others"
    sureness = f"{basis}; {interval}." if interval else f"{basis}; no interval is stored."
    return Verdict(f"AUC {ratio(value)}", found, sureness)


def _key_figures(report: Report) -> list[KeyFigure]:
    figures = []
    ndcg = {record["k"]: record for record in records(report.sections, "ndcg_at_k")}
    if ndcg:
        record = ndcg.get(_USUAL_K) or next(iter(ndcg.values()))
        figures.append(
            KeyFigure(
                f"NDCG at {record['k']}",
                ratio(record["ndcg_at_k"]),
                f"mean of {count(record['n_diseases'], 'disease')}",
            )
        )
    for record in records(report.sections, "hit_at_k", k=_USUAL_K):
        interval = stats.wilson(record["n_hits"], record["n_trials"])
        figures.append(
            KeyFigure(
                f"Hit@{_USUAL_K}, {record['ranker']}",
                percent(record["hit_at_k"]),
                between(interval.low, interval.high, of=percent),
            )
        )
    figures += [
        KeyFigure(
            f"temporal AUC, {record['ranker']}",
            ratio(record["temporal_auc"]),
            f"approvals after {record['cutoff_year']}: {record['n_positive']:,}",
        )
        for record in records(report.sections, "temporal_auc", approval_year="all")
    ]
    return figures


def _ndcg(report: Report) -> Panel | None:
    found = [
        record
        for record in records(report.sections, "ndcg_at_k")
        if record["ndcg_at_k"] is not None
    ]
    if not found:
        return None
    best = found[-1]
    points = tuple(Point("NDCG", record["k"], record["ndcg_at_k"]) for record in found)
    return Panel(
        "ndcg_at_k",
        "How good are the first k?",
        f"The order of the first {best['k']} drugs of a disease is worth "
        f"{percent(best['ndcg_at_k'])} of the best possible order, on average.",
        "NDCG: approved drugs count most, drugs in trials less, and each counts less the further "
        "down it stands; 1 is the best possible order.",
        rows_of(report.sections, "ndcg_at_k"),
        Curves(points, _cutoffs([one.x for one in points]), Scale("NDCG (0 to 1)", ".1f", 0, 1)),
        "A line over the cut-off k. "
        + "; ".join(f"k = {one.x:g}: {ratio(one.y)}" for one in points)
        + ".",
    )


def _hits(report: Report) -> Panel | None:
    found = [
        record for record in records(report.sections, "hit_at_k") if record["hit_at_k"] is not None
    ]
    if not found:
        return None
    points = []
    for record in found:
        interval = stats.wilson(record["n_hits"], record["n_trials"])
        points.append(
            Point(record["ranker"], record["k"], record["hit_at_k"], interval.low, interval.high)
        )
    k = _USUAL_K if any(record["k"] == _USUAL_K for record in found) else found[0]["k"]
    at_k = [record for record in found if record["k"] == k]
    return Panel(
        "hit_at_k",
        "Is a hidden drug found again?",
        f"Among the first {k}: "
        + joined([f"{one['ranker']} finds {percent(one['hit_at_k'])}" for one in at_k])
        + ".",
        "Leave-one-out: each known drug of a disease is hidden, the ranker is fitted without it, "
        "and the drug's new rank is looked up. Bands are 95% Wilson intervals; they take the "
        "trials of one disease as independent.",
        rows_of(report.sections, "hit_at_k"),
        Curves(
            tuple(points),
            _cutoffs([one.x for one in points]),
            Scale("share of hidden drugs found", ".0%", 0, 1),
            has_bands=True,
        ),
        "A line per ranker over the cut-off k. "
        + "; ".join(f"{one.series}, k = {one.x:g}: {percent(one.y)}" for one in points)
        + ".",
    )


def _temporal(report: Report) -> Panel | None:
    found = [
        record
        for record in records(report.sections, "temporal_auc")
        if record["temporal_auc"] is not None
    ]
    if not found:
        return None
    estimates = tuple(
        Estimate(
            "all years" if record["approval_year"] == "all" else str(record["approval_year"]),
            f"{record['ranker']}, fitted up to {record['cutoff_year']}",
            record["temporal_auc"],
            record.get("low"),
            record.get("high"),
            f"{ratio(record['temporal_auc'])} (n = {record['n_positive']:,})",
        )
        for record in sorted(found, key=lambda one: one["approval_year"] != "all")
    )
    overall = [one for one in estimates if one.row == "all years"] or list(estimates[:1])
    return Panel(
        "temporal_auc",
        "Are later approvals ranked high?",
        joined([f"{one.series}: AUC {ratio(one.value)}" for one in overall])
        + " over all later years.",
        "The ranker learns only what was approved up to a year; later approvals are then held "
        "against pairs never approved. n is the number of approvals; 0.5 is chance.",
        rows_of(report.sections, "temporal_auc"),
        Intervals(estimates, Scale("temporal AUC (0 to 1)", ".1f", 0, 1), Mark(0.5, "chance")),
        "Dots, one row per year of approval. "
        + "; ".join(f"{one.row}, {one.series}: {one.note}" for one in estimates)
        + ".",
    )


def _diseases(report: Report) -> Panel | None:
    found = records(report.sections, "ndcg_by_disease")
    if not found:
        return None
    cutoffs = {record["k"] for record in found}
    k = _USUAL_K if _USUAL_K in cutoffs else min(cutoffs)
    ranked = sorted(
        (one for one in found if one["k"] == k and one["ndcg"] is not None),
        key=lambda one: -one["ndcg"],
    )
    finding = (
        f"NDCG at {k} runs from {ratio(ranked[-1]['ndcg'])} to {ratio(ranked[0]['ndcg'])} over "
        f"{count(len(ranked), 'disease')}."
        if ranked
        else "No disease has an NDCG."
    )
    return Panel(
        "ndcg_by_disease",
        "Disease by disease",
        finding,
        f"NDCG of the first {k} drugs of each disease.",
        only(rows_of(report.sections, "ndcg_by_disease"), k=k),
    )


def _cutoffs(values: list[float]) -> Scale:
    ticks = tuple(sorted(set(values)))
    return Scale("first k drugs of a disease", ",d", ticks=ticks, is_log=True)


_PANELS: tuple[Callable[[Report], Panel | None], ...] = (_ndcg, _hits, _temporal, _diseases)
