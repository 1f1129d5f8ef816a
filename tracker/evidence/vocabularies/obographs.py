"""Reads OBO Graphs JSON, the form of MONDO, EFO and the Disease Ontology for programs."""

import re
from collections.abc import Mapping
from typing import Any

from tracker.errors import InputRefused
from tracker.evidence.vocabularies import content
from tracker.evidence.vocabularies.content import Content
from tracker.files import json_file

FORM = "OBO Graphs"
_SCOPE = re.compile(r"has(Exact|Broad|Narrow|Related)Synonym")
_PARENT_PREDICATES = ("is_a", "subClassOf")


def read(origin: str, document: bytes) -> Content:
    """Read the classes of every graph; problems of single terms are noted, not raised.

    Raises InputRefused for anything that is not OBO Graphs JSON.
    """
    found = Content(origin, FORM)
    parsed = json_file.document(origin, document)
    if not isinstance(parsed, dict) or not isinstance(parsed.get("graphs"), list):
        raise InputRefused(f"{origin}: is not OBO Graphs JSON: it has no list of graphs")
    edges = []
    for number, graph in enumerate(json_file.mappings(parsed, "graphs", origin), start=1):
        where = f"{origin}, graph {number}"
        meta = json_file.mapping(graph.get("meta"), f"{where}, meta")
        found.name = found.name or content.last_part(json_file.text(graph, "id", where))
        found.version = found.version or json_file.text(meta, "version", f"{where}, meta")
        found.released_on = found.released_on or _date(found.version, meta, where)
        for index, node in enumerate(json_file.mappings(graph, "nodes", where), start=1):
            if node.get("type", "CLASS") == "CLASS":
                _read_node(found, f"graph {number}, node {index}", node)
        for index, edge in enumerate(json_file.mappings(graph, "edges", where), start=1):
            edges.append((f"graph {number}, edge {index}", edge))
    # An edge may be of a term of a later graph.
    for place, edge in edges:
        _read_edge(found, place, edge)
    return found


def _date(version: str | None, meta: Mapping[str, Any], where: str) -> Any:
    """Return the day that the version or a property of the graph such as dc:date states."""
    stated = [version]
    for value in json_file.mappings(meta, "basicPropertyValues", f"{where}, meta"):
        predicate = json_file.text(value, "pred", f"{where}, meta") or ""
        if re.search(r"(versionInfo|[/#:](date|issued|modified))$", predicate):
            stated.append(json_file.text(value, "val", f"{where}, meta"))
    return next(filter(None, map(content.day, stated)), None)


def _read_node(found: Content, place: str, node: Mapping[str, Any]) -> None:
    where = f"{found.origin}, {place}"
    term_id = found.identifier(place, json_file.text(node, "id", where) or "", "the id of the term")
    if term_id is None:
        return
    meta = json_file.mapping(node.get("meta"), f"{where}, meta")
    values = json_file.mappings(meta, "basicPropertyValues", where)
    # OWL has it as the property owl:deprecated, which some converters leave among the others.
    flags = [value for value in values if content.is_deprecated(str(value.get("pred")))]
    properties = [
        (_predicate(json_file.text(value, "pred", where)), json_file.text(value, "val", where))
        for value in values
        if value not in flags
    ]
    replacements = [value or "" for name, value in properties if name == content.REPLACED_BY]
    replaced_by = None
    if len(replacements) == 1:
        replaced_by = found.identifier(place, replacements[0], f"the replacement of {term_id}")
    found.add_term(
        place,
        term_id,
        json_file.text(node, "lbl", where),
        is_obsolete=any(
            map(content.is_true, [meta.get("deprecated"), *(one.get("val") for one in flags)])
        ),
        replaced_by=replaced_by,
    )
    for synonym in json_file.mappings(meta, "synonyms", where):
        scope = _SCOPE.search(json_file.text(synonym, "pred", where) or "")
        name = json_file.text(synonym, "val", where) or ""
        found.add_name(place, term_id, scope[1].lower() if scope else "related", name)
    for xref in json_file.mappings(meta, "xrefs", where):
        given = json_file.text(xref, "val", where) or ""
        found.add_mapping(place, term_id, content.HAS_DB_XREF, given)
    for predicate, value in properties:
        if predicate is not None:
            found.add_mapping(place, term_id, predicate, value or "")


def _read_edge(found: Content, place: str, edge: Mapping[str, Any]) -> None:
    where = f"{found.origin}, {place}"
    if json_file.text(edge, "pred", where) not in _PARENT_PREDICATES:
        return
    term_id = found.identifier(place, json_file.text(edge, "sub", where) or "", "the child")
    if term_id is not None and found.has(term_id):
        found.add_parent(place, term_id, json_file.text(edge, "obj", where) or "")


def _predicate(given: str | None) -> str | None:
    """Return the store's spelling of a predicate that maps terms, None for any other."""
    given = given or ""
    tail = re.split(r"[/#:]", given)[-1]
    known = {
        "hasAlternativeId": content.HAS_ALTERNATIVE_ID,
        "consider": content.CONSIDER,
        "IAO_0100001": content.REPLACED_BY,
        "0100001": content.REPLACED_BY,
    }
    return content.skos_match(given) or known.get(tail)
