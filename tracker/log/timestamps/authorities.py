"""Timestamping authorities: their addresses, and the limits of requests to them."""

import re
from collections.abc import Sequence

from tracker.errors import InputRefused
from tracker.request_limits import RequestLimits

# Free of charge, and under roots that are pinned; both ask for some seconds between requests.
PUBLIC = ("http://timestamp.digicert.com", "http://timestamp.sectigo.com")

_URL = re.compile(r"https?://[^\s/]+\S*")


# How often an authority is asked, and within how many seconds each reply has to be there.
REQUEST_LIMITS = RequestLimits(attempts=3, longest_wait=60.0, timeout=20.0)


def require_urls(urls: Sequence[str]) -> None:
    """Raise InputRefused for an authority that is no address of HTTP."""
    for url in urls:
        if not _URL.fullmatch(url):
            raise InputRefused(f"{url}: is not the address of an authority (http:// or https://)")
