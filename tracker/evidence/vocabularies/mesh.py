"""Reads the descriptors of MeSH (desc2026.xml) as a stream.

The parser is expat with handlers of our own: entities, by which a small document can grow without
bound or read other files, are refused where they are declared.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from tracker.errors import InputRefused
from tracker.evidence.vocabularies.content import Content

FORM = "MeSH XML"
_ROOT = "DescriptorRecordSet"
_SCOPES = {"NRW": "narrow", "BRD": "broad", "REL": "related"}


@dataclass
class _Concept:
    concept_id: str = ""
    is_preferred: bool = False
    terms: list[str] = field(default_factory=list)


@dataclass
class _Record:
    line: int
    descriptor_id: str = ""
    label: str = ""
    tree_numbers: list[str] = field(default_factory=list)
    concepts: list[_Concept] = field(default_factory=list)
    relations: dict[str, str] = field(default_factory=dict)


def read(origin: str, chunks: Iterable[bytes]) -> Content:
    """Read every descriptor: its heading, the entry terms by their concept, its place in the tree.

    Terms of the preferred concept are exact synonyms, those of the others narrow, broad or related
    as their concepts are. Raises InputRefused for XML that is damaged, declares entities or is not
    of MeSH descriptors.
    """
    reader = _Reader(origin)
    try:
        for chunk in chunks:
            reader.parser.Parse(chunk, False)
        reader.parser.Parse(b"", True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise InputRefused(
            f"{origin}, line {error.lineno}: is not complete XML: {reason}"
        ) from error
    return reader.finished()


class _Reader:
    """Collects the records of one document from the parser's calls."""

    def __init__(self, origin: str) -> None:
        self.found = Content(origin, FORM, name="mesh")
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.EntityDeclHandler = self._refuse_entity
        self.parser.SkippedEntityHandler = self._refuse_entity
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self._path: list[str] = []
        self._text: list[str] = []
        self._record: _Record | None = None
        self._relation = ""
        self._term_at: dict[str, str] = {}
        self._placed: list[tuple[str, str]] = []

    def finished(self) -> Content:
        """Return what was read, each term with the terms directly above it in the tree."""
        for term_id, number in self._placed:
            parent_id = self._term_at.get(number.rpartition(".")[0])
            if parent_id is not None and parent_id != term_id:
                self.found.parents.append((term_id, parent_id))
        return self.found

    def _refuse_entity(self, name: str, *_details: object) -> NoReturn:
        raise InputRefused(
            f"{self.found.origin}, line {self.parser.CurrentLineNumber}: uses the entity "
            f"'{name}'; XML with entities is not read"
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._path and tag != _ROOT:
            raise InputRefused(
                f"{self.found.origin}, line {self.parser.CurrentLineNumber}: is not MeSH "
                f"descriptors: the document is a {tag[:40]}, not a {_ROOT}"
            )
        self._path.append(tag)
        self._text = []
        if tag == "DescriptorRecord":
            self._record = _Record(self.parser.CurrentLineNumber)
        elif self._record is None:
            return
        elif tag == "Concept":
            is_preferred = attributes.get("PreferredConceptYN") == "Y"
            self._record.concepts.append(_Concept(is_preferred=is_preferred))
        elif tag == "ConceptRelation":
            self._relation = attributes.get("RelationName", "")

    def _characters(self, text: str) -> None:
        self._text.append(text)

    def _end(self, tag: str) -> None:
        parent = self._path[-2] if len(self._path) > 1 else ""
        text = "".join(self._text).strip()
        self._path.pop()
        record = self._record
        if record is None:
            return
        if tag == "DescriptorUI" and parent == "DescriptorRecord":
            record.descriptor_id = text
        elif tag == "String" and parent == "DescriptorName" and len(self._path) == 3:
            record.label = text
        elif tag == "TreeNumber":
            record.tree_numbers.append(text)
        elif tag == "DescriptorRecord":
            self._close(record)
            self._record = None
        elif record.concepts:
            self._end_in_concept(record, tag, parent, text)

    def _end_in_concept(self, record: _Record, tag: str, parent: str, text: str) -> None:
        if tag == "ConceptUI" and parent == "Concept":
            record.concepts[-1].concept_id = text
        elif tag == "Concept2UI":
            record.relations[text] = _SCOPES.get(self._relation, "related")
        elif tag == "String" and parent == "Term":
            record.concepts[-1].terms.append(text)

    def _close(self, record: _Record) -> None:
        place = f"line {record.line}"
        term_id = self.found.identifier(
            place, f"MESH:{record.descriptor_id}", "the DescriptorUI of the record"
        )
        if term_id is None:
            return
        if not record.label:
            self.found.note(place, f"{term_id} has no DescriptorName")
        self.found.add_term(place, term_id, record.label)
        for concept in record.concepts:
            scope = record.relations.get(concept.concept_id, "related")
            for name in concept.terms:
                if not concept.is_preferred:
                    self.found.add_name(place, term_id, scope, name)
                elif name != record.label:
                    self.found.add_name(place, term_id, "exact", name)
        for number in record.tree_numbers:
            self._term_at[number] = term_id
            self._placed.append((term_id, number))
