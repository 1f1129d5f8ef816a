"""Timestamps in Python: which authorities are trusted, and what they stated."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tracker.api import frames
from tracker.api.handles import Handle
from tracker.errors import InputRefused
from tracker.log import timestamp_proofs, timestamps
from tracker.log.timestamps import REQUEST_LIMITS, Obtained

__all__ = [
    "Obtained",
    "Timestamps",
    "authorities_to_ask",
    "obtain_tokens",
    "stored_tokens",
    "words",
]


@dataclass(frozen=True)
class Timestamps:
    """The tokens of an open store, and the roots that verify them; `Slate.prove` gets tokens."""

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

        Raises InputRefused, trusting none, if one is not the root of a certificate authority.
        """
        self.pin(file, name)
        return self.roots

    def problems(self) -> list[str]:
        """Verify the tokens of hashes other than slates'; return the problems."""
        return timestamp_proofs.of_other_hashes(self.opened.connection)

    def pin(self, file: str | Path, name: str) -> list[tuple[timestamps.Root, bool]]:
        """Trust roots as `trust` does; return those in the file, and whether each is new here."""
        with self.opened.writing() as connection:
            return timestamps.trust(connection, Path(file), name)


def authorities_to_ask(given: Sequence[str], config: Path | None) -> tuple[str, ...]:
    """Return the given authorities, or else those that a configuration names.

    Raises InputRefused for one that is not an address of HTTP.
    """
    timestamps.require_urls(given)
    if given or config is None:
        return tuple(given)
    from tracker.extras.refresh import configuration

    return tuple(configuration.read(config).authorities)


def words(obtained: Obtained) -> str:
    """Return what an obtained token proves, or why there is none."""
    verified = obtained.verified
    if verified is None:
        return str(obtained.problem)
    accuracy = verified.accuracy.total_seconds() if verified.accuracy else 0
    stated = f" (accurate to {accuracy:g} s)" if accuracy else ""
    proved = timestamp_proofs.frozen_by(verified.generated_at, verified.authority)
    return f"{proved}{stated}"


def obtain_tokens(
    opened: Handle,
    sha256: str,
    authorities: Sequence[str],
    token: "str | Path | None",
    timeout: float | None,
) -> Any:
    """Get tokens of a hash and store those that verify; return what each authority stated.

    Raises InputRefused if no token was obtained.
    """
    if token is not None and authorities:
        raise InputRefused("give authorities or a token, not both")
    obtained = stored_tokens(opened, sha256, authorities, token, timeout)
    if not any(one.verified for one in obtained):
        raise InputRefused("\n".join(map(words, obtained)))
    return frames.of(timestamp_proofs.rows_of(obtained), opened.library)


def stored_tokens(
    opened: Handle,
    sha256: str,
    authorities: Sequence[str],
    token: "str | Path | None" = None,
    timeout: float | None = None,
) -> list[Obtained]:
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
