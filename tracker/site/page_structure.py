"""The permitted structure of a slate's page, so that nothing on it is hidden, doubled or forged.

The fifth point of the rule in tracker.site.page_rule; assets/verify.js does the same.
"""

from tracker.report import words
from tracker.site.layout import POLICY
from tracker.site.markup import SPACE, Element

COLUMNS = (
    "rank",
    "disease",
    "disease identifier",
    "drug",
    "drug identifier",
    "tier",
    "score",
    "known label",
    "known max phase",
    "due date",
    "status",
    "evidence",
)

_PARTS = ("verify", "predictions", "chain", "checks")
_CHILDREN = {
    "header": ("p", "h1"),
    "h1": ("bdi",),
    "section": ("h2", "h3", "p", "div", "ul", "dl", "button"),
    "div": ("table", "p", "ul"),
    "p": ("code", "a"),
    "ul": ("li",),
    "li": ("code",),
    "dl": ("dt", "dd"),
    "table": ("thead", "tbody"),
    "thead": ("tr",),
    "tbody": ("tr",),
    "tr": ("th", "td"),
    "th": ("button",),
    "td": ("a",),
}
_TEXTLESS = ("header", "section", "div", "ul", "dl", "table", "thead", "tbody", "tr")
_ATTRIBUTES = frozenset(
    {
        "aria-label",
        "aria-labelledby",
        "aria-sort",
        "class",
        "data-files",
        "data-rows",
        "disabled",
        "href",
        "id",
        "role",
        "scope",
        "tabindex",
        "type",
    }
)
_CLASSES = frozenset(
    {
        "cards",
        "checks",
        "facts",
        "hash",
        "kicker",
        "listing",
        "match",
        "mismatch",
        "note",
        "number",
        "scroll",
        "subtitle",
        "verify",
        "word",
    }
    # Columns of numbers and of texts, by position.
    | {f"{kind}{number}" for kind in "nt" for number in range(1, len(COLUMNS) + 1)}
)

# The head of a page with its attributes. Whatever it loads could hide or replace the rest.
_HEAD: tuple[tuple[str, dict[str, str]], ...] = (
    ("meta", {"charset": "utf-8"}),
    ("meta", {"http-equiv": "Content-Security-Policy", "content": POLICY}),
    ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
    ("meta", {"name": "color-scheme", "content": "light dark"}),
    ("meta", {"name": "referrer", "content": "no-referrer"}),
    ("title", {}),
    ("link", {"rel": "stylesheet", "href": "../assets/site.css"}),
    ("link", {"rel": "icon", "type": "image/svg+xml", "href": "../assets/icon.svg"}),
    (
        "link",
        {
            "rel": "alternate",
            "type": "application/atom+xml",
            "title": "New outcomes",
            "href": "../feed.xml",
        },
    ),
    *[
        ("script", {"src": f"../assets/{name}.js", "defer": ""})
        for name in ("search", "tables", "verify")
    ],
)
_NOT_IN_BODY = ("html", "link", "meta", "script", "style", "title")


class Differs(Exception):
    """The page differs in a way that leaves nothing else to compare; the message states how."""


def with_id(page: Element, name: str) -> list[Element]:
    """Return the elements of an id, of which a page has one."""
    return [one for one in page.inside() if one.attributes.get("id") == name]


def require_structure(page: Element) -> None:
    """Refuse a page whose compared parts a visitor may see differently; raises Differs."""
    found = {
        **{tag: page.of(tag) for tag in ("head", "body", "main", "header", "h1")},
        **{name: with_id(page, name) for name in (*_PARTS, "verify-button", "verify-result")},
    }
    for name, elements in found.items():
        if len(elements) != 1:
            raise Differs(f"the page has {len(elements)} elements '{name}', not 1")
    head, body, main = found["head"][0], found["body"][0], found["main"][0]
    for element, allowed in ((page, {"lang"}), (body, set()), (main, {"id"})):
        _require_attributes(element, allowed)
    parents = {"head": page, "body": page, "main": body, "header": body}
    for name, parent in {**parents, **dict.fromkeys(_PARTS, main)}.items():
        if found[name][0].parent is not parent:
            raise Differs(f"the page has '{name}' inside another element")
    _require_head(page, head, body)
    for name in ("header", *_PARTS):
        _refuse_foreign(found[name][0])
    tables = [table for table in page.of("table") if headings(table) == COLUMNS]
    if len(tables) > 1:
        raise Differs("the page has a second table of predictions")


def _require_head(page: Element, head: Element, body: Element) -> None:
    if [one.tag for one in page.children] != ["head", "body"]:
        raise Differs("the page has more than a head and a body")
    for element in (page, head):
        if any(isinstance(one, str) and one.strip(SPACE) for one in element.content):
            raise Differs(f"the page has text directly inside '{element.tag}'")
    given = [(one.tag, one.attributes) for one in head.inside()]
    has_text = any(one.content for one in head.children if one.tag != "title")
    if given != list(_HEAD) or has_text:
        raise Differs("the head of the page is not the one that tracker writes")
    for one in body.inside():
        if one.tag in _NOT_IN_BODY:
            raise Differs(f"the page has an element '{one.tag}' inside its body")


def _require_attributes(element: Element, allowed: frozenset[str] | set[str]) -> None:
    for name in element.attributes:
        if name not in allowed:
            raise Differs(f"the page has an element '{element.tag}' with the attribute '{name}'")


def _refuse_foreign(element: Element) -> None:
    tag = element.tag
    # The button is hidden until its script runs.
    is_button = element.attributes.get("id") == "verify-button"
    _require_attributes(element, _ATTRIBUTES | {"hidden"} if is_button else _ATTRIBUTES)
    for name in element.classes:
        if name not in _CLASSES:
            raise Differs(f"the page has an element '{tag}' of the class '{name}'")
    for one in element.content:
        if isinstance(one, Element):
            if one.tag not in _CHILDREN.get(tag, ()):
                raise Differs(f"the page has an element '{one.tag}' inside '{tag}'")
            _refuse_foreign(one)
        elif tag in _TEXTLESS and one.strip():
            text = words.cell("text", one.strip())
            raise Differs(f"the page has text directly inside '{tag}': {text}")


def headings(table: Element) -> tuple[str, ...]:
    """Return the texts of the headings of a table's columns."""
    return tuple(cell.text for head in table.of("thead") for cell in head.of("th"))
