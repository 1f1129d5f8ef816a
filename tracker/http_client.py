"""HTTP: requests are tried again while that can help, and answers bounded in size and in time.

No answer is trusted: a rule judges each address before it is asked, where a server leads too.
"""

import math
import socket
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
from tracker.progress import Progress, silent
from tracker.request_limits import RequestLimits
from tracker.version import VERSION
from tracker.watchdog import Late, Watchdog

_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
# Compressions that are read: one in another could unpack to any size at the first bytes.
_ENCODINGS: tuple[list[str], ...] = ([], ["identity"], ["gzip"])
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


class NoRoom(RequestFailed):
    """More has come than may come, or than there is room for; what has come is of no use."""


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
    """Asks servers within limits, as far as a rule allows, one request at a time.

    From when it is made, it asks for as long as the limits allow, and takes in `most_bytes`.
    """

    def __init__(
        self,
        rule: Rule,
        limits: RequestLimits,
        *,
        most_redirects: int,
        most_bytes: float = math.inf,
        contact: str | None = None,
        progress: Progress = silent,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.limits = limits
        self.progress = progress
        self.most_bytes = most_bytes
        self._n_bytes = 0
        self._until = time.monotonic() + limits.longest_fetch
        self._sockets: list[socket.socket] = []
        self._rule = rule
        self._most_redirects = most_redirects
        about = f"slate-tracker/{VERSION}"
        self._client = httpx.Client(
            timeout=limits.timeout,
            headers={
                "User-Agent": f"{about} ({contact})" if contact else about,
                "Accept-Encoding": "gzip",
            },
            verify=True if context is None else context,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._client.close()

    def content(self, url: str, max_bytes: int, *, is_cut: bool = False, **request: Any) -> bytes:
        """Return the body of an answer; what `answer` takes can be added.

        Raises RequestFailed if none comes in time, and for more bytes; those are left out if it
        `is_cut`.
        """

        def attempt() -> bytes:
            found = bytearray()
            with self.answer(url, seconds=self.limits.longest_request, **request) as response:
                is_raw = response.request.headers["Accept-Encoding"] == "identity"
                _require_encoding(url, response, is_raw)
                # As they come: kilobytes, which gzip can inflate a thousandfold at most.
                for chunk in response.iter_raw() if is_raw else response.iter_bytes():
                    self.take_in(url, len(chunk))
                    found += chunk[: max_bytes + 1 - len(found)]
                    if len(found) > max_bytes and is_cut:
                        break
                    if len(found) > max_bytes:
                        raise RequestFailed(f"{shown(url)}: sends more than {max_bytes:,} bytes")
            return bytes(found[:max_bytes])

        return self.tried(url, attempt)

    def take_in(self, url: str, n_bytes: int, n_together: int = 0) -> None:
        """Count bytes that came from a URL.

        Raises NoRoom if all that came, or what they are a part of, is more than allowed.
        """
        self._n_bytes += n_bytes
        if max(self._n_bytes, n_together) > self.most_bytes:
            raise NoRoom(
                f"{shown(url)}: sends more than {self.most_bytes:,} bytes, all answers together"
            )

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
        seconds: float = math.inf,
    ) -> Iterator[httpx.Response]:
        """Yield the answer at the end of all redirects; its body is not read yet.

        Raises Again or RequestFailed for one whose status is not accepted, and for one that has
        not been read in so many seconds by the end of the context.
        """
        given = httpx.URL(url, params=dict(params)) if params else httpx.URL(url)
        target = given
        with self._in_time(url, seconds) as watchdog:
            for _ in range(self._most_redirects + 1):
                self._rule(given, target, None)
                with self._client.stream(
                    method,
                    target,
                    headers=headers,
                    content=body,
                    extensions={"trace": watchdog.trace},
                ) as response:
                    watchdog.follow(response)
                    self._rule(given, target, response)
                    if response.has_redirect_location:
                        target = target.join(response.headers["Location"])
                        watchdog.await_answer()
                        continue
                    self._require_status(url, response, accepted)
                    yield response
                    return
        raise RequestFailed(f"{shown(url)}: is redirected more than {self._most_redirects} times")

    @contextmanager
    def _in_time(self, url: str, seconds: float) -> Iterator[Watchdog]:
        """Raise RequestFailed or Again if the request in the body takes too long."""
        limits, begun = self.limits, time.monotonic()
        until = min(begun + seconds, self._until)
        whole = "the whole fetch " if until == self._until else ""
        longest = limits.longest_fetch if whole else seconds
        problems = {
            Late.BEGINNING: Again(_timed_out(limits)),
            Late.RATE: Again(
                f"sends less than {limits.least_rate:,g} bytes a second "
                f"over {limits.timeout:,g} seconds"
            ),
            Late.DEADLINE: RequestFailed(
                f"{shown(url)}: {whole}takes longer than {longest:,g} seconds"
            ),
        }
        if begun >= until:
            raise problems[Late.DEADLINE]
        watchdog = Watchdog(self._sockets, limits, begun, until)
        try:
            with watchdog.watching():
                yield watchdog
        except httpx.HTTPError as error:
            # The error of a connection that was shut down says less; any other is the caller's.
            if watchdog.late is None:
                raise
            raise problems[watchdog.late] from error
        # A body without a length seems whole where its connection is shut down.
        if watchdog.late is not None:
            raise problems[watchdog.late]

    def _require_status(
        self, url: str, response: httpx.Response, accepted: Collection[int]
    ) -> None:
        status = response.status_code
        # Not in the words of the server, which could be any.
        named = f"{status} {httpx.codes.get_reason_phrase(status)}".strip()
        if status in _AGAIN:
            after = seconds_to_wait(response.headers.get("Retry-After"))
            if after is not None and after > self.limits.longest_wait:
                raise RequestFailed(f"{shown(url)}: {named}; asks to wait {after:,.0f} s")
            raise Again(named, after)
        if status not in accepted:
            raise RequestFailed(f"{shown(url)}: {named}", status)

    def tried(self, url: str, attempt: Callable[[], Answer]) -> Answer:
        """Return what an attempt returns, made again while that can help, else RequestFailed."""

        def once() -> Answer:
            try:
                return attempt()
            except httpx.TimeoutException as error:
                raise Again(_timed_out(self.limits)) from error
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
            multiplier=self.limits.first_wait, max=self.limits.longest_wait
        )
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(Again),
            stop=tenacity.stop_after_attempt(self.limits.attempts)
            | tenacity.stop_before_delay(self._until - time.monotonic()),
            wait=wait,
            before_sleep=lambda state: self.progress(_pause(url, state)),
            reraise=True,
        )
        try:
            return retrying(once)
        except Again as error:
            n_times = retrying.statistics["attempt_number"]
            times = "once" if n_times == 1 else f"{n_times} times"
            raise RequestFailed(f"{shown(url)}: {error} (tried {times})") from error.__cause__


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


def _timed_out(limits: RequestLimits) -> str:
    return f"timed out after {limits.timeout:,g} seconds"


def _require_encoding(url: str, response: httpx.Response, is_raw: bool) -> None:
    encodings = response.headers.get_list("Content-Encoding", split_commas=True)
    if not is_raw and [one.strip().lower() for one in encodings] not in _ENCODINGS:
        raise RequestFailed(f"{shown(url)}: answers in an encoding that was not asked for")


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
