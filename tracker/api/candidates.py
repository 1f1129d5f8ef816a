"""The candidate sets of a store, and where their pairs are."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracker import schema
from tracker.api import frames
from tracker.api.handles import Handle
from tracker.slates import seals


@dataclass(frozen=True)
class Candidates:
    """The candidate sets: listed, and sealed in files so that the store stays small."""

    opened: Handle

    @property
    def sets(self) -> Any:
        """The sets as a frame; `place` is the folder of a sealed one."""
        return frames.of(seals.listed(self.opened.connection), self.opened.library)

    def seal(self, name: str, to: str | Path | None = None) -> None:
        """Move the pairs of a set into files beside the store, or to another folder or address.

        The store must be opened with `write=True`. Raises InputRefused for an unknown or sealed set
        and for an unreadable place, and CheckFailed if the store contradicts its log.
        """
        from tracker.slates import loads

        with self.opened.writing() as connection:
            found = loads.find_set(connection, schema.candidate_set, name)
            seals.move(connection, found, to, self.opened.progress)
