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
    """Opens rounds, takes deposits and files of teams, and draws the board."""

    opened: Handle

    def new(
        self,
        name: str,
        folder: str | Path,
        *,
        candidates: str,
        labels: str,
        deadline: datetime,
        plan: str | Path | dict[str, Any] | None = None,
        top_k: int = 50,
        labels_as_of: instants.Given | None = None,
        embargo_until: instants.Given | None = None,
        replay: bool = False,
    ) -> bool:
        """Open a round and write the folder that teams take; return whether it is new.

        Everything is as the candidate set and label set are in the store; `labels_as_of` is the
        last day that the labels know. A replay has a deadline in the past, and is marked so.
        """
        require_number("top_k", top_k, 1, MOST_PREDICTIONS)
        asked = questions.Asked(
            name,
            candidates,
            labels,
            deadline,
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

    def extend(self, name: str, deadline: datetime, reason: str) -> datetime:
        """Move the deadline of a round to a later instant, and say why; return it."""
        with self.opened.writing() as connection:
            return questions.extend(connection, name, deadline, reason).deadline

    def deposit(
        self, name: str, token: str | Path, *, team: str, model: str, sha256: str | None = None
    ) -> deposits.Deposited:
        """Take a team's token as the deposit of the hash that it is of, or has to be of."""
        with self.opened.writing() as connection:
            return deposits.deposit(
                connection, name, Path(token), team=team, model=model, sha256=sha256
            )

    def reveal(self, name: str, *files: str | Path) -> list[reveals.Revealed]:
        """Make slates of deposited files, all or none; each is found by its hash."""
        from tracker.evidence import detection

        with self.opened.writing() as connection:
            detection.record_events(connection, progress=self.opened.progress)
            return [
                reveals.reveal(connection, name, Path(one), self.opened.progress) for one in files
            ]

    def close(self, name: str) -> entries.Closed:
        """Freeze what all teams say together; no file can be revealed from then on."""
        with self.opened.writing() as connection:
            return entries.close(connection, name, self.opened.progress)

    def board(self, name: str) -> Report:
        """Report who predicts best and how sure that is; before, what could be seen."""
        connection = self.opened.connection
        content = board.build(connection, questions.find(connection, name))
        return Report(content, render_report(board.summary(content), "table"), self.opened.library)

    def standing(self, *, include_replays: bool = False) -> Report:
        """Report the teams over all rounds, adjusted for the diseases that each met."""
        content = standing.build(self.opened.connection, include_replays=include_replays)
        return Report(content, library=self.opened.library)

    def rows(self) -> Rows:
        """Return the rounds as rows, the first one first."""
        return board.listed(self.opened.connection)

    def list(self) -> Any:
        """Return the rounds as a frame."""
        return frames.of(self.rows(), self.opened.library)
