"""The chart of a slate's global lists: their hit rates beside those expected of them."""

from collections.abc import Sequence

from tracker.reports.global_lists import hits_in_words
from tracker.reports.pages.figures import Estimate, Intervals, Scale
from tracker.reports.pages.sections import Drawing
from tracker.reports.records import Record
from tracker.reports.words import between, count, percent, ratio


def drawing(lists: Sequence[Record], when: str) -> Drawing | None:
    """Draw the lists of one window and population; None if they are empty.

    `when` says when hits of the window happened, to follow 'came true'.
    """
    known = [one for one in lists if one["hit_rate"] is not None]
    if not known:
        return None
    estimates = []
    for one in known:
        row = f"top {one['list_size']:,}"
        listed = f"{hits_in_words(one['tie_mean_hits'])} of {one['n_predictions']:,}"
        limits = one["low_hit_rate"], one["high_hit_rate"]
        estimates.append(Estimate(row, "the predictions", one["hit_rate"], *limits, note=listed))
        if one["expected_hits"] is not None:
            rate = one["expected_hits"] / one["n_predictions"]
            note = f"{one['expected_hits']:.1f} expected"
            estimates.append(Estimate(row, "equally popular candidates", rate, note=note))
    shortest, *longer = known
    return Drawing(
        " ".join([_finding(one, when) for one in (shortest, *longer[-1:])]),
        Intervals(tuple(estimates), Scale("hit rate (share of the list)", ".0%")),
        [f"{one.row}, {one.series}: {percent(one.value)} ({one.note})" for one in estimates],
    )


def _finding(one: Record, when: str) -> str:
    value = one["enrichment_vs_matched"]
    interval = between(one.get("low"), one.get("high"), of=ratio)
    compared = (
        ""
        if value is None
        else f", {ratio(value)} times as often as equally popular candidates"
        f"{interval and f' ({interval})'}"
    )
    return (
        f"Of the first {count(one['n_predictions'], 'prediction')} "
        f"{hits_in_words(one['tie_mean_hits'])} came true{when}{compared}."
    )
