"""The pages of benchmarks: one submission's score with its curves, and the leaderboard."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from sqlalchemy import Row

from tracker.pages import sections as page_sections
from tracker.pages.benchmark_sections import SECTIONS
from tracker.pages.figures import Estimate, Intervals, Scale
from tracker.pages.page import Check, Page, Panel, Verdict
from tracker.pages.sections import USUAL_K
from tracker.report.records import Section, records
from tracker.report.scoring import Leaderboard
from tracker.report.words import count, joined, label, ratio, sentence, short
from tracker.rows import Rows

_NOT_SHOWN = (
    "A benchmark measures predictions on items whose truth is known to its owner. It shows nothing "
    "about items of another kind, nor whether the submitter had seen part of the truth before."
)


def score(
    submission: Row[Any], benchmark: Row[Any], sections: Sequence[Section], notes: Sequence[str]
) -> Page:
    """Return the page of a submission from its sections, including its curves."""
    panels = page_sections.panels(SECTIONS[benchmark.kind], sections)
    number = submission.submission_id
    facts = [
        ("SHA-256 of the submission", submission.content_sha256),
        ("SHA-256 of the submission before it", submission.previous_sha256),
        ("SHA-256 of the file", submission.file_sha256),
        ("SHA-256 of the truth at that moment", submission.truth_sha256),
        ("code revision", submission.code_revision),
        ("submitted at", submission.submitted_at.astimezone(UTC).isoformat()),
    ]
    return Page(
        kicker=f"Score of a frozen submission, {benchmark.kind} benchmark",
        title=f"Submission {number} by {submission.submitter} to {benchmark.name}",
        subtitle=f"Track {submission.track}"
        f"{', partial: some items are missing' if submission.is_partial else ''}.",
        question="How good are the predictions?",
        verdict=_verdict(sections, benchmark.kind),
        key_figures=[],
        shows=["Each metric of the submission against the truth, from frozen predictions."],
        limits=[_NOT_SHOWN, *[sentence(note.rstrip(".")) for note in notes]],
        panels=panels,
        tables=page_sections.tables(
            [one for one in sections if not one.view.endswith("_point")], panels
        ),
        facts=[(name, str(value)) for name, value in facts if value is not None],
        checks=[
            Check(
                "The predictions are those that were frozen: recompute their hash.",
                f"tracker benchmark verify {number}",
            ),
            Check("Every figure again.", f"tracker benchmark score {number} --curves"),
        ],
    )


def leaderboard(name: str, kind: str, entries: Leaderboard) -> Page:
    """Return the page of a benchmark's leaderboard, a panel for each ranked metric."""
    rows = entries.ranked
    # A rank directly follows its metric.
    ranks = [at for at, column in enumerate(rows.columns) if column.endswith("_rank")]
    view = f"{kind}_leaderboard"
    panels = [
        Panel(
            view, "Every submission that is ranked", "", "Best first.", rows.without_empty("reason")
        )
    ]
    panels += [panel for at in ranks if (panel := _ranking(rows, rows.columns[at - 1], view))]
    tables = []
    if entries.unranked.values:
        tables.append(
            Panel(
                "not_ranked",
                "Not ranked overall",
                "",
                "Submissions that do not complete every target, and those without a metric, are "
                "listed separately. Their means are over the targets and items that they have.",
                entries.unranked,
            )
        )
    if entries.by_target.values:
        tables.append(
            Panel(
                f"{kind}_target_leaderboard",
                "By target",
                "",
                "Each target is ranked among the submissions with a value for every item.",
                entries.by_target.without_empty("reason"),
            )
        )
    return Page(
        kicker=f"Leaderboard, {kind} benchmark",
        title=name,
        subtitle=f"{count(len(rows.values), 'submission')} ranked.",
        question="",
        verdict=None,
        key_figures=[],
        shows=["Each metric is ranked on its own; equal values share a rank."],
        limits=[
            _NOT_SHOWN,
            "Neighbours in a ranking may differ by chance alone.",
            *_distant(entries),
        ],
        panels=panels,
        tables=tables,
        checks=[
            Check("Every submission's hash.", "tracker benchmark verify"),
            Check("The ranking again.", f"tracker benchmark leaderboard {name}"),
        ],
    )


