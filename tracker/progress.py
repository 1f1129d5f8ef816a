"""How long commands say what they are doing."""

from collections.abc import Callable

Progress = Callable[[str], None]


def silent(_message: str) -> None:
    """Report progress to nobody."""
