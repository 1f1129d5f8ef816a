"""Rounds in Python: one question to many teams, their deposits, and the board."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tracker import replacing
from tracker.api import frames, instants
from tracker.api.arguments import require_number
from tracker.api.handles import Handle
from tracker.api.reports import Report
from tracker.extras.rounds import (
    board,
    checking,
    deposits,
    entries,
    opening,
    packaging,
    questions,
    reveals,
    standing,
)
from tracker.figures import MOST_PREDICTIONS
from tracker.reports.render import render_report
from tracker.rows import Rows
from tracker.slates import plans


def check_submission(folder: str | Path, submission: str | Path) -> checking.Checked:
    """Check a file of predictions against the question in a folder, without a store.

    Raises ProblemsFound with file, row and column for what a reveal would refuse.
    """
    return checking.check(Path(folder), Path(submission))


@dataclass(frozen=True)
class Rounds:
    """Opens rounds, takes teams' deposits and files, and draws the board."""

    opened: Handle

    def new(
        self,
        name: str,
        folder: str | Path,
        *,
        candidates: str,
        labels: str,
        deadline: instants.Given,
        plan: str | Path | dict[str, Any] | None = None,
        top_k: int = 50,
        labels_as_of: instants.Given | None = None,
        embargo_until: instants.Given | None = None,
        replay: bool = False,
    ) -> bool:
        """Open a round and write the folder that teams take; return whether it is new.

        The candidate and label sets are used as stored; `labels_as_of` is the last day that the
        labels know. A day as the deadline means its end in UTC. A replay has a deadline in the
        past, and is marked as a replay.
        """
        require_number("top_k", top_k, 1, MOST_PREDICTIONS)
        asked = questions.Asked(
            name,
            candidates,
            labels,
            instants.end_of(deadline, "deadline"),
            plans.default() if plan is None else plans.given(plan),
            top_k,
            instants.day_if_given(labels_as_of, "labels_as_of"),
            instants.day_if_given(embargo_until, "embargo_until"),
            replay,
        )
        with (
            replacing.folder(Path(folder), packaging.refuse_foreign_content) as staged,
            self.opened.writing() as connection,
        ):
            found, is_new = opening.ask(connection, asked, staged, self.opened.progress)
            packaging.write(connection, found, staged)
            return is_new

    def extend(self, name: str, deadline: instants.Given, reason: str) -> datetime:
        """Move a round's deadline to a later instant, with a reason; return the new deadline."""
        later = instants.end_of(deadline, "deadline")
        with self.opened.writing() as connection:
            return questions.extend(connection, name, later, reason).deadline

    def deposit(
        self, name: str, token: str | Path, *, team: str, model: str, sha256: str | None = None
    ) -> deposits.Deposited:
        """Store a team's token as its deposit; `sha256` is the hash that the token must have."""
        with self.opened.writing() as connection:
            return deposits.deposit(
                connection, name, Path(token), team=team, model=model, sha256=sha256
            )

    def reveal(self, name: str, *files: str | Path) -> list[reveals.Revealed]:
        """Make slates of deposited files, all or none; a file's hash tells its deposit."""
        from tracker.evidence import detection

        with self.opened.writing() as connection:
            detection.record_events(connection, progress=self.opened.progress)
            return [
                reveals.reveal(connection, name, Path(one), self.opened.progress) for one in files
            ]

    def close(self, name: str) -> entries.Closed:
        """Freeze the combined list of all teams; no file can be revealed from then on."""
        with self.opened.writing() as connection:
            return entries.close(connection, name, self.opened.progress)

    def board(self, name: str) -> Report:
        """Report who predicts best, and how sure; before the deadline, what could be detected."""
        connection = self.opened.connection
        content = board.build(connection, questions.find(connection, name))
        return Report(content, render_report(board.summary(content), "table"), self.opened.library)

    def standing(self, *, include_replays: bool = False) -> Report:
        """Report the teams over all rounds, adjusted for the diseases that each met."""
        content = standing.build(self.opened.connection, include_replays=include_replays)
        return Report(content, library=self.opened.library)

    def rows(self) -> Rows:
        """Return the rounds as rows, the earliest first."""
        return board.listed(self.opened.connection)

    def list(self) -> Any:
        """Return the rounds as a frame."""
        return frames.of(self.rows(), self.opened.library)
