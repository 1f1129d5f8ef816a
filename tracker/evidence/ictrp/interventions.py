"""Finds the drugs that a study tests, and its conditions, in the free text of a registry.

Precision comes first: a name is what remains of a piece of text once doses, routes and phrases
around it are taken away, and it counts only where it is an alias as a whole. Arms called control,
placebo or conventional treatment name no tested drug, and neither does what a text calls standard
care.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

EXPERIMENTAL, COMPARATOR = "EXPERIMENTAL", "ACTIVE_COMPARATOR"
# Abbreviations of two letters mean many things.
_LEAST_NAME, _MOST_NAME = 3, 80
_MOST_WORDS = 5
# What a text gives is at its beginning; further on it is of excipients, measurements and care.
_MOST_TEXT = 800
# A longer sentence names a drug only if it says that something is given.
_MOST_WORDS_OF_A_LIST = 12

_BREAK = re.compile(r"<br\s*/?>|_x000D_|[\r\n]+", re.IGNORECASE)
_TYPED = re.compile(
    r"\s*(Drug|Biological|Device|Procedure|Radiation|Behavioral|Genetic|Dietary Supplement|"
    r"Combination Product|Diagnostic Test|Other): (.+)",
    re.DOTALL,
)
_PRODUCT_FIELD = re.compile(
    r"(Trade Name|Product Name|INN or Proposed INN|Other descriptive name|"
    r"(?:Control )?Intervention name|INN of the (?:control )?intervention)\s*:\s*(.+)",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:^|(?<=[;\n.:]))\s*"
    r"(?P<label>[^:;\n.]{0,60}?\b(?:group|arm|intervention|control|series|treatment|cohort)s?"
    r"\s?\d*\b[^:;\n.]{0,30}):",
    re.IGNORECASE,
)
_GROUP = re.compile(r"\b(?:group|arm|control)s?\b", re.IGNORECASE)
_CONTROL = re.compile(
    r"\b(?:control|placebo|comparator|comparison|conventional|standard|usual|blank|routine|sham)",
    re.IGNORECASE,
)
_CARE = (
    r"(?:standard|usual|conventional|routine|supportive|national|guideline|protocol|recommend|"
    r"regular|current treatment|symptomatic|general treatment|clinical practice|background)"
)
# What a text lists as the care that all receive: to its sentence's end, or in brackets behind it;
# and what those who take part have had before.
_CARE_LIST = re.compile(
    rf"{_CARE}\w*(?: \w+){{0,3}}\s*:?\s*\([^)]*\)"
    rf"|{_CARE}[^.;\n+]*?(?::|=|\b(?:includ|contain|integrat|compris|such as|like|consist|i\.?e\b"
    r"|e\.?g\b|namely))[^.;\n]*"
    rf"|{_CARE}(?:(?!\b(?:plus|and|with)\b)[^.,;\n(+])*\([^)]*\)"
    r"|\bwho (?:have been|had been|were|are) [^,.;\n]*?(?=\b(?:also|will|then)\b|[,.;\n]|$)",
    re.IGNORECASE,
)
_NESTED = re.compile(r"(\([^()]*)\([^()]*\)")
# What drugs are dissolved in, or placebos made of.
_VEHICLES = (
    "water",
    "saline",
    "normal saline",
    "sodium chloride",
    "glucose",
    "dextrose",
    "lactose",
    "starch",
    "maltodextrin",
    "alcohol",
    "ethanol",
    "milk",
)
_SENTENCE_END = re.compile(r"[;\n\u2022]|(?<!\d)\.|\.(?!\d)")
_BETWEEN = re.compile(
    r"[+\uff0b,&()\[\]:]"
    r"|\b(?:and|plus|or|with|versus|vs|followed by|compared (?:to|with)|in addition to|added to|"
    r"along|concomitant|combined|combination|co-?administered|as well as|then)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:no|not|without|except|exclud\w*|placebo|instead|avoid\w*|prohibit\w*|contraindic\w*|"
    r"previous\w*|history|allerg\w*|if|unless|matching|resembling|like|simulat\w*)\b",
    re.IGNORECASE,
)
_DOSE = re.compile(
    r"\b\d[\d.,]*(?:\s*(?:-|to|x|\u00d7)\s*\d[\d.,]*)?\s*"
    r"(?:mg|g|gm|gr|grams?|\u00b5g|\u03bcg|ug|mcg|ml|cc|l|iu|miu|mu|m?ui|units?|%|x|\u00d7|times?|days?|weeks?|"
    r"hours?|hrs?|h|months?|min|minutes?|tablets?|tabs?|capsules?|doses?|puffs?|sprays?|drops?|"
    r"vials?|ampoules?|cells|years?|bags?|pills?|sachets?)\b(?:/\w+)*|\d+\s*%|@",
    re.IGNORECASE,
)
# What stands around a name and is no part of it: routes, forms, how often, who receives it.
_EDGE_WORDS = frozenset(
    resources.files(__package__).joinpath("edge_words.txt").read_text("utf-8").split()
)
# Trade marks and quotation marks, also as exports write them that were decoded twice.
_MARKS = re.compile(
    r"[\"'*\u00ae\u2122\u201c\u201d\u2018\u2019\u2022\u00b7]|\((?:R|TM)\)|\u00ac\u00c6|\u201a\u00d1\u00a2"
)
_GIVEN = re.compile(
    r"\b(?:receiv\w*|administ\w*|given|gives?|used?|takes?|taking|prescribed|treated|dos(?:e|es|ed|ing)|tablets?|capsules?|oral\w*|"
    r"intravenous\w*|inject\w*|infus\w*|inhal\w*|subcutaneous\w*|twice|daily|bid|tid|qd|"
    r"\d+\s*(?:mg|g|mcg|ug|ml|iu|miu))\b|\+",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^\s*(?:\(?\d{1,2}[).]|[-\u2013\u2014#>]+|[a-e]\))\s*")

_CONDITION_BREAK = re.compile(r";|<br\s*/?>|_x000D_|[\r\n]+|\bCondition \d+:", re.IGNORECASE)
_MEDDRA_TERM = re.compile(r"\bTerm:\s*([^\n<;]+)", re.IGNORECASE)
_MEDDRA_REST = re.compile(
    r"(?:MedDRA version|Level|Classification code|System Organ Class|Term|Therapeutic area)\b.*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Intervention:
    """What an arm gives: its type in the API's words, and its names, the first its own."""

    kind: str | None
    names: tuple[str, ...]


