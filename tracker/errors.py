"""The errors a user can meet, each with its exit code; tracker.cli turns them into text."""

from collections.abc import Sequence

# How many problems of a file are listed; the others are counted.
MAX_LISTED = 20


class TrackerError(Exception):
    """A failure that one clear line can explain; exit code 1."""

    exit_code = 1

    @property
    def lines(self) -> list[str]:
        """The lines of the message."""
        return str(self).split("\n")


class InputRefused(TrackerError):
    """The input cannot be accepted and nothing was stored; exit code 3."""

    exit_code = 3


class ProblemsFound(InputRefused):
    """An input file has problems; they are all counted and the first ones are listed."""

    def __init__(self, problems: Sequence[str], n_problems: int | None = None) -> None:
        self.problems = list(problems)
        self.n_problems = len(self.problems) if n_problems is None else n_problems
        super().__init__("\n".join(self.problems))

    @property
    def lines(self) -> list[str]:
        """The problems, one line each whatever the input contains, and how many are not shown."""
        lines = self.problems[:MAX_LISTED]
        hidden = self.n_problems - len(lines)
        if hidden > 0:
            lines.append(f"and {hidden:,} more problems ({self.n_problems:,} in all)")
        return lines

    def __str__(self) -> str:
        """List the problems as `lines` has them."""
        return "\n".join(self.lines)


class StoreAltered(InputRefused):
    """The store has definitions that tracker did not make; each entry of `findings` names one."""

    _MAX_NAMED = 3

    def __init__(self, findings: Sequence[str], remedy: str) -> None:
        self.findings = list(findings)
        self.remedy = remedy
        named = "; ".join(self.findings[: self._MAX_NAMED])
        hidden = len(self.findings) - self._MAX_NAMED
        more = f"; and {hidden} more" if hidden > 0 else ""
        super().__init__(f"{named}{more}; {remedy}")


class CheckFailed(TrackerError):
    """A verification or an invariant failed; exit code 4."""

    exit_code = 4


class StoreBusy(TrackerError):
    """Another process is writing to the store; exit code 5."""

    exit_code = 5
