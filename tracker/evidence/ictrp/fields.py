"""Translates dates, phases, types and statuses of the registries into the API's words."""

import datetime
import re

# A slash date whose parts could both be a month is read only where the registry is known to write
# the day first, as all of these do in every date that can be told.
_DAY_FIRST = frozenset(
    (
        "ANZCTR",
        "CTRI",
        "EU Clinical Trials Register",
        "German Clinical Trials Register",
        "ISRCTN",
        "JPRN",
        "Netherlands Trial Register",
        "TCTR",
    )
)
CLINICAL_TRIALS_GOV = "ClinicalTrials.gov"

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_FIRST_YEAR, _LAST_YEAR = 1950, 2100
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[ T]00:00:00)?")
_PACKED = re.compile(r"(\d{4})(\d{2})(\d{2})")
_SLASHED = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})")
_NAMED_MONTH_FIRST = re.compile(r"([A-Za-z]+)\.?(?: (\d{1,2}))?,? (\d{4})")
_NAMED_DAY_FIRST = re.compile(r"(\d{1,2})[- ]([A-Za-z]+)[- ,]+(\d{4})")

_ROMAN = {"I": 1, "II": 2, "III": 3, "IV": 4}
_EUDRACT_LINE = re.compile(r"\(Phase (I{1,3}|IV)\):\s*(yes)?", re.IGNORECASE)
_NO_PHASE = frozenset(
    (
        "",
        "N/A",
        "NA",
        "NOT APPLICABLE",
        "NOT SELECTED",
        "RETROSPECTIVE STUDY",
        "OTHER",
        "NEW TREATMENT MEASURE CLINICAL STUDY",
        "DIAGNOSTIC NEW TECHNIQUE CLINCAL STUDY",
        "POST MARKETING SURVEILLANCE",
    )
)
_PHASE = re.compile(
    r"(?:(?P<early>early\s+)?phase)?[\s-]*(?P<one>[0-4]|I{1,3}|IV)[abc]?"
    r"(?:\s*(?:/|-|to|and|&)\s*(?:phase)?[\s-]*(?P<other>[0-4]|I{1,3}|IV)[abc]?)?"
    r"(?:\s*\(exploratory trials\))?",
    re.IGNORECASE,
)
# "2-3", which Excel turned into the second of March, as text again.
_DAY_AND_MONTH = re.compile(
    r"(?P<day>\d{1,2})-(?P<month>[A-Za-z]{3})|(?P<m>[A-Za-z]{3})-(?P<d>\d+)"
)
_WORDS_OF_PHASE = {0: "EARLY_PHASE1", 1: "PHASE1", 2: "PHASE2", 3: "PHASE3", 4: "PHASE4"}
_LAST_PHASE = 4

_STATUSES = {
    "PENDING": "NOT_YET_RECRUITING",
    "NOT_YET_RECRUITING": "NOT_YET_RECRUITING",
    "ONGOING": "RECRUITING",
    "ONGOING_NOT_RECRUITING": "ACTIVE_NOT_RECRUITING",
    "STOPPED": "TERMINATED",
    "PREMATURELY_ENDED": "TERMINATED",
    "UNKNOWN_STATUS": "UNKNOWN",
    "NOT_AVAILABLE": "UNKNOWN",
}
_PURPOSE = re.compile(
    r"purpose\s*:\s*([A-Za-z][A-Za-z /]*)|\b(treatment|prevention|diagnostic|screening) purpose\b",
    re.IGNORECASE,
)
_PURPOSES = frozenset(
    (
        "TREATMENT",
        "PREVENTION",
        "DIAGNOSTIC",
        "SUPPORTIVE_CARE",
        "SCREENING",
        "HEALTH_SERVICES_RESEARCH",
        "BASIC_SCIENCE",
        "DEVICE_FEASIBILITY",
        "OTHER",
    )
)


