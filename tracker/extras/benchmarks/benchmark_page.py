"""The pages of benchmarks: one submission's score with its curves, and the leaderboard."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from sqlalchemy import Row

from tracker.extras.benchmarks import benchmark_text, board_verdict, boards
from tracker.extras.benchmarks.benchmark_sections import SECTIONS
from tracker.extras.benchmarks.boards import Board
from tracker.extras.benchmarks.models import Model
from tracker.extras.benchmarks.scoring import Leaderboard
from tracker.reports.pages import sections as page_sections
from tracker.reports.pages.figures import Estimate, Intervals, Scale
from tracker.reports.pages.page import Check, Page, Panel, Verdict
from tracker.reports.pages.sections import USUAL_K
from tracker.reports.records import Section, records
from tracker.reports.words import count, joined, label, ratio, sentence, short

_NOT_SHOWN = (
    "A benchmark measures predictions on items whose truth is known to its owner. It shows nothing "
    "about items of another kind, nor whether the submitter had seen part of the truth before."
)


def score(
    submission: Row[Any],
    benchmark: Row[Any],
    sections: Sequence[Section],
    notes: Sequence[str],
    model: Model | None,
) -> Page:
    """Return the page of a submission from its sections, including its curves."""
    panels = page_sections.panels(SECTIONS[benchmark.kind], sections)
    number = submission.submission_id
    facts = [
        *_stated(model),
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
        subtitle=f"{_named(model)}Track {submission.track}"
        f"{', partial: some items are missing' if submission.is_partial else ''}.",
        question="How good are the predictions?",
        verdict=_verdict(sections, benchmark.kind),
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


def _named(model: Model | None) -> str:
    if model is None:
        return ""
    version = f", version {model.model_version}" if model.model_version else ""
    return f"Model: {model.model}{version}. "


def _stated(model: Model | None) -> list[tuple[str, Any]]:
    """Return what the submitter stated of the model, with the words of the options."""
    if model is None:
        return []
    return [
        ("model, as stated", model.model),
        ("version", model.model_version),
        ("link", model.link),
        ("license", model.license),
        ("trained on data until", model.trained_until),
    ]


def leaderboard(name: str, entries: Leaderboard) -> Page:
    """Return the page of a benchmark's leaderboard, a panel for each ranked metric."""
    panels = [_ranking(board) for board in entries.boards]
    tables = [
        Panel(
            "leaderboard",
            "Every submission that is ranked",
            "",
            "In the order of their ranks by the first metric.",
            benchmark_text.entry_rows(entries.ranked),
        )
    ]
    if entries.unranked.values:
        tables.append(
            Panel(
                "not_ranked",
                "Not ranked overall",
                "",
                "Submissions that do not complete every target, and those without a metric, are "
                "listed separately. Their means are over the targets and items that they have.",
                benchmark_text.entry_rows(entries.unranked, with_values=True),
            )
        )
    metrics = dict.fromkeys(board.metric for board in entries.target_boards)
    tables += [
        Panel(
            f"leaderboard_{metric}",
            f"By target: {label(metric)}",
            "",
            "Each target is ranked among the submissions with a value for every item.",
            benchmark_text.board_rows(
                [board for board in entries.target_boards if board.metric == metric]
            ),
        )
        for metric in metrics
    ]
    ranked = [*entries.boards, *entries.target_boards]
    return Page(
        kicker=f"Leaderboard, {entries.kind} benchmark",
        title=name,
        subtitle=f"{count(len(entries.ranked.values), 'submission')} ranked.",
        question=board_verdict.QUESTION,
        verdict=board_verdict.of_boards(entries.boards),
        shows=["Each metric is ranked on its own.", *benchmark_text.notes(ranked)],
        limits=[_NOT_SHOWN, *_distant(entries), *entries.doubts],
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


def _ranking(board: Board) -> Panel:
    """Return the panel of a board: what is first, a dot with its interval each, and the ranks."""
    rows = benchmark_text.board_rows([board])
    ranks = [row[rows.columns.index("rank")] for row in rows.values]
    estimates = [
        Estimate(
            short(boards.name(line)),
            "submission",
            line.value,
            line.low,
            line.high,
            f"{line.value:.3f}{'*' if line.is_best else ''}, rank {rank}",
        )
        for line, rank in zip(board.lines, ranks, strict=False)
    ]
    estimates += [
        Estimate(one.name, "baseline", one.value, note=f"{one.value:.3f}")
        for one in board.baselines
    ]
    metric = label(board.metric)
    of_target = "" if board.target is None else f" of {board.target}"
    low = min(0.0, *(min(one.value, one.low or 0.0) for one in estimates))
    return Panel(
        f"{board.metric}_{board.track}",
        f"{sentence(metric).rstrip('.')}{of_target}, track {board.track}",
        " ".join(boards.ties(board)),
        "From the view leaderboard.",
        rows,
        Intervals(tuple(estimates), Scale(metric, ".2~f", low)),
        "Dots with 95% intervals, one row per submission, the best rank first, then baselines. "
        + "; ".join(f"{one.row}: {one.note}" for one in estimates)
        + ".",
    )


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
