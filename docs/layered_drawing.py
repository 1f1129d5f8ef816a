"""Draws a graph without circles as an SVG: boxes on levels, arrows that lead downwards.

The same graph gives the same bytes everywhere: names break ties, and all coordinates are whole
numbers of pixels. Colours follow the reader's light or dark scheme.
"""

import itertools
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from statistics import fmean

# Pixels. Characters are given more than most fonts take, so that text stays within its box.
_NAME_CHARACTER, _TEXT_CHARACTER = 7.7, 6.4
_LINE, _PADDING, _BETWEEN, _GAP, _MARGIN = 14, 8, 16, 32, 10
_LANE, _PORT = 8, 9
_SWEEPS = 160
# How much more a lane keeps to its own line than a box to the middle of its neighbours.
_STRAIGHT = 8

_STYLE = """
.ground{fill:#fff}.line{stroke:#607d8b;stroke-width:1.3;fill:none}.head{fill:#607d8b}
.box{fill:#f5f7f8;stroke:#78909c}.fact{fill:#e8f0fe;stroke:#5c7cb5}.kept{fill:#e9f5ec;stroke:#4d9060}
.goal{fill:#fdf0d5;stroke:#b98a2f}.plain{fill:none;stroke:#90a4ae;stroke-dasharray:4 3}
.name{font:600 12.5px ui-monospace,monospace;fill:#1c2a30}.text{font-size:11px;fill:#37474f}
.legend{font-size:11.5px;fill:#37474f}
@media (prefers-color-scheme:dark){
.ground{fill:#1e2129}.line{stroke:#90a4ae}.head{fill:#90a4ae}
.box{fill:#2a2f3a;stroke:#78909c}.fact{fill:#223052;stroke:#7f9fd8}.kept{fill:#1f3a2a;stroke:#6fb083}
.goal{fill:#43361a;stroke:#d0a552}.plain{stroke:#78909c}
.name{fill:#eceff1}.text,.legend{fill:#cfd8dc}
}
"""


@dataclass(frozen=True)
class Box:
    """What a box says: its name, a text below it, and the kind that gives it its colour.

    The text is wrapped at so many characters; each entry of `text` begins a line.
    """

    name: str
    text: tuple[str, ...] = ()
    kind: str = "box"
    wrap: int = 30

    @property
    def lines(self) -> list[str]:
        """The lines of the text, wrapped."""
        return [line for text in self.text for line in textwrap.wrap(text, self.wrap)]

    @property
    def width(self) -> int:
        """Pixels that the longest line takes, with the padding."""
        text = max((len(line) for line in self.lines), default=0) * _TEXT_CHARACTER
        # An even number, so that the middle is a whole one.
        return 2 * round((max(len(self.name) * _NAME_CHARACTER, text) + 2 * _PADDING) / 2)

    @property
    def height(self) -> int:
        """Pixels that the lines take, with the padding."""
        return _LINE * (1 + len(self.lines)) + 2 * _PADDING


# A place on a level: a box, or the lane in which arrows from a box pass the level.
_Place = tuple[str, bool]


def reachable(below: Mapping[str, Iterable[str]], name: str) -> set[str]:
    """Return all that a node of a graph leads to, even indirectly, without itself."""
    found: set[str] = set()
    pending = set(below.get(name, ()))
    while pending:
        found |= pending
        pending = {one for other in pending for one in below.get(other, ())} - found
    return found


