"""A replay in Python: how a ledger compares with the one that its files give, as frames."""

from dataclasses import dataclass
from typing import Any

from tracker.api import frames
from tracker.api.arguments import require_one_of
from tracker.extras.replay import Replayed, wording
from tracker.rows import FORMATS, Format


@dataclass(frozen=True, repr=False)
class Replay:
    """How a store's ledger compares with the files of its releases, as it was found."""

    done: Replayed
    library: frames.Library = "pandas"

    @property
    def is_equal(self) -> bool:
        """Whether nothing that was compared differs."""
        return self.done.is_equal

    @property
    def notes(self) -> list[str]:
        """What was not checked and why, a sentence or two each."""
        return list(self.done.notes)

    @property
    def releases(self) -> Any:
        """The releases as a frame: what each was read from, and what is wrong with it."""
        return frames.of(self.done.releases, self.library)

    @property
    def compared(self) -> Any:
        """The rows that were compared as a frame: of each kind how many, and what came of it."""
        return frames.of(self.done.compared, self.library)

    @property
    def differences(self) -> Any:
        """Every difference as a frame: in words, and what the store has and the files give."""
        return frames.of(self.done.differences, self.library)

    @property
    def exit_code(self) -> int:
        """0 if all is equal, 4 if anything differs, 3 if the file of a release was not there."""
        return self.done.exit_code

    def text(self, form: Format = "table") -> str:
        """Return the replay in a format: table, json, csv (its differences alone) or markdown."""
        require_one_of("form", form, FORMATS)
        return wording.text(self.done, form)

    def __str__(self) -> str:
        """Return what the command prints."""
        return self.text()

    def __repr__(self) -> str:
        """Return the summary."""
        return f"<Replay: {self.done.summary}>"
