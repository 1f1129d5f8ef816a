"""The numbers by which registries know a study, and which records are of one study.

A study of several registries has a number in each, and names the others in `Secondary_ID`. It is
kept under one: that of ClinicalTrials.gov if it has any, else the one under which it is already
stored, else the first by name.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

NCT = re.compile(r"NCT[0-9]{8}")
# EudraCT numbers name a study; the country behind one names a competent authority.
_EUDRACT = re.compile(
    r"(?:EUCTR)?([0-9]{4}-[0-9]{6}-[0-9]{2})(?:-[A-Z]{2,4}|-Outside-EU/EEA)?", re.I
)
# EU numbers of the register that follows EudraCT; the end counts submissions.
_CTIS = re.compile(r"(?:CTIS)?(20[0-9]{2}-5[0-9]{5}-[0-9]{2})(?:-[0-9]{2})?", re.I)
_JAPANESE = re.compile(r"(?:JPRN-)?((?:UMIN|jRCTs?|JapicCTI-|JMA-IIA)[0-9]{5,12})", re.I)
_PATTERNS = (
    r"NCT[0-9]{8}",
    _CTIS.pattern.replace("(20", "(?:20"),
    _EUDRACT.pattern.replace("([0-9]", "(?:[0-9]"),
    _JAPANESE.pattern.replace("((?:UMIN", "(?:(?:UMIN"),
    r"ChiCTR[-A-Z]*[0-9]{8,10}",
    r"DRKS[0-9]{8}",
    r"IRCT[0-9]{8,}N[0-9]+",
    r"ISRCTN[0-9]{8}",
    r"CTRI/[0-9]{4}/[0-9]{2,3}/[0-9]{6}",
    r"ACTRN[0-9]{14}",
    r"RBR-[0-9a-z]{6,8}",
    r"RPCEC[0-9]{8}",
    r"TCTR[0-9]{11}",
    r"PACTR[0-9]{15}",
    r"KCT[0-9]{7}",
    r"LBCTR[0-9]{10}",
    r"SLCTR/[0-9]{4}/[0-9]{3}",
)
_NUMBER = re.compile(r"(?<![\w/-])(?:" + "|".join(_PATTERNS) + r")(?![\w/])", re.I)
# The beginnings that are not in capitals, as their registries write them.
_SPELLED = {
    one.upper(): one for one in ("ChiCTR", "JPRN-UMIN", "JPRN-jRCTs", "JPRN-jRCT", "JPRN-JapicCTI-")
}
# A number as TrialID has it, perhaps of a registry that joined the platform later.
_OWN = re.compile(r"[A-Za-z0-9][\w/.()-]{2,59}")


@dataclass(frozen=True)
class Registered:
    """A record: its place in the export, its own number, and the others that it names.

    `given` is its own number as the export has it, with the country of EudraCT's.
    """

    place: str
    given: str
    own: str
    others: tuple[str, ...]
    registered_on: str


def own_number(given: str) -> str | None:
    """Return a TrialID as it is kept, None if it is no number."""
    return canonical(given) if _OWN.fullmatch(given) else None


def canonical(number: str) -> str:
    """Return a number as it is kept, in the letter case of its registry.

    EudraCT's is without a country, a Japanese one with JPRN-. One of a registry that is not known
    here stays as it is given.
    """
    if found := _CTIS.fullmatch(number):
        return f"CTIS{found[1]}"
    if found := _EUDRACT.fullmatch(number):
        return f"EUCTR{found[1]}"
    if found := _JAPANESE.fullmatch(number):
        number = f"JPRN-{found[1]}"
    elif not _NUMBER.fullmatch(number):
        return number
    capitals = number.upper()
    if capitals.startswith("RBR-"):
        return f"RBR-{number[4:].lower()}"
    beginning = next(filter(capitals.startswith, _SPELLED), "")
    return _SPELLED.get(beginning, "") + capitals[len(beginning) :]


def numbers_in(text: str) -> list[str]:
    """Return the numbers that a text names, each once, as they are kept."""
    return list(dict.fromkeys(canonical(found) for found in _NUMBER.findall(text)))


def elsewhere(text: str) -> list[str]:
    """Return the numbers that a text names, but those of other studies of ClinicalTrials.gov."""
    return [number for number in numbers_in(text) if not NCT.fullmatch(number)]


def studies(records: Sequence[Registered], held: Mapping[str, str]) -> dict[str, str]:
    """Return the study of each record, by the record's place.

    `held` has the study under which the store has each number. A record of ClinicalTrials.gov is
    of the study of its number, and no other record ever makes two of them one.
    """
    groups = _Groups()
    for record in records:
        if not NCT.fullmatch(record.own):
            for other in record.others:
                if not NCT.fullmatch(other):
                    groups.join(record.own, other)
    owns: dict[str, set[str]] = defaultdict(set)
    numbers: dict[str, set[str]] = defaultdict(set)
    for record in records:
        group = groups.of(record.own)
        owns[group].add(record.own)
        numbers[group].update((record.own, *record.others))
    found = {}
    for record in records:
        group = groups.of(record.own)
        stored = {held[number] for number in numbers[group] if number in held}
        found[record.place] = _study(record, stored | numbers[group], stored, owns[group])
    return found


def _study(
    record: Registered, linked: Iterable[str], stored: Iterable[str], owns: Iterable[str]
) -> str:
    if NCT.fullmatch(record.own):
        return record.own
    named = (number for number in record.others if NCT.fullmatch(number))
    registered = (number for number in linked if NCT.fullmatch(number))
    return min(named, default="") or min(registered, default="") or min(stored, default=min(owns))


class _Groups:
    """Numbers joined into groups; the least of a group stands for it."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def of(self, number: str) -> str:
        """Return the number that stands for the group of another."""
        path = []
        while (above := self._above.get(number, number)) != number:
            path.append(number)
            number = above
        for passed in path:
            self._above[passed] = number
        return number

    def join(self, one: str, other: str) -> None:
        """Make the groups of two numbers one."""
        first, second = sorted((self.of(one), self.of(other)))
        self._above[second] = first