def _distant(entries: Leaderboard) -> list[str]:
    """Say which submissions have values far outside the truth's range."""
    submissions = [
        one
        for rows in (entries.ranked, entries.unranked)
        for one in rows.records()
        if one.get("n_distant_values")
    ]
    return [
        f"{count(one['n_distant_values'], 'value')} of submission {one['submission_id']} by "
        f"{short(one['submitter'])}: more than 10 standard deviations outside the truth's range. "
        "Ranks take the order of the values, not their scale."
        for one in sorted(submissions, key=lambda one: one["submission_id"])
    ]


def _ranking(rows: Rows, metric: str, view: str) -> Panel | None:
    found = [dict(zip(rows.columns, row, strict=True)) for row in rows.values]
    ranked = sorted(
        (one for one in found if one[metric] is not None),
        key=lambda one: (one["track"], -one[metric], one["submission_id"]),
    )
    if not ranked:
        return None
    estimates = tuple(
        Estimate(
            f"{one['submission_id']} {short(one['submitter'])}",
            one["track"],
            one[metric],
            note=f"{one[metric]:.3f}",
        )
        for one in ranked
    )
    name = label(metric)
    firsts = {one.series: one for one in reversed(estimates)}
    low = min(0.0, *(one.value for one in estimates))
    return Panel(
        metric,
        sentence(name).rstrip("."),
        "; ".join(
            f"{one.row} is first with {one.note} on the track {track}"
            for track, one in sorted(firsts.items())
        )
        + ".",
        f"From the view {view}; the number before the name is the submission's.",
        Rows(
            ["track", "submission_id", "submitter", metric],
            [tuple(one[key] for key in ("track", "submission_id", "submitter", metric))
             for one in ranked],
        ),
        Intervals(estimates, Scale(name, ".2f", low, 1)),
        "Dots, one row per submission, the best first. "
        + "; ".join(f"{one.row}: {one.note}" for one in estimates)
        + ".",
    )  # fmt: skip


def _verdict(sections: Sequence[Section], kind: str) -> Verdict | None:
    headline = _HEADLINES[kind]
    found = records(sections, headline.view)
    if kind == "regression":
        found = [one for one in found if one["fold"] == "average"] or found[:1]
    if kind == "multilabel":
        found = [one for one in found if one["k"] == USUAL_K] or found[:1]
    parts = [
        words.format(value=ratio(one[metric]), **{key: one.get(key) for key in ("target", "k")})
        for one in found
        for metric, words in headline.metrics.items()
        if one.get(metric) is not None
    ]
    if not parts:
        return None
    sizes = [headline.basis.format(**one) for one in found]
    more = "" if len(parts) <= _MOST_PARTS else f" and {len(parts) - _MOST_PARTS} more"
    return Verdict(
        ", ".join(parts[:_MOST_PARTS]) + more,
        headline.scale,
        f"It rests on {joined(sizes[:_MOST_PARTS])}. Where a figure has an interval, its chart "
        "states it.",
    )


# The most values that fit a headline.
_MOST_PARTS = 3


@dataclass(frozen=True)
class _Headline:
    """The headline of a benchmark kind: a view, the words of its metrics, scale and basis."""

    view: str
    metrics: dict[str, str]
    scale: str
    basis: str


_HEADLINES = {
    "regression": _Headline(
        "regression_summary",
        {
            "mean_spearman": "mean Spearman {value}",
            "mean_top_decile_recall": "mean recall of the best tenth {value}",
        },
        "Spearman: 1 is the right order, 0 no relation, -1 the reverse. Recall: 1 is all of the "
        "truly best tenth, 0.1 is chance.",
        "{n_targets} targets",
    ),
    "binary": _Headline(
        "auroc",
        {"auroc": "AUROC {value} for {target}"},
        "AUROC: 1 is perfect, 0.5 is chance.",
        "{n_positive:,} positives and {n_negative:,} negatives for {target}",
    ),
    "ordinal": _Headline(
        "ordinal_auprc",
        {"ordinal_auprc": "ordinal AUPRC {value}", "ordinal_nap": "ordinal NAP {value}"},
        "AUPRC: 1 is perfect, chance gives about the share of severe items. NAP: 1 is perfect, 0 "
        "about chance.",
        "the items of each severity class",
    ),
    "multilabel": _Headline(
        "ndcg_at_k_multilabel",
        {"ndcg_at_k": "NDCG {value} at k = {k}"},
        "NDCG: 1 is the best possible list for every instance.",
        "{n_instances:,} instances",
    ),
}
