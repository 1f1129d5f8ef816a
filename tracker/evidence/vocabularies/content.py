"""The content of a vocabulary, collected term by term, and its problems."""

import graphlib
import re
from dataclasses import dataclass, field
from datetime import date

from tracker.entities import curies, folding
from tracker.errors import InputRefused, ProblemsFound

HAS_DB_XREF = "oboInOwl:hasDbXref"
HAS_ALTERNATIVE_ID = "oboInOwl:hasAlternativeId"
CONSIDER = "oboInOwl:consider"
REPLACED_BY = "IAO:0100001"
EXACT_MATCH = "skos:exactMatch"
_SKOS_MATCH = re.compile(r"(?:skos:|http://www\.w3\.org/2004/02/skos/core#)([a-z]+Match)")
_DAY = re.compile(r"(?<!\d)(\d{4})-?(\d{2})-?(\d{2})(?!\d)")
_MAX_CYCLE = 8


@dataclass
class Content:
    """A vocabulary as read: rows of each kind, the facts of its header, the problems found.

    `remarks` name what was read in another way than the file has it. A row of `terms` is (term_id,
    label, is_obsolete, replaced_by), of `names` (term_id, scope, name), of `parents` (term_id,
    parent_term_id), of `mappings` (term_id, predicate, object_id).
    """

    origin: str
    form: str
    name: str | None = None
    version: str | None = None
    released_on: date | None = None
    terms: list[tuple[str, str | None, bool, str | None]] = field(default_factory=list)
    names: list[tuple[str, str, str]] = field(default_factory=list)
    parents: list[tuple[str, str]] = field(default_factory=list)
    mappings: list[tuple[str, str, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    _place_of_term: dict[str, str] = field(default_factory=dict)

    def note(self, place: str, problem: str) -> None:
        """Note a problem at a place in the file, such as 'line 12'."""
        self.problems.append(f"{self.origin}, {place}: {problem}")

    def has(self, term_id: str) -> bool:
        """Whether the term was added."""
        return term_id in self._place_of_term

    def add_term(
        self,
        place: str,
        term_id: str,
        label: str | None,
        *,
        is_obsolete: bool = False,
        replaced_by: str | None = None,
    ) -> None:
        """Add a term and its label; a term that was added before is a problem."""
        first = self._place_of_term.setdefault(term_id, place)
        if first != place:
            self.note(place, f"{term_id} is defined twice, first at {first}")
            return
        label = " ".join(label.split()) if label else None
        self._refuse_nul(place, term_id, label)
        if label and not folding.fold(label):
            self.note(place, f"the label of {term_id} has only characters that cannot be seen")
        self.terms.append((term_id, label, is_obsolete, replaced_by))
        if label:
            self.names.append((term_id, "label", label))

    def add_name(self, place: str, term_id: str, scope: str, name: str) -> None:
        """Add a synonym; one without a text is a problem."""
        name = " ".join(name.split())
        self._refuse_nul(place, term_id, name)
        if folding.fold(name):
            self.names.append((term_id, scope, name))
        else:
            self.note(place, f"a synonym of {term_id} is empty")

    def add_mapping(self, place: str, term_id: str, predicate: str, given: str) -> None:
        """Add a mapping; one to nothing is a problem."""
        object_id = self.identifier(place, given, f"a cross-reference of {term_id}")
        if object_id is not None:
            self.mappings.append((term_id, predicate, object_id))

    def add_parent(self, place: str, term_id: str, given: str) -> None:
        """Add a parent, which need not be a term of the file: a slim lacks most."""
        parent_id = self.identifier(place, given, f"a parent of {term_id}")
        if parent_id is not None:
            self.parents.append((term_id, parent_id))

    def identifier(self, place: str, given: str, what: str) -> str | None:
        """Return an identifier in its one spelling; one that names nothing is a problem."""
        found = curies.curie(given)
        if found is None:
            self.note(place, f"{what} names nothing: '{given.strip()[:40]}'")
        return found

    def _refuse_nul(self, place: str, term_id: str, name: str | None) -> None:
        if "\0" in f"{term_id}{name}":
            self.note(place, "a name or identifier contains a NUL character")

    def refuse(self) -> None:
        """Raise ProblemsFound if there is any problem, InputRefused if there is no term."""
        if self.problems:
            raise ProblemsFound(self.problems)
        if not self.terms:
            raise InputRefused(f"{self.origin}: contains no term ({self.form})")

    def refuse_cycle(self) -> None:
        """Raise InputRefused, naming the terms, if a term is its own ancestor."""
        parents: dict[str, set[str]] = {}
        for term_id, parent_id in self.parents:
            parents.setdefault(term_id, set()).add(parent_id)
        try:
            graphlib.TopologicalSorter(parents).prepare()
        except graphlib.CycleError as error:
            # From a parent to its child and so on; written from child to parent.
            cycle = list(reversed(error.args[1]))
            shown = [*cycle[:_MAX_CYCLE], "..."] if len(cycle) > _MAX_CYCLE + 1 else cycle
            raise InputRefused(
                f"{self.origin}: the parents form a cycle: {' is_a '.join(shown)}"
            ) from error


def skos_match(predicate: str) -> str | None:
    """Return a SKOS mapping predicate as skos:...Match, None if it is another predicate."""
    found = _SKOS_MATCH.fullmatch(predicate)
    return f"skos:{found[1]}" if found else None


def is_deprecated(predicate: str) -> bool:
    """Whether a property is owl:deprecated, by which OWL says that a term is obsolete."""
    return re.split(r"[/#:]", predicate)[-1] == "deprecated"


def is_true(value: object) -> bool:
    """Whether a flag is set, in JSON or in the words of XML Schema (true, 1)."""
    return value is True or str(value).strip().casefold() in ("true", "1")


def day(text: str | None) -> date | None:
    """Return the first day (YYYY-MM-DD or YYYYMMDD) in a text, None if there is none."""
    for found in _DAY.finditer(text or ""):
        try:
            return date(*(int(part) for part in found.groups()))
        except ValueError:
            continue
    return None


def last_part(address: str | None) -> str | None:
    """Return the last part of an address without its extensions: .../obo/doid.owl is doid."""
    part = re.split(r"[/#]", (address or "").strip().rstrip("/#"))[-1]
    return re.sub(r"(\.(owl|obo|json|sssom|tsv|csv))+$", "", part) or None