def reduced(below: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return a graph without the arrows that a longer way stands for: its transitive reduction."""
    return {
        name: {
            one
            for one in direct
            if not any(one in reachable(below, other) for other in direct - {one})
        }
        for name, direct in below.items()
    }


def levels_of(below: Mapping[str, set[str]]) -> dict[str, int]:
    """Return each node's level: one more than the lowest of those that lead to it.

    A node that more arrows leave than reach is as low as these let it be.
    """
    above = {name: {one for one in below if name in below[one]} for name in below}
    found: dict[str, int] = {}

    def level(name: str) -> int:
        if name not in found:
            found[name] = 1 + max((level(one) for one in above[name]), default=-1)
        return found[name]

    for name in sorted(below):
        level(name)
    for name in sorted(below, key=lambda name: (-found[name], name)):
        if len(below[name]) > len(above[name]):
            found[name] = min(found[one] for one in below[name]) - 1
    return found


def drawn(
    title: str,
    boxes: Mapping[str, Box],
    below: Mapping[str, set[str]],
    levels: Mapping[str, int],
    legend: Sequence[tuple[str, str]] = (),
) -> str:
    """Return the SVG of a graph; the legend says what the kinds of boxes mean."""
    rows, links = _rows(below, levels)
    rows = _ordered(rows, links)
    middles = _middles(rows, links, boxes)
    own = {name: middles[levels[name], (name, True)] for name in boxes}
    left = min(min(own[name] - box.width // 2 for name, box in boxes.items()), *middles.values())
    middles = {place: x - left + _MARGIN for place, x in middles.items()}
    own = {name: x - left + _MARGIN for name, x in own.items()}
    right = max(max(own[name] + box.width // 2 for name, box in boxes.items()), *middles.values())
    tops, bottoms = _heights(rows, boxes, _MARGIN + (24 if legend else 0))
    width, height = right + _MARGIN, bottoms[-1] + _MARGIN
    arrows = _arrows(below, levels, boxes, middles, tops, bottoms)
    said = "; ".join(
        f"{name} leads to {', '.join(sorted(direct))}"
        for name, direct in sorted(below.items())
        if direct
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" aria-labelledby="t d" '
            'font-family="system-ui, sans-serif">',
            f'<title id="t">{escape(title)}</title>',
            f'<desc id="d">{escape(said)}.</desc>',
            '<defs><marker id="a" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
            'markerHeight="7" orient="auto"><path class="head" d="M0 1 10 5 0 9z"/></marker>',
            f"<style>{_STYLE}</style></defs>",
            f'<rect class="ground" width="{width}" height="{height}" rx="8"/>',
            *_legend(legend),
            *(f'<path class="line" marker-end="url(#a)" d="{path}"/>' for path in arrows),
            *(
                line
                for name, box in sorted(boxes.items())
                for line in _box(box, own[name], tops[levels[name]])
            ),
            "</svg>\n",
        ]
    )


def _rows(
    below: Mapping[str, set[str]], levels: Mapping[str, int]
) -> tuple[list[list[_Place]], set[tuple[int, _Place, _Place]]]:
    """Return the places of each level, and the links from each level's to those of the next.

    Arrows from one box share a lane on each level that they pass.
    """
    rows: list[set[_Place]] = [set() for _ in range(max(levels.values()) + 1)]
    for name, level in levels.items():
        rows[level].add((name, True))
    links = set()
    for name, direct in below.items():
        for other in direct:
            way = [(name, level == levels[name]) for level in range(levels[name], levels[other])]
            for level, (place, after) in enumerate(
                zip(way, [*way[1:], (other, True)], strict=True), start=levels[name]
            ):
                rows[level].add(place)
                links.add((level, place, after))
    return [sorted(row) for row in rows], links


def _beside(
    links: Iterable[tuple[int, _Place, _Place]],
) -> tuple[dict[tuple[int, _Place], list[_Place]], dict[tuple[int, _Place], list[_Place]]]:
    """Return what each place, by its level, is linked with on the level above and on that below."""
    above: dict[tuple[int, _Place], list[_Place]] = {}
    under: dict[tuple[int, _Place], list[_Place]] = {}
    for level, place, after in sorted(links):
        under.setdefault((level, place), []).append(after)
        above.setdefault((level + 1, after), []).append(place)
    return above, under


def _ordered(
    rows: list[list[_Place]], links: set[tuple[int, _Place, _Place]]
) -> list[list[_Place]]:
    """Return the rows in the order, of those tried, in which the fewest links cross."""
    above, under = _beside(links)
    best, fewest = rows, _crossings(rows, links)
    for sweep in range(_SWEEPS):
        is_down = sweep % 2 == 0
        rows = [[*row] for row in rows]
        steps = range(1, len(rows)) if is_down else range(len(rows) - 2, -1, -1)
        for level in steps:
            other = {place: n for n, place in enumerate(rows[level + (-1 if is_down else 1)])}
            linked = above if is_down else under
            own = {place: n for n, place in enumerate(rows[level])}
            rows[level].sort(
                key=lambda place: (
                    fmean([other[one] for one in linked[level, place]])
                    if (level, place) in linked
                    else own[place],
                    own[place] if sweep % 4 < 2 else -own[place],
                )
            )
        if (crossings := _crossings(rows, links)) < fewest:
            best, fewest = rows, crossings
    return best


def _crossings(rows: list[list[_Place]], links: Iterable[tuple[int, _Place, _Place]]) -> int:
    order = [{place: n for n, place in enumerate(row)} for row in rows]
    ends = [(level, order[level][one], order[level + 1][other]) for level, one, other in links]
    return sum(
        1
        for level, one, other in ends
        for level_2, one_2, other_2 in ends
        if level == level_2 and one < one_2 and other > other_2
    )


def _middles(
    rows: list[list[_Place]],
    links: set[tuple[int, _Place, _Place]],
    boxes: Mapping[str, Box],
) -> dict[tuple[int, _Place], int]:
    """Return the middle of each place, by its level."""
    above, under = _beside(links)

    def half(place: _Place) -> float:
        return boxes[place[0]].width / 2 if place[1] else _LANE / 2

    middles: dict[tuple[int, _Place], float] = {}
    for level, row in enumerate(rows):
        x = 0.0
        for place in row:
            middles[level, place] = x + half(place)
            x += 2 * half(place) + _BETWEEN
    for sweep in range(_SWEEPS):
        is_down = sweep % 2 == 0
        for level in range(len(rows)) if is_down else range(len(rows) - 1, -1, -1):
            row, wanted = rows[level], []
            for place in row:
                linked = [
                    (middles[other, one], 1 if place[1] or one[1] else _STRAIGHT)
                    for other, beside in ((level - 1, above), (level + 1, under))
                    for one in beside.get((level, place), ())
                ]
                # What nothing leads to, or from, is below all of the level above.
                linked = linked or [(middles[level - 1, one], 1) for one in rows[level - 1]]
                wanted.append(fmean(*zip(*linked, strict=True)))
            offsets = [0.0]
            for one, other in itertools.pairwise(row):
                offsets.append(offsets[-1] + half(one) + _BETWEEN + half(other))
            fitted = _in_order([x - offset for x, offset in zip(wanted, offsets, strict=True)])
            for place, x, offset in zip(row, fitted, offsets, strict=True):
                middles[level, place] = x + offset
    return {key: round(x) for key, x in middles.items()}


def _in_order(wanted: Sequence[float]) -> list[float]:
    """Return the numbers nearest to those wanted of which none is below the one before it."""
    pools: list[list[float]] = []
    for one in wanted:
        pools.append([one])
        while len(pools) > 1 and fmean(pools[-2]) > fmean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    return [fmean(pool) for pool in pools for _ in pool]


def _heights(
    rows: list[list[_Place]], boxes: Mapping[str, Box], top: int
) -> tuple[list[int], list[int]]:
    """Return where each level begins and where it ends."""
    tops, bottoms = [], []
    for row in rows:
        tops.append(top)
        bottoms.append(top + max((boxes[name].height for name, is_box in row if is_box), default=0))
        top = bottoms[-1] + _GAP
    return tops, bottoms


def _arrows(
    below: Mapping[str, set[str]],
    levels: Mapping[str, int],
    boxes: Mapping[str, Box],
    middles: Mapping[tuple[int, _Place], int],
    tops: Sequence[int],
    bottoms: Sequence[int],
) -> list[str]:
    """Return the path of each arrow: straight past levels, curved between them."""
    ends: dict[str, list[tuple[int, str]]] = {}
    for name, direct in below.items():
        for other in direct:
            before = levels[other] - 1
            x = middles[before, (name, before == levels[name])]
            ends.setdefault(other, []).append((x, name))
    found = []
    for name, direct in sorted(below.items()):
        for other in sorted(direct):
            level = levels[name]
            x = middles[level, (name, True)]
            path = f"M{x} {tops[level] + boxes[name].height}V{bottoms[level]}"
            while level < levels[other]:
                if level + 1 == levels[other]:
                    order = [one for _, one in sorted(ends[other])]
                    spread = order.index(name) - (len(order) - 1) / 2
                    after = middles[level + 1, (other, True)] + round(spread * _PORT)
                else:
                    after = middles[level + 1, (name, False)]
                middle = (bottoms[level] + tops[level + 1]) // 2
                path += f"C{x} {middle} {after} {middle} {after} {tops[level + 1]}"
                level, x = level + 1, after
                if level < levels[other]:
                    path += f"V{bottoms[level]}"
            found.append(path)
    return found


def _box(box: Box, middle: int, top: int) -> list[str]:
    left = middle - box.width // 2
    lines = [
        f'<rect class="{box.kind}" x="{left}" y="{top}" width="{box.width}" '
        f'height="{box.height}" rx="6"/>',
        f'<text class="name" x="{left + _PADDING}" y="{top + _PADDING + 11}">'
        f"{escape(box.name)}</text>",
    ]
    for n, line in enumerate(box.lines, start=1):
        y = top + _PADDING + 11 + n * _LINE
        lines.append(f'<text class="text" x="{left + _PADDING}" y="{y}">{escape(line)}</text>')
    return lines


def _legend(legend: Sequence[tuple[str, str]]) -> list[str]:
    lines, x = [], _MARGIN
    for kind, meaning in legend:
        lines.append(
            f'<rect class="{kind}" x="{x}" y="{_MARGIN}" width="14" height="12" rx="2"/>'
            f'<text class="legend" x="{x + 20}" y="{_MARGIN + 10}">{escape(meaning)}</text>'
        )
        x += 20 + round(len(meaning) * 6.2) + 22
    return lines
