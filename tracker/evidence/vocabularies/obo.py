"""Reads OBO 1.2 and 1.4, the flat files of the Disease Ontology, MONDO and others.

Only the clauses that the store keeps are interpreted, so that an oddity elsewhere (an unescaped
blank in the reference of a definition, say) does not stop a release from being read.
"""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from tracker.errors import InputRefused
from tracker.evidence.vocabularies import content
from tracker.evidence.vocabularies.content import Content

FORM = "OBO"
_TAG = re.compile(r"[A-Za-z_][\w.-]*")
_ESCAPE = re.compile(r"\\(.)")
_BLANKS = frozenset("nWt")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\s+(EXACT|BROAD|NARROW|RELATED)\b)?')
# Not of an escaped mark, and not of one inside a word.
_COMMENT = re.compile(r"\s+!\s.*$")
_MODIFIERS = re.compile(r'\s+\{[\w:.]+=".*"\}$')
_AFTER_IDENTIFIER = re.compile(r'\s+[!{"]')
_SINGLE = ("id", "name")

Clause = tuple[int, str, str]


def read(origin: str, lines: Iterable[str]) -> Content:
    """Read the terms of an OBO file; its problems are noted, not raised.

    Raises InputRefused for a file that is not OBO at all or was cut short.
    """
    found = Content(origin, FORM)
    stanza: str | None = None
    start, clauses = 1, list[Clause]()
    number, line = 0, "\n"
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("!"):
            continue
        if text.startswith("[") and text.endswith("]"):
            _close(found, stanza, start, clauses)
            stanza, start, clauses = text[1:-1], number, []
            continue
        tag, colon, value = text.partition(":")
        if colon and _TAG.fullmatch(tag):
            clauses.append((number, tag, value.strip()))
        elif stanza is None:
            raise InputRefused(f"{origin}, line {number}: is not OBO: '{text[:40]}' has no tag")
        else:
            found.note(f"line {number}", f"'{text[:40]}' has no tag")
    if not line.endswith("\n"):
        raise InputRefused(f"{origin}, line {number}: the line does not end; the file is cut short")
    # Elsewhere in the file, a term with nothing but an id stands for a term of another file.
    if stanza == "Term" and {tag for _, tag, _ in clauses} <= {"id"}:
        raise InputRefused(
            f"{origin}, line {start}: the last term has no name; the file is cut short"
        )
    _close(found, stanza, start, clauses)
    return found


def _close(found: Content, stanza: str | None, start: int, clauses: list[Clause]) -> None:
    if stanza is None:
        _read_header(found, clauses)
    elif stanza == "Term":
        _read_term(found, start, clauses)


def _read_header(found: Content, clauses: list[Clause]) -> None:
    header = {tag: value for _, tag, value in clauses}
    found.name = content.last_part(header.get("ontology"))
    found.version = header.get("data-version")
    found.released_on = content.day(found.version)
    written = header.get("date", "")
    if found.released_on is None and re.match(r"\d{2}:\d{2}:\d{4}", written):
        try:
            found.released_on = datetime.strptime(written[:10], "%d:%m:%Y").date()
        except ValueError:
            found.released_on = None


def _read_term(found: Content, start: int, clauses: list[Clause]) -> None:
    n_given = Counter(tag for _, tag, _ in clauses)
    values = {tag: value for _, tag, value in reversed(clauses)}
    place = f"line {start}"
    if not values.get("id"):
        found.note(place, "the term has no id")
        return
    term_id = found.identifier(place, _identifier(values["id"]), "the id of the term")
    if term_id is None:
        return
    for tag in _SINGLE:
        if n_given[tag] > 1:
            found.note(place, f"{term_id} has {n_given[tag]} {tag} clauses; one is allowed")
    if n_given["name"] and not values["name"]:
        found.note(place, f"{term_id} has an empty name")
    # Of several replacements none is the one; all of them are mappings.
    replacements = [
        found.identifier(f"line {number}", _identifier(value), f"the replacement of {term_id}")
        for number, tag, value in clauses
        if tag == "replaced_by"
    ]
    found.add_term(
        place,
        term_id,
        _unescaped(_MODIFIERS.sub("", _COMMENT.sub("", values["name"])))
        if values.get("name")
        else None,
        is_obsolete=values.get("is_obsolete", "").startswith("true") or _is_deprecated(clauses),
        replaced_by=replacements[0] if len(replacements) == 1 else None,
    )
    for number, tag, value in clauses:
        _read_clause(found, f"line {number}", term_id, tag, value)


def _is_deprecated(clauses: list[Clause]) -> bool:
    """Whether a term is obsolete by a property: property_value: owl:deprecated "true"."""
    for _, tag, value in clauses:
        predicate, _, rest = value.partition(" ")
        if tag == "property_value" and content.is_deprecated(predicate):
            quoted = _QUOTED.match(rest)
            if content.is_true(quoted[1] if quoted else _identifier(rest)):
                return True
    return False


def _read_clause(found: Content, place: str, term_id: str, tag: str, value: str) -> None:
    if tag == "synonym":
        synonym = _SYNONYM.match(value)
        if synonym is None:
            found.note(place, f"a synonym of {term_id} is not in closed quotation marks")
            return
        scope = (synonym[2] or "RELATED").lower()
        found.add_name(place, term_id, scope, _unescaped(synonym[1]))
    elif tag == "def" and not _QUOTED.match(value):
        found.note(place, f"the definition of {term_id} is not in closed quotation marks")
    elif tag == "is_a":
        found.add_parent(place, term_id, _identifier(value))
    elif tag in _MAPPING_TAGS:
        found.add_mapping(place, term_id, _MAPPING_TAGS[tag], _identifier(value))
    elif tag == "property_value":
        predicate, _, rest = value.partition(" ")
        match = content.skos_match(predicate)
        if match is not None:
            quoted = _QUOTED.match(rest)
            found.add_mapping(place, term_id, match, quoted[1] if quoted else _identifier(rest))


_MAPPING_TAGS = {
    "xref": content.HAS_DB_XREF,
    "alt_id": content.HAS_ALTERNATIVE_ID,
    "consider": content.CONSIDER,
    "replaced_by": content.REPLACED_BY,
}


def _identifier(value: str) -> str:
    """Return an identifier without its description, modifiers and comment: 'DOID:4 ! disease'."""
    return _unescaped(_AFTER_IDENTIFIER.split(f" {value}", maxsplit=1)[0].strip())


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: " " if found[1] in _BLANKS else found[1], text)
