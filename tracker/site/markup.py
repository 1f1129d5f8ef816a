"""Reads a page of a site as a browser would, provided that it is written as tracker writes pages.

A browser repairs faulty markup by its own rules. Markup that it would have to repair is
refused, so that what is read here is what a visitor sees.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset({"input", "link", "meta"})
_SVG = frozenset(
    re.findall(r"\w+", "circle clippath defs g line path polygon polyline rect svg text tspan")
)
_HTML = frozenset(
    re.findall(
        r"\w+",
        "a bdi body button code dd details div dl dt figure footer h1 h2 h3 head header html "
        "input label li link main meta nav p script search section span summary svg table tbody "
        "td th thead title tr ul",
    )
)

# The deepest elements of a page, those of a chart, are 21 deep.
_DEEPEST = 100

# The characters that a browser takes for space between elements; any other begins the body.
SPACE = " \t\n\f\r"


class Malformed(ValueError):
    """The markup is not as tracker writes it; the message states how."""


@dataclass
class Element:
    """An element of a page with its attributes, and elements and texts in order of the page."""

    tag: str
    attributes: dict[str, str]
    parent: "Element | None" = field(repr=False)
    content: list["Element | str"] = field(default_factory=list)

    @property
    def children(self) -> list["Element"]:
        """The elements directly inside."""
        return [one for one in self.content if isinstance(one, Element)]

    @property
    def text(self) -> str:
        """All text inside, as a browser's textContent."""
        return "".join(one if isinstance(one, str) else one.text for one in self.content)

    @property
    def classes(self) -> list[str]:
        """The names in the attribute class."""
        return self.attributes.get("class", "").split()

    def inside(self) -> Iterator["Element"]:
        """Yield every element inside, in order of the page."""
        for child in self.children:
            yield child
            yield from child.inside()

    def of(self, tag: str) -> list["Element"]:
        """Return the elements of a tag inside."""
        return [one for one in self.inside() if one.tag == tag]


def parse(text: str) -> Element:
    """Return the element html of a page; raises Malformed."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.root()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self._document = Element("", {}, None)
        self._open = self._document
        self._depth = 0

    def root(self) -> Element:
        children = self._document.children
        if self._open is not self._document or [one.tag for one in children] != ["html"]:
            raise Malformed("it is cut short or is not one page")
        if "".join(one for one in self._document.content if isinstance(one, str)).strip(SPACE):
            raise Malformed("it has text outside the page")
        return children[0]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        allowed = _SVG if self._in_drawing() else _HTML
        if tag not in allowed:
            raise Malformed(f"line {self.getpos()[0]:,} has an element '{tag}'")
        if len({name for name, _ in attrs}) < len(attrs):
            raise Malformed(f"line {self.getpos()[0]:,} has an attribute twice")
        attributes = {name: value or "" for name, value in attrs}
        made = Element(tag, attributes, self._open)
        self._open.content.append(made)
        if tag not in _VOID:
            self._open = made
            self._depth += 1
        if self._depth > _DEEPEST:
            raise Malformed(f"line {self.getpos()[0]:,} is more than {_DEEPEST} elements deep")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self._in_drawing():
            raise Malformed(f"line {self.getpos()[0]:,} closes '{tag}' within itself")
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag != self._open.tag or self._open.parent is None:
            raise Malformed(f"line {self.getpos()[0]:,} closes '{tag}', which is not open there")
        self._open = self._open.parent
        self._depth -= 1

    def handle_data(self, data: str) -> None:
        self._open.content.append(data)

    def handle_comment(self, data: str) -> None:
        raise Malformed(f"line {self.getpos()[0]:,} has the comment '{data[:40]}'")

    def handle_decl(self, decl: str) -> None:
        if decl.lower() != "doctype html":
            raise Malformed(f"line {self.getpos()[0]:,} has a declaration")

    def handle_pi(self, data: str) -> None:
        raise Malformed(f"line {self.getpos()[0]:,} has the instruction '{data[:40]}'")

    def unknown_decl(self, data: str) -> None:
        raise Malformed(f"line {self.getpos()[0]:,} has the declaration '{data[:40]}'")

    def _in_drawing(self) -> bool:
        at: Element | None = self._open
        while at is not None:
            if at.tag == "svg":
                return True
            at = at.parent
        return False
