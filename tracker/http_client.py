"""HTTP: requests are tried again while that can help, and answers bounded in size and in time.

No answer is trusted: a rule judges each address before it is asked, where a server leads too.
"""

import math
import ssl
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Self, TypeVar

import httpx
import tenacity

from tracker.errors import RequestFailed, said
from tracker.patience import Patience
from tracker.progress import Progress, silent
from tracker.version import VERSION

_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_CHUNK_BYTES = 1 << 20
_DEFAULT_PORTS = {"http": 80, "https": 443}
# What a request takes for an answer as it is, without compression.
IDENTITY = {"Accept-Encoding": "identity"}

Answer = TypeVar("Answer")
# Raises RequestFailed or Again for an address that may not be asked, in place of the one that was
# given; and once more with the response, for one that has turned out to lead elsewhere.
Rule = Callable[[httpx.URL, httpx.URL, httpx.Response | None], None]


class Again(Exception):
    """An attempt failed and may be repeated, `after` some seconds if the server says so."""

    def __init__(self, problem: str, after: float | None = None) -> None:
        super().__init__(problem)
        self.after = after


def bare(url: str) -> str:
    """Return a URL without the name and password that it may have."""
    return str(httpx.URL(url).copy_with(userinfo=b""))


def shown(url: str) -> str:
    """Return a URL as messages have it: without credentials and query."""
    try:
        return str(httpx.URL(url).copy_with(userinfo=b"", query=None, fragment=None))
    except httpx.InvalidURL:
        return "the address"


def origin(url: httpx.URL) -> tuple[str, str, int | None]:
    """Return the scheme, the host and the port of a URL."""
    return url.scheme, url.host, url.port or _DEFAULT_PORTS.get(url.scheme)


def same_host(given: httpx.URL, target: httpx.URL, _response: httpx.Response | None) -> None:
    """Let a server lead only to other paths, or to https, of its own host."""
    is_upgraded = (given.scheme, target.scheme, target.host) == ("http", "https", given.host)
    if origin(target) != origin(given) and not is_upgraded:
        raise RequestFailed(
            f"{shown(str(given))}: leads to {shown(str(target))}; give that address if you trust it"
        )


class Client:
    """Asks servers with one patience, as far as a rule allows."""

    def __init__(
        self,
        rule: Rule,
        patience: Patience,
        *,
        most_redirects: int,
        contact: str | None = None,
        progress: Progress = silent,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.patience = patience
        self.progress = progress
        self._rule = rule
        self._most_redirects = most_redirects
        about = f"slate-tracker/{VERSION}"
        self._client = httpx.Client(
            timeout=patience.timeout,
            headers={"User-Agent": f"{about} ({contact})" if contact else about},
            verify=True if context is None else context,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._client.close()

    def content(
        self,
        url: str,
        max_bytes: int,
        *,
        is_cut: bool = False,
        seconds: float = math.inf,
        **request: Any,
    ) -> bytes:
        """Return the body of an answer; what `answer` takes can be added.

        Raises RequestFailed if none comes, or not in so many seconds, and for more bytes; those
        are left out if it `is_cut`.
        """

        def attempt() -> bytes:
            found = bytearray()
            until = time.monotonic() + seconds
            with self.answer(url, **request) as response:
                is_raw = response.request.headers["Accept-Encoding"] == "identity"
                # Each read has the timeout of the patience; all of them have until then.
                for chunk in response.iter_raw() if is_raw else response.iter_bytes(_CHUNK_BYTES):
                    found += chunk
                    if len(found) > max_bytes and is_cut:
                        break
                    if len(found) > max_bytes:
                        raise RequestFailed(f"{shown(url)}: sends more than {max_bytes:,} bytes")
                    if time.monotonic() > until:
                        raise RequestFailed(f"{shown(url)}: takes longer than {seconds:g} seconds")
            return bytes(found[:max_bytes])

        return self.tried(url, attempt)

    @contextmanager
    def answer(
        self,
        url: str,
        *,
        method: str = "GET",
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        accepted: Collection[int] = (httpx.codes.OK,),
    ) -> Iterator[httpx.Response]:
        """Yield the answer at the end of all redirects; its body is not read yet.

        Raises Again or RequestFailed for one whose status is not accepted.
        """
        given = httpx.URL(url, params=dict(params)) if params else httpx.URL(url)
        target = given
        for _ in range(self._most_redirects + 1):
            self._rule(given, target, None)
            with self._client.stream(method, target, headers=headers, content=body) as response:
                self._rule(given, target, response)
                if response.has_redirect_location:
                    target = target.join(response.headers["Location"])
                    continue
                self._require_status(url, response, accepted)
                yield response
                return
        raise RequestFailed(f"{shown(url)}: is redirected more than {self._most_redirects} times")

    def _require_status(
        self, url: str, response: httpx.Response, accepted: Collection[int]
    ) -> None:
        status = response.status_code
        named = f"{status} {response.reason_phrase}".strip()
        if status in _AGAIN:
            after = seconds_to_wait(response.headers.get("Retry-After"))
            if after is not None and after > self.patience.longest_wait:
                raise RequestFailed(f"{shown(url)}: {named}; asks to wait {after:,.0f} s")
            raise Again(named, after)
        if status not in accepted:
            raise RequestFailed(f"{shown(url)}: {named}", status)

    def tried(self, url: str, attempt: Callable[[], Answer]) -> Answer:
        """Return what an attempt returns, made again while that can help, else RequestFailed."""

        def once() -> Answer:
            try:
                return attempt()
            except httpx.TransportError as error:
                reason = said(error)
                if _is_certificate_error(error):
                    raise RequestFailed(f"{shown(url)}: {reason}") from error
                raise Again(reason) from error
            except (httpx.RequestError, httpx.InvalidURL, ValueError) as error:
                raise RequestFailed(f"{shown(url)}: {error}") from error

        def wait(state: tenacity.RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            after = error.after if isinstance(error, Again) else None
            return max(after or 0.0, backoff(state))

        backoff = tenacity.wait_random_exponential(
            multiplier=self.patience.first_wait, max=self.patience.longest_wait
        )
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(Again),
            stop=tenacity.stop_after_attempt(self.patience.attempts),
            wait=wait,
            before_sleep=lambda state: self.progress(_pause(url, state)),
            reraise=True,
        )
        try:
            return retrying(once)
        except Again as error:
            times = self.patience.attempts
            raise RequestFailed(f"{shown(url)}: {error} (tried {times} times)") from error.__cause__


def seconds_to_wait(stated: str | None) -> float | None:
    """Return the seconds of a Retry-After header, given as seconds or as a date."""
    if not stated:
        return None
    if stated.strip().isdigit():
        return float(stated)
    try:
        return max(0.0, (parsedate_to_datetime(stated) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _is_certificate_error(error: BaseException) -> bool:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _pause(url: str, state: tenacity.RetryCallState) -> str:
    error = state.outcome.exception() if state.outcome else None
    seconds = state.next_action.sleep if state.next_action else 0.0
    return f"{shown(url)}: {error}; again in {seconds:.0f} s"
