"""Where the records and identifiers that a page shows can be looked up."""

import re

from markupsafe import Markup, escape

# A text names one of them as a whole word. What a pattern finds has no character that HTML or an
# address would take for anything else.
_PAGES = (
    (r"NCT[0-9]{8}", "https://clinicaltrials.gov/study/{0}"),
    (r"CHEMBL[0-9]{1,10}", "https://www.ebi.ac.uk/chembl/explore/compound/{0}"),
    (
        r"(?:NDA|ANDA|BLA)(?P<number>[0-9]{6})(?:/[A-Z]+/[0-9]+)?",
        "https://www.accessdata.fda.gov/scripts/cder/daf/index.cfm"
        "?event=overview.process&amp;ApplNo={1}",
    ),
    (r"(?:EFO|MONDO|DOID|HP|MESH|NCIT):[A-Z]?[0-9]{1,10}", "https://bioregistry.io/{0}"),
)
_WORDS = re.compile(
    r"(?<![\w:/.-])(?:" + "|".join(f"({pattern})" for pattern, _ in _PAGES) + r")(?![\w:/-])"
)


def linked(text: str) -> Markup:
    """Return a text escaped, each record or identifier in it as a link to its source."""
    # What is between the matches is escaped; the tags around these are ours.
    return Markup(_WORDS.sub(_link, str(escape(text))))  # noqa: S704


def _link(found: re.Match[str]) -> str:
    word = found[0]
    address = next(page for pattern, page in _PAGES if re.fullmatch(pattern, word))
    href = address.format(word, found["number"])
    return f'<a href="{href}">{word}</a>'