@dataclass(frozen=True)
class Arm:
    """An arm: its type in the API's words, None where the text does not tell, and what it gives."""

    arm_type: str | None
    interventions: tuple[Intervention, ...]


def arms(text: str) -> list[Arm]:
    """Return the arms that a text describes; without any, one whose type is not known."""
    broken = _BREAK.sub("\n", text)
    typed = [_TYPED.fullmatch(piece) for piece in broken.split(";") if piece.strip()]
    if typed and all(typed):
        return [_typed_arm([found for found in typed if found])]
    if _PRODUCT_FIELD.search(broken):
        return _product_arms(broken)
    groups = list(_groups(broken))
    is_compared = any(_CONTROL.search(label) for label, _ in groups)
    return [
        Arm(
            (COMPARATOR if _CONTROL.search(label) else EXPERIMENTAL) if is_compared else None,
            tuple(Intervention(None, (name,)) for name in _names(content)),
        )
        for label, content in groups
    ]


def conditions(text: str) -> list[str]:
    """Return the conditions that a text lists, each once."""
    found = [term.strip() for term in _MEDDRA_TERM.findall(_BREAK.sub("\n", text))]
    for piece in _CONDITION_BREAK.split(text):
        words = _MEDDRA_REST.sub("", " ".join(piece.split())).strip(" .,-")
        if words:
            found.append(words)
    return list({name.lower(): name for name in reversed(found)}.values())[::-1]


