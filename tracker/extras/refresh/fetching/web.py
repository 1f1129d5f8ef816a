"""HTTP for fetching: downloads are resumed, and a web page in place of data is refused."""

import re
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import httpx

from tracker.errors import InputRefused, RequestFailed
from tracker.extras.refresh.fetching.addresses import Trust
from tracker.extras.refresh.fetching.landing import Landed, Part, require_space
from tracker.files import json_file
from tracker.http_client import IDENTITY, Again, Client, NoRoom, shown
from tracker.progress import Progress, silent
from tracker.request_limits import RequestLimits

_MOST_REDIRECTS = 10
_PROGRESS_SECONDS = 0.5
_WEB_PAGE = re.compile(rb"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
# How a server can answer a request for the rest of a file, or for a file that has changed.
_OF_A_PART = (
    httpx.codes.OK,
    httpx.codes.PARTIAL_CONTENT,
    httpx.codes.NOT_MODIFIED,
    httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE,
)
_TOTAL = re.compile(r"bytes (\d+)-\d+/(\d+)")
# What parsed JSON takes in memory grows with both: `{},` is 3 bytes and becomes some 80.
_MOST_JSON_BYTES = 1 << 25
_MOST_JSON_SIGNS = 1 << 22
_MOST_TEXT_BYTES = 1 << 24


class Web(Client):
    """Requests of one fetch; `trusted` are the URLs whose hosts the configuration names."""

    def __init__(
        self,
        trusted: Iterable[str],
        contact: str | None = None,
        limits: RequestLimits | None = None,
        progress: Progress = silent,
        most_bytes: int = 60_000_000_000,
    ) -> None:
        super().__init__(
            Trust(trusted).require_allowed,
            limits or RequestLimits(),
            most_redirects=_MOST_REDIRECTS,
            most_bytes=most_bytes,
            contact=contact,
            progress=progress,
        )

    def json(self, url: str, params: Mapping[str, str] | None = None) -> Any:
        """Return the JSON at a URL; raises RequestFailed if there is none."""
        content = self._data(url, params, _MOST_JSON_BYTES)
        try:
            return document(url, content)
        except InputRefused as error:
            raise RequestFailed(str(error)) from error

    def reach(self, url: str) -> None:
        """Begin to receive what is at a URL, and stop; raises RequestFailed if nothing comes."""

        def attempt() -> None:
            seconds = self.limits.longest_request
            with self.answer(url, headers=IDENTITY, seconds=seconds) as response:
                _refuse_web_page(url, next(response.iter_raw(), b""))

        self.tried(url, attempt)

    def text(self, url: str) -> str:
        """Return the text at a URL; raises RequestFailed if there is none."""
        try:
            return self._data(url, None, _MOST_TEXT_BYTES).decode("utf-8")
        except UnicodeDecodeError as error:
            raise RequestFailed(f"{shown(url)}: is not UTF-8 text") from error

    def download(
        self,
        url: str,
        folder: Path,
        place: Callable[[Landed], Path | None],
        *,
        checksum: str | None = None,
        unless: Landed | None = None,
    ) -> Path | None:
        """Fetch a file into `folder`; return its path, None if it is still the one of `unless`.

        It is written under a hidden name, continued there by the next run if this one is killed,
        and put where `place` says once it is whole and has its `checksum` (MD5, SHA-1 or SHA-256 in
        hexadecimal); `place` returns None for a file to be thrown away. Raises RequestFailed
        otherwise, OSError if it cannot be written.
        """
        part = Part.of(url, folder)
        if not self.tried(url, lambda: self._receive(url, part, unless)):
            return None
        return part.land(place, checksum)

    def _data(self, url: str, params: Mapping[str, str] | None, max_bytes: int) -> bytes:
        content = self.content(url, max_bytes, params=params)
        _refuse_web_page(url, content)
        return content

    def _receive(self, url: str, part: Part, unless: Landed | None) -> bool:
        """Write the rest of a file to its part; return False if the file is that of `unless`."""
        start, headers = part.resumption()
        conditions = {} if start or unless is None else _conditions(unless)
        headers, is_conditional = {**headers, **conditions}, bool(conditions)
        with self.answer(url, headers={**IDENTITY, **headers}, accepted=_OF_A_PART) as response:
            if response.status_code == httpx.codes.NOT_MODIFIED:
                if not is_conditional:
                    raise RequestFailed(
                        f"{shown(url)}: answers 304 (not modified) to a request that had no "
                        "condition"
                    )
                return False
            found = _TOTAL.fullmatch(response.headers.get("Content-Range", ""))
            is_rest = response.status_code == httpx.codes.PARTIAL_CONTENT
            if is_rest and start == 0:
                raise RequestFailed(f"{shown(url)}: sends a part of what was asked for as a whole")
            if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE or (
                is_rest and not (found and int(found[1]) == start and part.is_same(response))
            ):
                part.discard()
                raise Again("cannot be continued")
            if response.headers.get("Content-Encoding", "identity") != "identity":
                raise RequestFailed(f"{shown(url)}: answers in an encoding that was not asked for")
            start = start if is_rest else 0
            stated = found[2] if found else response.headers.get("Content-Length")
            size = int(stated) if stated and stated.isdigit() else None
            if size is not None and size > self.most_bytes:
                raise RequestFailed(
                    f"{shown(url)}: has {size:,} bytes; at most {self.most_bytes:,} are fetched"
                )
            require_space(part.path, (size or 0) - start)
            part.begin(response, start)
            self._write(url, part, response, start, size)
        return True

    def _write(
        self, url: str, part: Part, response: httpx.Response, start: int, size: int | None
    ) -> None:
        n_bytes, began, told = start, time.monotonic(), 0.0
        try:
            with part.path.open("ab" if start else "wb") as handle:
                # Chunks of any size: of one of a given size, a cut connection would lose a part.
                for chunk in response.iter_raw():
                    if n_bytes == 0:
                        _refuse_web_page(url, chunk)
                    n_bytes += len(chunk)
                    # A file of which an earlier run has a part is bounded as a whole.
                    self.take_in(url, len(chunk), n_bytes)
                    handle.write(chunk)
                    now = time.monotonic()
                    if now - told > _PROGRESS_SECONDS:
                        told = now
                        require_space(part.path, 0)
                        rate = (n_bytes - start) / max(now - began, _PROGRESS_SECONDS)
                        bar = progress_bar(n_bytes, size, rate)
                        self.progress(f"fetching {part.name}: {bar}")
        except NoRoom:
            part.discard()
            raise
        if size is not None and n_bytes != size:
            if n_bytes > size:
                part.discard()
            raise Again(f"ended after {n_bytes:,} of {size:,} bytes")


def progress_bar(n_bytes: int, size: int | None, rate: float) -> str:
    """Return how far a download has come, and its rate in bytes a second, in words and a bar."""
    speed = f"{rate / 1e6:,.1f} MB/s"
    if not size:
        return f"{n_bytes / 1e6:,.1f} MB, {speed}"
    done = min(n_bytes / size, 1.0)
    return f"{'#' * round(20 * done):.<20} {n_bytes / 1e6:,.1f} of {size / 1e6:,.1f} MB, {speed}"


def document(url: str, content: bytes) -> Any:
    """Return the value of JSON from a URL; InputRefused if it is none or needs much memory."""
    n_signs = sum(map(content.count, (b"[", b"{", b",", b":")))
    if n_signs > _MOST_JSON_SIGNS:
        raise InputRefused(
            f"{shown(url)}: has {n_signs:,} brackets, commas and colons; "
            f"at most {_MOST_JSON_SIGNS:,} are parsed"
        )
    return json_file.document(shown(url), content)


def _refuse_web_page(url: str, content: bytes) -> None:
    if _WEB_PAGE.match(content[:1024]):
        raise RequestFailed(
            f"{shown(url)}: a web page came instead of data; is there a login page in between?"
        )


def _conditions(known: Landed) -> dict[str, str]:
    headers = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    return {name: value for name, value in headers.items() if value}
