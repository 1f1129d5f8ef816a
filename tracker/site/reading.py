"""Reads the files of a published site from a folder or over http, within bounds."""

import http.client
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin, urlsplit, urlunsplit

from tracker.errors import InputRefused, said
from tracker.version import VERSION

_SECONDS_PER_ANSWER = 30.0
_SECONDS_PER_FILE = 600.0
_MOST_REDIRECTS = 5
_CHUNK = 1 << 20

# Returns at most that many bytes of the file at a path of the site, None where there is no file.
Read = Callable[[str, int], bytes | None]


def opened(location: str) -> Read:
    """Return a reader of the files of the site at an address or in a folder.

    Raises InputRefused for another kind of address, and for a folder that is not there.
    """
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):", location)
    if scheme is None or Path(location).is_dir():
        return _of_folder(Path(location))
    if scheme[1].lower() not in ("http", "https"):
        raise InputRefused(f"{location}: only http and https addresses can be read")
    return _of_address(location)


def _of_folder(folder: Path) -> Read:
    if not folder.is_dir():
        raise InputRefused(f"{folder}: no such folder")

    def read(path: str, most: int) -> bytes | None:
        place = folder / path
        if not place.is_file():
            return None
        try:
            with place.open("rb") as handle:
                return handle.read(most)
        except OSError as error:
            raise InputRefused(f"{place}: cannot be read: {error.strerror}") from error

    return read


def _of_address(address: str) -> Read:
    try:
        parts = urlsplit(address)
        is_whole = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        is_whole = False
    if not is_whole:
        raise InputRefused(f"{address}: is not a web address")
    # The address of the index page is also that of the site.
    root = urlunsplit((parts.scheme, parts.netloc, re.sub(r"[^/]*\.html$", "", parts.path), "", ""))
    root = root if root.endswith("/") else f"{root}/"

    def read(path: str, most: int) -> bytes | None:
        wanted = f"{root}{path}"
        deadline = time.monotonic() + _SECONDS_PER_FILE
        try:
            return _fetched(wanted, most, deadline)
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = said(getattr(error, "reason", None) or error)
            raise InputRefused(f"{wanted}: cannot be fetched: {reason}") from error

    return read


def _opener() -> urllib.request.OpenerDirector:
    """Return an opener of only http and https that leaves redirects to the caller."""
    made = urllib.request.OpenerDirector()
    made.addheaders = [("User-Agent", f"tracker/{VERSION}")]
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
    ):
        made.add_handler(handler)
    return made


def _fetched(wanted: str, most: int, deadline: float) -> bytes | None:
    address = wanted
    for _ in range(_MOST_REDIRECTS + 1):
        try:
            patience = min(_SECONDS_PER_ANSWER, max(deadline - time.monotonic(), 0.001))
            with _opener().open(address, timeout=patience) as answer:
                return _body(answer, wanted, most, deadline)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code in (404, 410):
                return None
            if error.code not in (301, 302, 303, 307, 308):
                raise InputRefused(
                    f"{wanted}: the server answers {error.code} {error.reason}"
                ) from error
            target = urljoin(address, error.headers.get("Location", ""))
        if urlsplit(target)[:2] != urlsplit(wanted)[:2]:
            raise InputRefused(
                f"{wanted}: redirects elsewhere, to {target}; give that address if you trust it"
            )
        address = target
    raise InputRefused(f"{wanted}: redirects more than {_MOST_REDIRECTS} times")


def _body(answer: http.client.HTTPResponse, wanted: str, most: int, deadline: float) -> bytes:
    content = bytearray()
    while len(content) < most:
        # Returns what has arrived instead of waiting for all of it.
        chunk = answer.read1(min(_CHUNK, most - len(content)))
        if not chunk:
            break
        content += chunk
        if time.monotonic() > deadline:
            raise InputRefused(f"{wanted}: takes longer than {_SECONDS_PER_FILE:.0f} seconds")
    return bytes(content)
