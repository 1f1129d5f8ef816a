"""The sections of an evaluation's page, each an entry of SECTIONS."""

from collections.abc import Sequence

from tracker.reports.pages.figures import Estimate, Mark, Point, Scale
from tracker.reports.pages.sections import Drawing, PageSection, dots, lines_over_k, usual_k
from tracker.reports.records import Section, known, only, records, rows_of
from tracker.reports.words import count, joined, percent, ratio

_FIRST_K = "first k drugs of a disease"


def _ndcg(sections: Sequence[Section]) -> Drawing | None:
    found = known(sections, "ndcg_at_k", "ndcg_at_k")
    if not found:
        return None
    best = found[-1]
    return lines_over_k(
        f"The order of the first {best['k']} drugs of a disease is worth "
        f"{percent(best['ndcg_at_k'])} of the best possible order, on average.",
        [Point("NDCG", one["k"], one["ndcg_at_k"], one["low"], one["high"]) for one in found],
        _FIRST_K,
        Scale("NDCG (0 to 1)", ".1f", 0, 1),
        ratio,
        has_bands=True,
        is_named=False,
    )


def _hits(sections: Sequence[Section]) -> Drawing | None:
    found = known(sections, "hit_at_k", "hit_at_k")
    if not found:
        return None
    points = [
        Point(one["ranker"], one["k"], one["hit_at_k"], one["low"], one["high"]) for one in found
    ]
    k = usual_k([one["k"] for one in found], found[0]["k"])
    at_k = [f"{one['ranker']} finds {percent(one['hit_at_k'])}" for one in found if one["k"] == k]
    return lines_over_k(
        f"Among the first {k}: {joined(at_k)}.",
        points,
        _FIRST_K,
        Scale("share of hidden drugs found", ".0%", 0, 1),
        percent,
        has_bands=True,
    )


def _temporal(sections: Sequence[Section]) -> Drawing | None:
    found = known(sections, "temporal_auc", "temporal_auc")
    if not found:
        return None
    estimates = [
        Estimate(
            "all years" if one["approval_year"] == "all" else str(one["approval_year"]),
            f"{one['ranker']}, fitted up to {one['cutoff_year']}",
            one["temporal_auc"],
            one["low"],
            one["high"],
            f"{ratio(one['temporal_auc'])} (n = {one['n_positive']:,})",
        )
        for one in sorted(found, key=lambda one: one["approval_year"] != "all")
    ]
    overall = [one for one in estimates if one.row == "all years"] or estimates[:1]
    return dots(
        joined([f"{one.series}: AUC {ratio(one.value)}" for one in overall])
        + " over all later years.",
        estimates,
        Scale("temporal AUC (0 to 1)", ".1f", 0, 1),
        Mark(0.5, "chance"),
    )


def _diseases(sections: Sequence[Section]) -> Drawing | None:
    found = records(sections, "ndcg_by_disease")
    if not found:
        return None
    cutoffs = {one["k"] for one in found}
    k = usual_k(cutoffs, min(cutoffs))
    values = sorted(one["ndcg"] for one in found if one["k"] == k and one["ndcg"] is not None)
    finding = (
        f"NDCG at {k} runs from {ratio(values[0])} to {ratio(values[-1])} over "
        f"{count(len(values), 'disease')}."
        if values
        else "No disease has an NDCG."
    )
    return Drawing(
        finding,
        rows=only(rows_of(sections, "ndcg_by_disease"), k=k),
        note=f"NDCG of the first {k} drugs of each disease.",
    )


SECTIONS = (
    PageSection(
        "ndcg_at_k",
        "How good are the first k?",
        "NDCG: approved drugs count most, drugs in trials less, and each counts less the further "
        "down it is ranked; 1 is the best possible order. Equal scores count in the mean over "
        "all their orders; the optimistic and the pessimistic value are of the best and the worst "
        "one. Bands are 95% intervals, clustered by disease.",
        _ndcg,
    ),
    PageSection(
        "hit_at_k",
        "Is a hidden drug found again?",
        "Leave-one-out: each known drug of a disease is hidden, the ranker is fitted without it, "
        "and the drug's new rank is looked up. Equal scores count in the mean over all their "
        "orders. Bands are 95% intervals, clustered by disease; there is none where few diseases "
        "have a hit or a miss.",
        _hits,
    ),
    PageSection(
        "temporal_auc",
        "Are later approvals ranked high?",
        "The ranker learns only what was approved up to a year; later approvals are then compared "
        "with pairs never approved. n is the number of approvals; 0.5 is chance. Lines are 95% "
        "intervals, clustered by disease; few approvals have none.",
        _temporal,
    ),
    PageSection("ndcg_by_disease", "Disease by disease", "", _diseases),
)
