"""Progress reports of long commands."""

from collections.abc import Callable

Progress = Callable[[str], None]


def silent(_message: str) -> None:
    """Report progress to nobody."""
