"""DER, the encoding of timestamps: as much of it as a request needs, and the checks of a reply."""

from collections.abc import Sequence
from dataclasses import dataclass

BOOLEAN, INTEGER, OCTETS, NULL, OBJECT = 0x01, 0x02, 0x04, 0x05, 0x06
SEQUENCE, CONTEXT_0 = 0x30, 0xA0

_LONG = 0x80
_MULTIBYTE_TAG = 0x1F
_MOST_LENGTH_BYTES = 4


@dataclass(frozen=True)
class Item:
    """One value: its tag, its content, and both with the length as they are encoded."""

    tag: int
    content: bytes
    encoded: bytes

    @property
    def items(self) -> list["Item"]:
        """The values in the content; raises ValueError if it is no row of values."""
        return read(self.content)


def read(content: bytes) -> list[Item]:
    """Return the values that follow each other in `content`.

    Raises ValueError if it ends within one, or has a form that DER does not allow or timestamps do
    not use.
    """
    found, place = [], 0
    while place < len(content):
        start = place
        tag = content[place]
        if tag & _MULTIBYTE_TAG == _MULTIBYTE_TAG or place + 1 >= len(content):
            raise ValueError("not DER: a tag without a length")
        length, place = content[place + 1], place + 2
        if length & _LONG:
            n_bytes = length & ~_LONG
            if not 1 <= n_bytes <= _MOST_LENGTH_BYTES:
                raise ValueError("not DER: a length of no or too many bytes")
            length = int.from_bytes(content[place : place + n_bytes], "big")
            place += n_bytes
        if place + length > len(content):
            raise ValueError("not DER: ends within a value")
        end = place + length
        found.append(Item(tag, content[place:end], content[start:end]))
        place = end
    return found


def value(tag: int, *parts: bytes) -> bytes:
    """Return a value of this tag with the parts as its content."""
    content = b"".join(parts)
    length = len(content)
    if length < _LONG:
        return bytes([tag, length]) + content
    size = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([tag, _LONG | len(size)]) + size + content


def number(positive: int) -> bytes:
    """Return a whole number, 0 or more."""
    return value(INTEGER, positive.to_bytes(positive.bit_length() // 8 + 1, "big"))


def identifier(arcs: Sequence[int]) -> bytes:
    """Return an OBJECT IDENTIFIER."""
    encoded = bytearray()
    for arc in (40 * arcs[0] + arcs[1], *arcs[2:]):
        digits = [arc & 0x7F]
        while arc := arc >> 7:
            digits.append(_LONG | arc & 0x7F)
        encoded += bytes(reversed(digits))
    return value(OBJECT, bytes(encoded))
