"""The errors a user can meet, each with its exit code; tracker.cli turns them into text."""

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

# How many problems of a file are listed; the others are counted.
MAX_LISTED = 20
# How long a writing command waits for another before StoreBusy.
DEFAULT_WAIT_SECONDS = 30.0
# Names the slate that was recorded last.
LATEST_SLATE = "@latest"
# A name from outside may be megabytes long; none that is known resembles it.
_LONGEST_NAME = 200
_LIKENESS = 0.7
# Of a list of names as many are compared, each with the few known ones that share a rare part.
_MOST_COMPARED = 2_000
_MOST_SHARING = 20
# A name beside which another is a likely misspelling.
_CLOSE_LIKENESS = 0.85
_PART_LETTERS = 4


def some(names: Sequence[str]) -> str:
    """Join the first names of a list, and say how many more there are."""
    more = len(names) - MAX_LISTED
    return ", ".join(names[:MAX_LISTED]) + (f" and {more:,} more" if more > 0 else "")


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


class TimedOut(TrackerError):
    """A query exceeded its time limit; exit code 1."""


class NotConfirmed(TrackerError):
    """Whoever was asked did not want what would have been stored; nothing was; exit code 1."""


def no_such(what: str, name: str, known: Iterable[str], hint: str) -> InputRefused:
    """Return the error for a name that nothing has: what it resembles, or else the hint."""
    return InputRefused(f"no {what} is named '{name}'; {did_you_mean(name, known) or hint}")


def did_you_mean(name: str, known: Iterable[str], meant: Mapping[str, str] | None = None) -> str:
    """Return a question with the known names most like `name`, at most two; else nothing.

    `meant` has the name that is meant by another.
    """
    by_folded = {one.casefold(): (meant or {}).get(one, one) for one in known}
    near = dict.fromkeys(by_folded[one] for one in _nearest(name, by_folded, 2, _LIKENESS))
    names = " or ".join(f"'{one}'" for one in near)
    return f"did you mean {names}?" if names else ""


def resembling(names: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Return those of some names that are likely misspellings, with the known name nearest to each.

    Names whose numbers differ are not alike. The time grows with the number of names and of known
    ones, not with their product, so of very many names only the first in order are compared.
    """
    if not names or not known:
        return {}
    sharing: dict[str, list[str]] = defaultdict(list)
    for one in known:
        for part in _parts(one):
            sharing[part].append(one)
    found = {}
    for name in sorted(names)[:_MOST_COMPARED]:
        numbers = _numbers(name)
        near = {
            one: None
            for part in sorted(_parts(name))
            if len(sharing.get(part, ())) <= _MOST_SHARING
            for one in sharing.get(part, ())
            if _numbers(one) == numbers
        }
        for one in _nearest(name, near, 1, _CLOSE_LIKENESS):
            found[name] = one
    return found


def _nearest(name: str, known: Iterable[str], n: int, likeness: float) -> list[str]:
    """Return the known case-folded names most like a name, at most `n`."""
    return difflib.get_close_matches(name.casefold()[:_LONGEST_NAME], known, n=n, cutoff=likeness)


def _parts(name: str) -> set[str]:
    """Return the words of a name, and its first and last letters, which a typing error spares."""
    folded = name.casefold()[:_LONGEST_NAME]
    letters = re.sub(r"\W", "", folded)
    words = (word for word in re.split(r"\W+", folded) if len(word) >= _PART_LETTERS)
    return {f"{letters[:_PART_LETTERS]}-", f"-{letters[-_PART_LETTERS:]}", *words}


def _numbers(name: str) -> list[str]:
    return re.findall(r"\d+", name)


def said(error: object) -> str:
    """Return the first line of an error's text, without the number that the system gives it."""
    text = re.sub(r"^\[Errno -?\d+\] ", "", str(error).partition("\n")[0])
    return text or type(error).__name__


class RefusedForNow(InputRefused):
    """The input cannot be accepted at present; the same content may be later."""


class RequestFailed(RefusedForNow):
    """A server did not deliver, perhaps with an HTTP status; it may later."""

    def __init__(self, problem: str, status: int | None = None) -> None:
        super().__init__(problem)
        self.status = status


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
