"""Timestamps in Python: which authorities are trusted, and what they stated."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tracker.api import frames
from tracker.api.handles import Handle
from tracker.errors import InputRefused
from tracker.log import timestamp_proofs, timestamps
from tracker.log.timestamps import REQUEST_LIMITS


@dataclass(frozen=True)
class Timestamps:
    """The tokens of an open store and the roots that they are verified against.

    `Slate.prove` gets tokens.
    """

    opened: Handle

    @property
    def tokens(self) -> Any:
        """The tokens as a frame, each with its slate and the name of its root, if any."""
        return frames.of(timestamp_proofs.listed(self.opened.connection), self.opened.library)

    @property
    def roots(self) -> Any:
        """The trusted roots as a frame; those without an instant are public ones."""
        return frames.of(timestamp_proofs.listed_roots(self.opened.connection), self.opened.library)

    def trust(self, file: str | Path, name: str) -> Any:
        """Trust the root certificates in a PEM file; return all that are trusted as a frame.

        Raises InputRefused, and trusts none, if one is no root of a certificate authority.
        """
        with self.opened.writing() as connection:
            timestamps.trust(connection, Path(file), name)
        return self.roots


def obtain_tokens(
    opened: Handle,
    sha256: str,
    authorities: Sequence[str],
    token: "str | Path | None",
    timeout: float | None,
) -> Any:
    """Get tokens of a hash and store those that verify; return what each authority stated.

    Raises InputRefused if none was got.
    """
    if token is not None and authorities:
        raise InputRefused("give authorities or a token, not both")
    obtained = stored_tokens(opened, sha256, authorities, token, timeout)
    if not any(one.verified for one in obtained):
        raise InputRefused("\n".join(map(timestamp_proofs.words, obtained)))
    return frames.of(timestamp_proofs.rows_of(obtained), opened.library)


def stored_tokens(
    opened: Handle,
    sha256: str,
    authorities: Sequence[str],
    token: "str | Path | None" = None,
    timeout: float | None = None,
) -> list[timestamps.Obtained]:
    """Get tokens of a hash and store those that verify; return them and the failures."""
    opened.writable()
    obtained = timestamp_proofs.obtain(
        opened.connection,
        sha256,
        authorities,
        token=None if token is None else Path(token),
        limits=REQUEST_LIMITS if timeout is None else replace(REQUEST_LIMITS, timeout=timeout),
        progress=opened.progress,
    )
    if any(one.verified for one in obtained):
        with opened.writing() as connection:
            timestamp_proofs.record(connection, obtained)
    return obtained
