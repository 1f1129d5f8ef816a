"""Words numbers and names for a sentence or a cell."""

import functools
from collections.abc import Callable, Iterable
from typing import Any

from tracker.rows import shown

UNKNOWN = "not known"
NOTHING = "\N{EN DASH}"

# Longer names and sentences are cut for readers, not in csv and json; only a name from outside
# makes a sentence so long.
_LONGEST_NAME = 200
_LONGEST_SENTENCE = 2_000
_WORDS = {
    "fda": "FDA",
    "ema": "EMA",
    "ndcg": "NDCG",
    "auc": "AUC",
    "ap": "AP",
    "dcg": "DCG",
    "spearman": "Spearman",
    "auroc": "AUROC",
    "auprc": "AUPRC",
    "id": "ID",
    "sha256": "SHA-256",
    "vs": "versus",
    "nap": "NAP",
    "nr": "NR",
    "tpr": "true positive rate",
    "fpr": "false positive rate",
}
# The remark beside a slate's date, by what proves it; also in assets/verify.js.
DATE_MARKS = {
    "proved": "date proved",
    "claimed": "date claimed",
    "replay": "a replay",
    "round": "deadline of a round",
}
# The sources of evidence as sentences name them.
EVENTS = {
    "first_trial_seen": "first trial",
    "phase_advanced": "phase advance",
    "fda_approved": "FDA approval",
    "approved": "approval",
    "status_transition": "status change",
    "trial_failed": "failed trial",
    "ema_approved": "EMA approval",
    "approval_refused": "refused approval",
    "approval_withdrawn": "withdrawn approval",
}
SOURCES = {
    "chembl": "ChEMBL",
    "ctgov": "ClinicalTrials.gov",
    "ctgov_history": "history of ClinicalTrials.gov",
    "ema": "EMA",
    "fda": "FDA",
    "ictrp": "ICTRP",
}

# A greater limit says only that there are too few hits for one.
_LARGEST_RATIO = 1_000
# Readers take a smaller share as none; limits of a few pairs may be as low as 1e-8.
_SMALLEST_SHARE = 0.0001

_SHARES = ("_rate", "share", "precision_proxy")


def percent(value: float | None) -> str:
    """Return a fraction as a percentage: one decimal, two significant digits, or a bound."""
    if value is None:
        return UNKNOWN
    if value == 0 or value >= 0.001:
        return f"{value:.1%}"
    return f"{value * 100:.2g}%" if value >= _SMALLEST_SHARE else f"<{_SMALLEST_SHARE:.2%}"


def ratio(value: float | None) -> str:
    """Return a ratio with two decimals; a very large one, which rests on few hits, as a bound."""
    if value is None:
        return UNKNOWN
    return f"{value:.2f}" if value <= _LARGEST_RATIO else f"over {_LARGEST_RATIO:,}"


def beside(value: float, bound: float, of: Callable[[float], str]) -> str:
    """Return a value worded by `of`, with more digits where these would show it as the bound."""
    worded = of(value)
    if value == bound or worded != of(bound):
        return worded
    longer = (f"{value:.{digits}g}" for digits in range(2, 18))
    return next(one for one in longer if float(one) != bound)


def beside_1(value: float) -> str:
    """Return a ratio, 1.00 only if it is 1."""
    return beside(value, 1, ratio)


def limit(value: float) -> str:
    """Return an end of an interval with three significant digits; a very large one as a bound."""
    return f"{value:.3g}" if abs(value) <= _LARGEST_RATIO else ratio(value)


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 hit`, `1,204 hits`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def undated_hits(n_hits: int) -> str:
    """Return the number of the primary endpoint's hits that only a release of ChEMBL dates."""
    verb = "rests" if n_hits == 1 else "rest"
    return f"{count(n_hits, 'hit')} {verb} on an undated change of ChEMBL"


def between(low: float | None, high: float | None, *, of: Callable[[float], str]) -> str:
    """Return the ends of an interval, each worded by `of`; nothing without them."""
    return "" if low is None or high is None else f"95% interval {of(low)} to {of(high)}"


def span(low: float | None, high: float | None) -> str:
    """Return the ends of an interval of ratios for a table, a dash without them."""
    return NOTHING if low is None or high is None else f"{ratio(low)} to {ratio(high)}"


def with_limits(
    value: float | None, low: float | None, high: float | None, *, of: Callable[[float], str]
) -> str:
    """Return a figure with its limits and the unit once; a dash if unknown."""
    if value is None:
        return NOTHING
    if low is None or high is None:
        return of(value)
    return f"{of(value)} ({of(low).rstrip('%')}{NOTHING}{of(high).rstrip('%')})"


def or_dash(value: Any, of: Callable[[Any], str]) -> str:
    """Return a value worded by `of`, a dash if unknown."""
    return NOTHING if value is None else of(value)


def tenths(hits: float | None) -> str:
    """Return hits with one decimal, for expected hits and ties; a dash if unknown."""
    return or_dash(hits, "{:,.1f}".format)


def to_three_digits(value: float) -> str:
    """Return a figure of any size with three digits, with an exponent if it is tiny."""
    return f"{value:.0f}" if abs(value) >= 999.5 else f"{value:#.3g}".rstrip(".")


def short_ratio(value: float) -> str:
    """Return a ratio; limits from a few hits may be infinite."""
    return ratio(value) if value < _LARGEST_RATIO else f"{value:.0e}"


def sentence(text: str) -> str:
    """Return a header's text as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."


@functools.lru_cache(maxsize=1_000)
def label(column: str) -> str:
    """Return a column's name in words: `n_hits` is `hits`, `drug_name` is `drug`."""
    name = column.removeprefix("n_").removesuffix("_name")
    parts = [_WORDS.get(part, part) for part in name.split("_")]
    return " ".join(part for part in parts if part)


def cell(column: str, value: Any) -> str:
    """Return a value for a table for people; NULL is a dash, a rate is a percentage."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value) if column.endswith(("year", "_id", "k")) else f"{value:,}"
    if isinstance(value, float):
        if column.endswith("phase"):
            return f"{value:g}"
        if column.endswith(_SHARES):
            return percent(value)
        if column in ("low", "high") and value > _LARGEST_RATIO:
            return ratio(value)
        return f"{value:,.3f}" if abs(value) >= 0.01 or value == 0 else f"{value:.2g}"
    # The evidence of a pair is a list of our own sentences.
    return short(shown(value), _LONGEST_SENTENCE if column == "evidence" else _LONGEST_NAME)


def printable(text: str) -> str:
    """Return a text without codes that control a terminal or reverse the writing direction."""
    return shown(text)


def short(text: str, most: int = _LONGEST_NAME) -> str:
    """Return a text short enough for a page, with its length if cut."""
    if len(text) <= most:
        return text
    return f"{text[:most]}… ({len(text):,} characters)"


def prose(text: str) -> str:
    """Return a sentence that fits a page, without control codes."""
    return short(printable(text), _LONGEST_SENTENCE)


def by_reason(named: Iterable[tuple[object, str]]) -> list[tuple[str, str]]:
    """Return each reason with the names that share it, joined; no reason, no entry."""
    found: dict[str, list[str]] = {}
    for reason, name in named:
        if reason:
            found.setdefault(str(reason), []).append(name)
    return [(reason, joined(names)) for reason, names in found.items()]


def joined(parts: list[str]) -> str:
    """Return parts as an enumeration: `a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
