"""Reads the descriptors of MeSH (desc2026.xml) as a stream."""

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from tracker.evidence.vocabularies.content import Content
from tracker.files import xml_records

FORM = "MeSH XML"
_ROOT = "DescriptorRecordSet"
_RECORD = "DescriptorRecord"
_SCOPES = {"NRW": "narrow", "BRD": "broad", "REL": "related"}


def read(origin: str, chunks: Iterable[bytes]) -> Content:
    """Read every descriptor: its heading, the entry terms by their concept, its place in the tree.

    Terms of the preferred concept are exact synonyms, those of the others narrow, broad or related
    as their concepts are. Raises InputRefused for XML that is damaged, declares entities or is not
    of MeSH descriptors.
    """
    found = Content(origin, FORM, name="mesh")
    term_at: dict[str, str] = {}
    for record in xml_records.records(origin, chunks, "MeSH descriptors", _ROOT, _RECORD):
        descriptor = record.element
        term_id = _add_descriptor(found, f"line {record.line}", descriptor)
        if term_id is not None:
            for number in descriptor.iterfind("TreeNumberList/TreeNumber"):
                term_at[_text(number)] = term_id
    for tree_number, term_id in term_at.items():
        parent_id = term_at.get(tree_number.rpartition(".")[0])
        if parent_id is not None and parent_id != term_id:
            found.parents.append((term_id, parent_id))
    return found


def _add_descriptor(found: Content, place: str, descriptor: Element) -> str | None:
    descriptor_id = _text(descriptor.find("DescriptorUI"))
    term_id = found.identifier(place, f"MESH:{descriptor_id}", "the DescriptorUI of the record")
    if term_id is None:
        return None
    label = _text(descriptor.find("DescriptorName/String"))
    if not label:
        found.note(place, f"{term_id} has no DescriptorName")
    found.add_term(place, term_id, label)
    scopes = {
        _text(relation.find("Concept2UI")): _SCOPES.get(relation.get("RelationName", ""), "related")
        for relation in descriptor.iter("ConceptRelation")
    }
    for concept in descriptor.iterfind("ConceptList/Concept"):
        is_preferred = concept.get("PreferredConceptYN") == "Y"
        scope = scopes.get(_text(concept.find("ConceptUI")), "related")
        for term in concept.iterfind("TermList/Term"):
            name = _text(term.find("String"))
            if not is_preferred:
                found.add_name(place, term_id, scope, name)
            elif name != label:
                found.add_name(place, term_id, "exact", name)
    return term_id


def _text(element: Element | None) -> str:
    return "" if element is None else (element.text or "").strip()
