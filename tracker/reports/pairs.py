"""Pairs of models or teams as a section: the ratio of the better one's enrichment."""

from collections.abc import Sequence

from tracker.reports.records import Section
from tracker.reports.words import or_dash, ratio, with_limits
from tracker.rows import Rows
from tracker.uncertainty.estimates.duels import Duel

UNITS = "ratio, 1 = equally good; what both share is taken into account"


def section(
    view: str, title: str, noun: str, name: str, value: str, pairs: Sequence[Duel[str]]
) -> Section:
    """Return the section `view`, whose rows are pairs of a `noun`.

    Columns `name` and versus_`name` name the pair; `value` is the ratio of the first to the second.
    """
    columns = [
        name,
        f"versus_{name}",
        value,
        f"{value}_low",
        f"{value}_high",
        "p_value",
        "p_adjusted",
        "is_told",
    ]
    rows = [
        (
            one.first,
            one.versus,
            one.compared.estimate,
            one.compared.low,
            one.compared.high,
            one.compared.p_value,
            one.p_adjusted,
            one.is_told,
        )
        for one in pairs
    ]
    text_table = [
        (
            one.first,
            one.versus,
            with_limits(one.compared.estimate, one.compared.low, one.compared.high, of=ratio),
            or_dash(one.p_adjusted, "{:.2g}".format),
        )
        for one in pairs
    ]
    return Section(
        view,
        title,
        "Enrichment of the one / enrichment of the other; p adjusted over the pairs by Holm's "
        "method",
        UNITS,
        Rows(columns, [*rows]),
        text_table=Rows([noun, "versus", "times (95%)", "p"], [*text_table]),
        empty="No two with intervals.",
    )
