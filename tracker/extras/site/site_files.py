"""Reads the files of a published site from a folder or over http, within bounds."""

import re
import ssl
from collections.abc import Callable
from pathlib import Path

from tracker.errors import InputRefused, RequestFailed
from tracker.request_limits import RequestLimits

_PATIENCE = RequestLimits(attempts=3, timeout=30.0, longest_request=600.0)

# Returns at most so many bytes of the file at a path of the site, None without a file.
Read = Callable[[str, int], bytes | None]


def opened(location: str) -> Read:
    """Return a reader of the files of the site at an address or in a folder.

    Raises InputRefused for another kind of address, or a missing folder.
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
    # Imports httpx, which folders do not need.
    import httpx

    from tracker.http_client import IDENTITY, Client, same_host

    try:
        given = httpx.URL(address)
    except httpx.InvalidURL:
        given = httpx.URL()
    if not given.host:
        raise InputRefused(f"{address}: is not a web address")
    # The index page's address is also the site's.
    folder = re.sub(rb"[^/]*\.html$", b"", given.raw_path.partition(b"?")[0]).removesuffix(b"/")
    root = given.copy_with(raw_path=folder + b"/", fragment=None)
    context = ssl.create_default_context()

    def read(path: str, most: int) -> bytes | None:
        try:
            with Client(same_host, _PATIENCE, most_redirects=5, context=context) as client:
                return client.content(f"{root}{path}", most, is_cut=True, headers=IDENTITY)
        except RequestFailed as error:
            if error.status in (404, 410):
                return None
            raise

    return read
