"""Replays in Python: a ledger compared with the one rebuilt from files, as frames."""

from dataclasses import dataclass
from typing import Any

from tracker.api import frames
from tracker.api.arguments import require_one_of
from tracker.extras.replay import Replayed, wording
from tracker.rows import FORMATS, Format


@dataclass(frozen=True, repr=False)
class Replay:
    """How a store's ledger compares with the files of its releases."""

    done: Replayed
    library: frames.Library = "pandas"

    @property
    def is_equal(self) -> bool:
        """Whether no compared row differs."""
        return self.done.is_equal

    @property
    def notes(self) -> list[str]:
        """What was not checked and why, a sentence or two each."""
        return list(self.done.notes)

    @property
    def releases(self) -> Any:
        """The releases as a frame: the file that each was read from, and what is wrong with it."""
        return frames.of(self.done.releases, self.library)

    @property
    def compared(self) -> Any:
        """The number of rows compared of each kind, and the result, as a frame."""
        return frames.of(self.done.compared, self.library)

    @property
    def differences(self) -> Any:
        """Every difference as a frame: in words, with the store's value and the files'."""
        return frames.of(self.done.differences, self.library)

    @property
    def exit_code(self) -> int:
        """0 if all is equal, 4 if anything differs, 3 if the file of a release is missing."""
        return self.done.exit_code

    def text(self, form: Format = "table") -> str:
        """Return the replay in a format: table, json, csv (only its differences) or markdown."""
        require_one_of("form", form, FORMATS)
        return wording.text(self.done, form)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Replay: {self.done.summary}>"