def day(given: object, registry: str) -> str | None:
    """Return a date as the API writes it, "2020-02-16" or "2020-02"; None if it cannot be read.

    A cell that Excel made a date is that day; for ClinicalTrials.gov, whose days are text, the
    first of a month is a month.
    """
    if isinstance(given, datetime.datetime):
        if registry == CLINICAL_TRIALS_GOV and given.day == 1:
            return _dated(given.year, given.month)
        return _dated(given.year, given.month, given.day)
    text = " ".join(str(given or "").split())
    for pattern in (_ISO, _PACKED):
        if found := pattern.fullmatch(text):
            return _dated(*map(int, found.groups()))
    if found := _SLASHED.fullmatch(text):
        return _slashed(int(found[1]), int(found[2]), int(found[3]), registry)
    if (found := _NAMED_MONTH_FIRST.fullmatch(text)) and (month := _month(found[1])):
        return _dated(int(found[3]), month, int(found[2]) if found[2] else None)
    if (found := _NAMED_DAY_FIRST.fullmatch(text)) and (month := _month(found[2])):
        return _dated(int(found[3]), month, int(found[1]))
    return None


def _slashed(one: int, other: int, year: int, registry: str) -> str | None:
    if one > len(_MONTHS) or one == other or registry in _DAY_FIRST:
        return _dated(year, other, one)
    return _dated(year, one, other) if other > len(_MONTHS) else None


def _month(name: str) -> int | None:
    """Return the number of a month by its name or the beginning of it."""
    lower = name.lower()
    found = [number for number, month in enumerate(_MONTHS, 1) if month.startswith(lower)]
    return found[0] if len(lower) > 2 and found else None


def _dated(year: int, month: int, in_month: int | None = None) -> str | None:
    try:
        full = datetime.date(year, month, 1 if in_month is None else in_month)
    except ValueError:
        return None
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        return None
    return full.isoformat() if in_month is not None else f"{year}-{month:02}"


def phase(given: object) -> str | None:
    """Return phases as the API writes them, "PHASE2|PHASE3"; None where none is stated.

    EudraCT's four lines say yes or no for each. Excel turns "2-3" into the second of March; a date
    that is no such pair states no phase.
    """
    if isinstance(given, datetime.datetime):
        return _phases({given.day, given.month})
    text = str(given or "").strip()
    if lines := _EUDRACT_LINE.findall(text):
        return _phases({_ROMAN[numeral.upper()] for numeral, yes in lines if yes})
    if (found := _ISO.fullmatch(text)) and found[1].startswith("20"):
        return _phases({int(found[2]), int(found[3])})
    if found := _DAY_AND_MONTH.fullmatch(text):
        month = _month(found["month"] or found["m"])
        return None if month is None else _phases({int(found["day"] or found["d"]), month})
    found = _PHASE.fullmatch(text)
    if found is None:
        return None
    numbers = {_number(one) for one in (found["one"], found["other"]) if one}
    return _phases({0} if found["early"] else numbers)


def is_without_phase(given: object) -> bool:
    """Whether a text says that a study has no phase: in words, or as EudraCT's four lines."""
    text = str(given or "").strip()
    lines = _EUDRACT_LINE.findall(text)
    return not any(yes for _, yes in lines) if lines else text.upper() in _NO_PHASE


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _ROMAN[text.upper()]


def _phases(numbers: set[int]) -> str | None:
    """Return one phase, or two that follow one another; None for any other set."""
    if not numbers or max(numbers) > _LAST_PHASE or max(numbers) - min(numbers) > 1:
        return None
    return "|".join(_WORDS_OF_PHASE[number] for number in sorted(numbers))


def study_type(given: str) -> str | None:
    """Return INTERVENTIONAL, OBSERVATIONAL, EXPANDED_ACCESS or a registry's own type."""
    word = re.sub(r"[^A-Z]+", "_", given.upper()).strip("_")
    if word.startswith("INTERVENTION") or word == "TREATMENT_STUDY":
        return "INTERVENTIONAL"
    if word.startswith("OBSERVATION"):
        return "OBSERVATIONAL"
    return word or None


def status(given: str) -> str | None:
    """Return a status as the API writes it.

    ICTRP says NOT_RECRUITING of studies that do not recruit yet, no longer recruit, or never did.
    """
    word = re.sub(r"[^A-Z]+", "_", given.upper()).strip("_")
    if word.startswith("AUTHORISED"):
        # "Authorised-recruitment may be ongoing or finished".
        return "AUTHORISED"
    return _STATUSES.get(word, word) or None


def purpose(design: str) -> str | None:
    """Return the primary purpose that the text of a study's design states, None if none."""
    found = _PURPOSE.search(design)
    if found is None:
        return None
    word = (found[1] or found[2]).strip().upper().replace(" ", "_")
    if word == "HEALTH_SERVICE_RESEARCH":
        word = "HEALTH_SERVICES_RESEARCH"
    return word if word in _PURPOSES else None
