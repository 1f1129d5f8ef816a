"""Reads the records of an XML document as a stream: the elements directly below its root.

The parser is expat with handlers of our own: entities, by which a small document can grow without
bound or read other files, are refused where they are declared, with the line.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from tracker.errors import InputRefused

# Of one record, markup left out; the longest of MeSH and ICTRP have some hundred thousand.
MAX_CHARACTERS = 20_000_000


@dataclass(frozen=True)
class XmlRecord:
    """An element directly below the root, and the line on which it begins."""

    line: int
    element: Element


def records(
    origin: str, chunks: Iterable[bytes], what: str, root: str, tag: str
) -> Iterator[XmlRecord]:
    """Yield each `tag` directly below the root, once it is complete.

    Raises InputRefused, naming `origin` and the line, for XML that is damaged, has entities or a
    record of more than 20,000,000 characters, and for a document that is not `what` by its root.
    """
    reader = _Reader(origin, what, root, tag)
    try:
        for chunk in chunks:
            reader.parser.Parse(chunk, False)
            yield from reader.taken()
        reader.parser.Parse(b"", True)
        yield from reader.taken()
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise InputRefused(
            f"{origin}, line {error.lineno}: is not complete XML: {reason}"
        ) from error


class _Reader:
    """Builds the records of one document from the parser's calls."""

    def __init__(self, origin: str, what: str, root: str, tag: str) -> None:
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.EntityDeclHandler = self._refuse_entity
        self.parser.SkippedEntityHandler = self._refuse_entity
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self._origin, self._what, self._root, self._tag = origin, what, root, tag
        self._depth = 0
        self._line = 0
        self._n_characters = 0
        self._builder = TreeBuilder()
        self._found: list[XmlRecord] = []

    def taken(self) -> list[XmlRecord]:
        """Return the records that are complete and were not taken before."""
        found, self._found = self._found, []
        return found

    def _refuse(self, reason: str) -> NoReturn:
        raise InputRefused(f"{self._origin}, line {self.parser.CurrentLineNumber}: {reason}")

    def _refuse_entity(self, name: str, *_details: object) -> NoReturn:
        self._refuse(f"uses the entity '{name[:40]}'; XML with entities is not read")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._depth == 0 and tag != self._root:
            self._refuse(f"is not {self._what}: the document is a {tag[:40]}, not a {self._root}")
        if self._depth == 1:
            self._builder = TreeBuilder()
            self._line = self.parser.CurrentLineNumber
            self._n_characters = 0
        if self._depth:
            self._builder.start(tag, attributes)
        self._depth += 1

    def _characters(self, text: str) -> None:
        self._n_characters += len(text)
        if self._n_characters > MAX_CHARACTERS:
            self._refuse(f"the record has more than {MAX_CHARACTERS:,} characters")
        if self._depth > 1:
            self._builder.data(text)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if self._depth:
            self._builder.end(tag)
        if self._depth == 1 and tag == self._tag:
            self._found.append(XmlRecord(self._line, self._builder.close()))
