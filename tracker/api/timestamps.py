"""Timestamps in Python: which authorities are trusted, and what they stated."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tracker import timestamps
from tracker.api import frames
from tracker.slates import proofs

if TYPE_CHECKING:
    from tracker.api.stores import Store


@dataclass(frozen=True)
class Timestamps:
    """The tokens of an open store and the roots that they are verified against.

    `Slate.prove` gets tokens.
    """

    opened: "Store"

    @property
    def tokens(self) -> Any:
        """The tokens as a frame, each with its slate and the name of its root, if any."""
        return frames.of(proofs.listed(self.opened.connection), self.opened.library)

    @property
    def roots(self) -> Any:
        """The trusted roots as a frame; those without an instant are public ones."""
        return frames.of(proofs.listed_roots(self.opened.connection), self.opened.library)

    def trust(self, file: str | Path, name: str) -> Any:
        """Trust the root certificates in a PEM file; return all that are trusted as a frame.

        Raises InputRefused, and trusts none, if one is no root of a certificate authority.
        """
        with self.opened.writing() as connection:
            timestamps.trust(connection, Path(file), name)
        return self.roots
