"""Compact identifiers (CURIEs) in one spelling for all vocabularies and exports."""

import re

# Other prefixes for the same source, which differ by vocabulary and by edition.
_PREFIXES = {
    "MIM": "OMIM",
    "MSH": "MESH",
    "NCI": "NCIT",
    "ORPHANET": "ORDO",
    "SCTID": "SNOMEDCT",
    "SNOMEDCT_US": "SNOMEDCT",
    "UMLS_CUI": "UMLS",
}
_DATED_PREFIX = re.compile(r"(MSH|NCI|SNOMEDCT)_?(?:[A-Z]+_)?\d{4}_.*")
# Some exports pad MeSH ids with zeros; ids of nine digits exist too, so only zeros are removed.
_MESH = re.compile(r"([CD])0*(\d{1,9})", re.IGNORECASE)
_BARE_MESH = re.compile(r"[CD]\d{6,12}", re.IGNORECASE)
_UNDERSCORED = re.compile(r"([A-Za-z][A-Za-z0-9.]*)_(\w*\d\w*)")
_IRI = re.compile(r"https?://", re.IGNORECASE)
# The addresses under which sources publish terms. Other addresses may end like an identifier, such
# as a page of an encyclopedia (.../Type_2).
_IRIS_OF_TERMS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"https?://(?:purl\.obolibrary\.org/obo|www\.ebi\.ac\.uk/efo|www\.orpha\.net/ORDO)"
        r"/([A-Z][A-Z0-9.]*)_(\S+)",
        r"https?://id\.nlm\.nih\.gov/(mesh)/(\S+)",
        r"https?://identifiers\.org/([A-Z][A-Z0-9.]*)[/:](\S+)",
    )
]


def curie(text: str) -> str | None:
    """Return an identifier as PREFIX:LOCAL, None if it is empty or one of the two parts is.

    MSH:D001943, mesh:D000001943 and http://id.nlm.nih.gov/mesh/D001943 become MESH:D001943;
    EFO_0000270 becomes EFO:0000270; Orphanet:683 becomes ORDO:683. Other IRIs, and text without a
    prefix, are returned with white space collapsed.
    """
    text = " ".join(text.split())
    if _IRI.match(text):
        found = next(filter(None, (iri.fullmatch(text) for iri in _IRIS_OF_TERMS)), None)
        if found is None:
            return text
        prefix, local = found.groups()
    elif ":" in text:
        prefix, _, local = (part.strip() for part in text.partition(":"))
    elif _BARE_MESH.fullmatch(text):
        prefix, local = "MESH", text
    elif underscored := _UNDERSCORED.fullmatch(text):
        prefix, local = underscored.groups()
    else:
        return text or None
    if not prefix or not local:
        return None
    prefix = prefix.upper()
    if dated := _DATED_PREFIX.fullmatch(prefix):
        prefix = dated[1]
    prefix = _PREFIXES.get(prefix, prefix)
    if prefix == "MESH" and (mesh := _MESH.fullmatch(local)):
        local = f"{mesh[1].upper()}{int(mesh[2]):06d}"
    return f"{prefix}:{local}"
