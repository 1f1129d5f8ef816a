"""Timestamping authorities: their addresses, how patiently they are asked, and that they failed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tracker.errors import InputRefused, RefusedForNow

# Free of charge, and under roots that are pinned; both ask for some seconds between requests.
PUBLIC = ("http://timestamp.digicert.com", "http://timestamp.sectigo.com")

_URL = re.compile(r"https?://[^\s/]+\S*")


class AuthorityFailed(RefusedForNow):
    """An authority did not deliver; it may later."""


@dataclass(frozen=True)
class Patience:
    """How often an authority is asked, and within how many seconds each reply has to be there."""

    attempts: int = 3
    first_wait: float = 1.0
    timeout: float = 20.0


def require_urls(urls: Sequence[str]) -> None:
    """Raise InputRefused for an authority that is no address of HTTP."""
    for url in urls:
        if not _URL.fullmatch(url):
            raise InputRefused(f"{url}: is not the address of an authority (http:// or https://)")
