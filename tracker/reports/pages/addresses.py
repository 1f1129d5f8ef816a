"""The addresses of the records and identifiers on a page."""

import html
import re
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup, escape

# A text contains each as a whole word. No match contains a character with a meaning in HTML or in
# an address.
_PAGES = (
    (r"NCT[0-9]{8}", "https://clinicaltrials.gov/study/{0}"),
    # A study of another registry has its address there, or on WHO's platform.
    (
        r"EUCTR(?P<eudract>[0-9]{4}-[0-9]{6}-[0-9]{2})",
        "https://www.clinicaltrialsregister.eu/ctr-search/search?query={eudract}",
    ),
    (r"ISRCTN[0-9]{8}", "https://www.isrctn.com/{0}"),
    (r"DRKS[0-9]{8}", "https://drks.de/search/en/trial/{0}"),
    (r"ACTRN[0-9]{14}", "https://www.anzctr.org.au/{0}.aspx"),
    (r"RBR-[0-9a-z]{6,8}", "https://ensaiosclinicos.gov.br/rg/{0}"),
    (
        r"ChiCTR[-A-Z]*[0-9]{8,10}|CTRI/[0-9]{4}/[0-9]{2,3}/[0-9]{6}|IRCT[0-9]{8,}N[0-9]{1,3}"
        r"|JPRN-[A-Za-z-]{4,9}[0-9]{5,12}|KCT[0-9]{7}|LBCTR[0-9]{10}|PACTR[0-9]{15}"
        r"|RPCEC[0-9]{8}|SLCTR/[0-9]{4}/[0-9]{3}|TCTR[0-9]{11}",
        "https://trialsearch.who.int/Trial2.aspx?TrialID={0}",
    ),
    (r"CHEMBL[0-9]{1,10}", "https://www.ebi.ac.uk/chembl/explore/compound/{0}"),
    (
        r"(?:NDA|ANDA|BLA)(?P<number>[0-9]{6})(?:/[A-Z]+/[0-9]+)?",
        "https://www.accessdata.fda.gov/scripts/cder/daf/index.cfm"
        "?event=overview.process&amp;ApplNo={number}",
    ),
    (r"(?:EFO|MONDO|DOID|HP|MESH|NCIT):[A-Z]?[0-9]{1,10}", "https://bioregistry.io/{0}"),
)
_WORDS = re.compile(
    r"(?<![\w:/.-])(?:" + "|".join(f"({pattern})" for pattern, _ in _PAGES) + r")(?![\w:/-])"
)


def linked(text: str) -> Markup:
    """Return a text escaped, with a link to the source of each record or identifier in it."""
    # The text between the matches is escaped; the tags around them are ours.
    return Markup(_WORDS.sub(_link, str(escape(text))))  # noqa: S704


def of_hit(hit: Mapping[str, Any]) -> str | None:
    """Return the address of the record that makes a prediction a hit; None without one.

    A row of ChEMBL has none, so the address is that of its compound.
    """
    record = hit["drug_identifier" if hit["hit_source"] == "chembl" else "hit_record"]
    found = _WORDS.fullmatch(str(record)) if hit["hit_source"] else None
    return None if found is None else html.unescape(_address(found))


def _link(found: re.Match[str]) -> str:
    return f'<a href="{_address(found)}">{found[0]}</a>'


def _address(found: re.Match[str]) -> str:
    word = found[0]
    address = next(page for pattern, page in _PAGES if re.fullmatch(pattern, word))
    return address.format(word, **found.groupdict())
