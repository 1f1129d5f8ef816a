"""HTTP for fetching: requests are tried again, downloads resumed, answers bounded.

No answer is trusted: addresses are judged before they are asked, sizes are bounded, and a web page
in place of data is refused.
"""

import re
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx
import tenacity

from tracker.errors import InputRefused, said
from tracker.fetching.addresses import FetchFailed, NotFound, Trust, shown
from tracker.fetching.landing import Landed, Part, require_space
from tracker.files import json_file
from tracker.progress import Progress, silent
from tracker.version import VERSION

_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_MOST_REDIRECTS = 10
_CHUNK_BYTES = 1 << 20
_PROGRESS_SECONDS = 0.5
_WEB_PAGE = re.compile(rb"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_TOTAL = re.compile(r"bytes (\d+)-\d+/(\d+)")

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Patience:
    """How often a request is made, and how many seconds pass within and between requests.

    ClinicalTrials.gov allows about 50 requests a minute.
    """

    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 120.0
    timeout: float = 60.0
    between_pages: float = 1.2


class _Again(Exception):
    """An attempt failed and may be repeated, `after` some seconds if the server says so."""

    def __init__(self, problem: str, after: float | None = None) -> None:
        super().__init__(problem)
        self.after = after


class Web:
    """Requests of one run; `trusted` are the URLs whose hosts the configuration names."""

    def __init__(
        self,
        trusted: Iterable[str],
        contact: str | None = None,
        patience: Patience | None = None,
        progress: Progress = silent,
    ) -> None:
        self._trust = Trust(trusted)
        self.patience = patience or Patience()
        self.progress = progress
        about = f"slate-tracker/{VERSION}"
        self._client = httpx.Client(
            timeout=self.patience.timeout,
            headers={"User-Agent": f"{about} ({contact})" if contact else about},
        )

    def __enter__(self) -> "Web":
        return self

    def __exit__(self, *_error: object) -> None:
        self._client.close()

    def json(
        self, url: str, params: Mapping[str, str] | None = None, *, max_bytes: int = 1 << 28
    ) -> Any:
        """Return the JSON at a URL; raises FetchFailed if there is none."""
        content = self._content(url, params or {}, max_bytes)
        try:
            return json_file.document(shown(url), content)
        except InputRefused as error:
            raise FetchFailed(str(error)) from error

    def reach(self, url: str) -> None:
        """Begin to receive what is at a URL, and stop; raises FetchFailed if nothing comes."""

        def attempt() -> None:
            with self._answer(url, {}, {"Accept-Encoding": "identity"}) as response:
                _refuse_web_page(url, next(response.iter_raw(), b""))

        self._tried(url, attempt)

    def text(self, url: str, *, max_bytes: int = 1 << 24) -> str:
        """Return the text at a URL; raises FetchFailed if there is none."""
        try:
            return self._content(url, {}, max_bytes).decode("utf-8")
        except UnicodeDecodeError as error:
            raise FetchFailed(f"{shown(url)}: is not UTF-8 text") from error

    def download(
        self,
        url: str,
        folder: Path,
        place: Callable[[Landed], Path | None],
        *,
        max_bytes: int,
        checksum: str | None = None,
        unless: Landed | None = None,
    ) -> Path | None:
        """Fetch a file into `folder`; return its path, None if it is still the one of `unless`.

        It is written under a hidden name, continued there by the next run if this one is killed,
        and put where `place` says once it is whole and has its `checksum` (MD5, SHA-1 or SHA-256 in
        hexadecimal); `place` returns None for a file to be thrown away. Raises FetchFailed
        otherwise, OSError if it cannot be written.
        """
        part = Part.of(url, folder)
        if not self._tried(url, lambda: self._receive(url, part, max_bytes, unless)):
            return None
        return part.land(place, checksum)

    def _content(self, url: str, params: Mapping[str, str], max_bytes: int) -> bytes:
        def attempt() -> bytes:
            chunks, n_bytes = [], 0
            with self._answer(url, params, {}) as response:
                for chunk in response.iter_bytes(_CHUNK_BYTES):
                    n_bytes += len(chunk)
                    if n_bytes > max_bytes:
                        raise FetchFailed(f"{shown(url)}: sends more than {max_bytes:,} bytes")
                    chunks.append(chunk)
            content = b"".join(chunks)
            _refuse_web_page(url, content)
            return content

        return self._tried(url, attempt)

    def _receive(self, url: str, part: Part, max_bytes: int, unless: Landed | None) -> bool:
        """Write the rest of a file to its part; return False if the file is that of `unless`."""
        start, headers = part.resumption()
        if start == 0 and unless is not None:
            headers = _conditions(unless)
        with self._answer(url, {}, {"Accept-Encoding": "identity", **headers}) as response:
            if response.status_code == httpx.codes.NOT_MODIFIED:
                return False
            found = _TOTAL.fullmatch(response.headers.get("Content-Range", ""))
            is_rest = response.status_code == httpx.codes.PARTIAL_CONTENT
            if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE or (
                is_rest and not (found and int(found[1]) == start and part.is_same(response))
            ):
                part.discard()
                raise _Again("cannot be continued")
            if response.headers.get("Content-Encoding", "identity") != "identity":
                raise FetchFailed(f"{shown(url)}: answers in an encoding that was not asked for")
            start = start if is_rest else 0
            stated = found[2] if found else response.headers.get("Content-Length")
            size = int(stated) if stated and stated.isdigit() else None
            if size is not None and size > max_bytes:
                raise FetchFailed(
                    f"{shown(url)}: has {size:,} bytes; at most {max_bytes:,} are fetched"
                )
            require_space(part.path, (size or 0) - start)
            part.begin(response, start)
            self._write(url, part, response, start, size, max_bytes)
        return True

    def _write(
        self,
        url: str,
        part: Part,
        response: httpx.Response,
        start: int,
        size: int | None,
        max_bytes: int,
    ) -> None:
        n_bytes, began, told = start, time.monotonic(), 0.0
        with part.path.open("ab" if start else "wb") as handle:
            # As they come: of a chunk of a given size, a cut connection would lose what had come.
            for chunk in response.iter_raw():
                if n_bytes == 0:
                    _refuse_web_page(url, chunk)
                handle.write(chunk)
                n_bytes += len(chunk)
                if n_bytes > max_bytes:
                    part.discard()
                    raise FetchFailed(f"{shown(url)}: sends more than {max_bytes:,} bytes")
                now = time.monotonic()
                if now - told > _PROGRESS_SECONDS:
                    told = now
                    rate = (n_bytes - start) / max(now - began, _PROGRESS_SECONDS)
                    self.progress(f"fetching {part.name}: {progress_bar(n_bytes, size, rate)}")
        if size is not None and n_bytes != size:
            if n_bytes > size:
                part.discard()
            raise _Again(f"ended after {n_bytes:,} of {size:,} bytes")

    @contextmanager
    def _answer(
        self, url: str, params: Mapping[str, str], headers: Mapping[str, str]
    ) -> Iterator[httpx.Response]:
        """Yield the answer at the end of all redirects; its body is not read yet."""
        target = httpx.URL(url, params=dict(params)) if params else httpx.URL(url)
        for _ in range(_MOST_REDIRECTS + 1):
            self._trust.require_allowed(target)
            with self._client.stream("GET", target, headers=dict(headers)) as response:
                self._trust.require_allowed_peer(target, response)
                if response.has_redirect_location:
                    target = target.join(response.headers["Location"])
                    continue
                self._refuse_status(url, response)
                yield response
                return
        raise FetchFailed(f"{shown(url)}: is redirected more than {_MOST_REDIRECTS} times")

    def _refuse_status(self, url: str, response: httpx.Response) -> None:
        status = response.status_code
        named = f"{status} {response.reason_phrase}".strip()
        if status in _AGAIN:
            after = _seconds_to_wait(response.headers.get("Retry-After"))
            if after is not None and after > self.patience.longest_wait:
                raise FetchFailed(f"{shown(url)}: {named}; asks to wait {after:,.0f} s")
            raise _Again(named, after)
        if status not in (
            httpx.codes.OK,
            httpx.codes.PARTIAL_CONTENT,
            httpx.codes.NOT_MODIFIED,
            httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE,
        ):
            raise FetchFailed(f"{shown(url)}: {named}", status)

    def _tried(self, url: str, attempt: Callable[[], Answer]) -> Answer:
        """Return what an attempt returns, made again while that can help."""

        def once() -> Answer:
            try:
                return attempt()
            except NotFound as error:
                raise _Again(str(error)) from error
            except httpx.TransportError as error:
                reason = said(error)
                if _is_certificate_error(error):
                    raise FetchFailed(f"{shown(url)}: {reason}") from error
                raise _Again(reason) from error
            except (httpx.RequestError, httpx.InvalidURL, ValueError) as error:
                raise FetchFailed(f"{shown(url)}: {error}") from error

        def wait(state: tenacity.RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            after = error.after if isinstance(error, _Again) else None
            return max(after or 0.0, backoff(state))

        backoff = tenacity.wait_random_exponential(
            multiplier=self.patience.first_wait, max=self.patience.longest_wait
        )
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_Again),
            stop=tenacity.stop_after_attempt(self.patience.attempts),
            wait=wait,
            before_sleep=lambda state: self.progress(_pause(url, state)),
            reraise=True,
        )
        try:
            return retrying(once)
        except _Again as error:
            times = self.patience.attempts
            raise FetchFailed(f"{shown(url)}: {error} (tried {times} times)") from error.__cause__