def _typed_arm(found: Sequence[re.Match[str]]) -> Arm:
    """Return what a list of ClinicalTrials.gov has, "Drug: A;Device: B", which tells no arms."""
    listed = dict.fromkeys((one[1], " ".join(one[2].split())) for one in found)
    return Arm(
        None,
        tuple(
            Intervention(kind.upper().replace(" ", "_"), tuple(_typed_names(name)))
            for kind, name in listed
        ),
    )


def _typed_names(name: str) -> Iterator[str]:
    """Yield a name as registered, and without its dose."""
    yield name
    shorter = _name(name)
    if shorter and shorter.lower() != name.lower() and not _NEGATED.search(name):
        yield shorter


def _product_arms(text: str) -> list[Arm]:
    """Return the products of EudraCT, separated by empty lines, or the fields of jRCT."""
    tested: list[Intervention] = []
    compared: list[Intervention] = []
    names: list[str] = []
    is_compared = False
    for line in [*text.split("\n"), ""]:
        field = _PRODUCT_FIELD.match(line.strip())
        starts = field is not None and field[1].lower() in (
            "trade name",
            "intervention name",
            "control intervention name",
        )
        if names and (starts or not line.strip()):
            (compared if is_compared else tested).append(
                Intervention(None, tuple(dict.fromkeys(names)))
            )
            names = []
        if field is not None:
            is_compared = "control" in field[1].lower()
            value = field[2].strip()
            if re.search(_CARE, value, re.IGNORECASE):
                continue
            names += [
                name
                for name in (value, _name(value))
                if name and name != "-" and not _is_vehicle(name)
            ]
    found = [Arm(EXPERIMENTAL if compared else None, tuple(tested))]
    return [*found, Arm(COMPARATOR, tuple(compared))] if compared else found


def _groups(text: str) -> Iterator[tuple[str, str]]:
    """Yield the label of each group that a text describes, and what it says of it."""
    found = [one for one in _LABEL.finditer(text) if _is_label(one["label"])]
    if not found:
        yield "", text
        return
    label = ""
    for place, one in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(text)
        content = text[one.end() : end]
        label = f"{label} {one['label']}" if label else one["label"]
        # "Intervention 2: Control group: ..." is one group with two labels.
        if content.strip(" .;:\n"):
            yield label, content
            label = ""


def _is_label(label: str) -> bool:
    """Whether a text before a colon is of a group, and not the care that its members receive."""
    return not re.search(_CARE, label, re.IGNORECASE) or bool(_GROUP.search(label))


def _names(content: str) -> list[str]:
    """Return the names of what a text says is given, each once."""
    found: dict[str, str] = {}
    plain, n_nested = content[:_MOST_TEXT], 1
    while n_nested:
        plain, n_nested = _NESTED.subn(r"\1", plain)
    for sentence in _SENTENCE_END.split(_CARE_LIST.sub(" ", plain)):
        if len(sentence.split()) > _MOST_WORDS_OF_A_LIST and not _GIVEN.search(sentence):
            continue
        for piece in _BETWEEN.split(sentence):
            if _NEGATED.search(piece) or re.search(_CARE, piece, re.IGNORECASE):
                continue
            name = _name(piece)
            if name and not _is_vehicle(name):
                found.setdefault(name.lower(), name)
    return list(found.values())


def _name(piece: str) -> str | None:
    """Return what is left of a piece of text without doses, routes and phrases around a name."""
    # A name begins well before this; a longer text would only keep patterns busy.
    text = _NUMBERED.sub("", _MARKS.sub(" ", piece[:_MOST_TEXT]))
    before, *after = _DOSE.split(text)
    for part in (before, *after):
        words = part.split()
        while words and _is_edge(words[0]):
            words.pop(0)
        while words and _is_edge(words[-1]):
            words.pop()
        if words:
            name = " ".join(words).strip(" .,-:")
            is_name = len(words) <= _MOST_WORDS and _LEAST_NAME <= len(name) <= _MOST_NAME
            return name if is_name else None
    return None


def _is_vehicle(name: str) -> bool:
    return name.lower().startswith(_VEHICLES)


def _is_edge(word: str) -> bool:
    bare = word.strip(".,-:/").lower()
    return not bare or bare in _EDGE_WORDS or bare.isdigit()