def progress_bar(n_bytes: int, size: int | None, rate: float) -> str:
    """Return how far a download has come, and its rate in bytes a second, in words and a bar."""
    speed = f"{rate / 1e6:,.1f} MB/s"
    if not size:
        return f"{n_bytes / 1e6:,.1f} MB, {speed}"
    done = min(n_bytes / size, 1.0)
    return f"{'#' * round(20 * done):.<20} {n_bytes / 1e6:,.1f} of {size / 1e6:,.1f} MB, {speed}"


def _refuse_web_page(url: str, content: bytes) -> None:
    if _WEB_PAGE.match(content[:1024]):
        raise FetchFailed(
            f"{shown(url)}: a web page came instead of data; is there a login page in between?"
        )


def _is_certificate_error(error: BaseException) -> bool:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _conditions(known: Landed) -> dict[str, str]:
    headers = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    return {name: value for name, value in headers.items() if value}


def _seconds_to_wait(stated: str | None) -> float | None:
    """Return the seconds of a Retry-After header, given as seconds or as a date."""
    if not stated:
        return None
    if stated.strip().isdigit():
        return float(stated)
    try:
        return max(0.0, (parsedate_to_datetime(stated) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _pause(url: str, state: tenacity.RetryCallState) -> str:
    error = state.outcome.exception() if state.outcome else None
    seconds = state.next_action.sleep if state.next_action else 0.0
    return f"{shown(url)}: {error}; again in {seconds:.0f} s"
