"""Asks a timestamping authority when a hash existed: one request by HTTP, one bounded reply."""

import secrets
import time
from dataclasses import dataclass

import httpx
import tenacity

from tracker.errors import said
from tracker.timestamps import der
from tracker.timestamps.authorities import AuthorityFailed, Patience, require_urls
from tracker.timestamps.reading import MAX_REPLY_BYTES, SHA256
from tracker.version import VERSION

_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_MOST_REDIRECTS = 3
_QUERY_TYPE = "application/timestamp-query"
_REPLY_TYPE = "application/timestamp-reply"
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Answer:
    """What an authority sent to a request of this nonce."""

    reply: bytes
    nonce: int


class _Again(Exception):
    """An attempt failed and may be repeated."""


def bare(url: str) -> str:
    """Return a URL without the name and password that it may have."""
    return str(httpx.URL(url).copy_with(userinfo=b""))


def ask(url: str, sha256: str, patience: Patience | None = None) -> Answer:
    """Return an authority's reply to a request for a timestamp of a hash; it is not verified yet.

    Raises AuthorityFailed if none comes.
    """
    patience = patience or Patience()
    require_urls([url])
    nonce = secrets.randbits(64)
    content = query(sha256, nonce)

    def once() -> Answer:
        try:
            return Answer(_posted(url, content, patience.timeout), nonce)
        except httpx.TransportError as error:
            raise _Again(said(error) if str(error) else _words(error)) from error
        except (httpx.RequestError, httpx.InvalidURL, ValueError) as error:
            raise AuthorityFailed(f"{shown(url)}: {error}") from error

    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(_Again),
        stop=tenacity.stop_after_attempt(patience.attempts),
        wait=tenacity.wait_random_exponential(multiplier=patience.first_wait, max=60),
        reraise=True,
    )
    try:
        return retrying(once)
    except _Again as error:
        raise AuthorityFailed(
            f"{shown(url)}: {error} (tried {patience.attempts} times)"
        ) from error.__cause__


def query(sha256: str, nonce: int) -> bytes:
    """Return the request (TimeStampReq, RFC 3161 section 2.4.1) that asks for the certificates too.

    The hash itself is what is stamped: rfc3161-client would stamp the hash of the bytes that it is
    given, and nobody could verify the token by the SHA-256 of a slate.
    """
    arcs = [int(arc) for arc in SHA256.split(".")]
    algorithm = der.value(der.SEQUENCE, der.identifier(arcs), der.value(der.NULL))
    imprint = der.value(der.SEQUENCE, algorithm, der.value(der.OCTETS, bytes.fromhex(sha256)))
    wants_certificates = der.value(der.BOOLEAN, b"\xff")
    return der.value(der.SEQUENCE, der.number(1), imprint, der.number(nonce), wants_certificates)


def _posted(url: str, content: bytes, timeout: float) -> bytes:
    headers = {
        "User-Agent": f"slate-tracker/{VERSION}",
        "Content-Type": _QUERY_TYPE,
        "Accept": _REPLY_TYPE,
        "Accept-Encoding": "identity",
    }
    until = time.monotonic() + timeout
    target = httpx.URL(url)
    with httpx.Client(timeout=timeout, headers=headers) as client:
        for _ in range(_MOST_REDIRECTS + 1):
            with client.stream("POST", target, content=content) as response:
                if response.has_redirect_location:
                    target = _redirected(url, target, response.headers["Location"])
                    continue
                _refuse_status(url, response)
                return _content(url, response, until)
    raise AuthorityFailed(f"{shown(url)}: is redirected more than {_MOST_REDIRECTS} times")


def _redirected(url: str, before: httpx.URL, location: str) -> httpx.URL:
    """Return where a reply leads; only another path or https of the same host is followed."""
    target = before.join(location)
    if target.host != before.host or (
        _port(target) != _port(before) and (before.scheme, target.scheme) != ("http", "https")
    ):
        raise AuthorityFailed(
            f"{shown(url)}: leads to {shown(str(target))}; name that one if you want to ask it"
        )
    return target


def _port(url: httpx.URL) -> int | None:
    return url.port or _DEFAULT_PORTS.get(url.scheme)


def _refuse_status(url: str, response: httpx.Response) -> None:
    named = f"{response.status_code} {response.reason_phrase}".strip()
    if response.status_code in _AGAIN:
        raise _Again(named)
    if response.status_code != httpx.codes.OK:
        raise AuthorityFailed(f"{shown(url)}: {named}")


def _content(url: str, response: httpx.Response, until: float) -> bytes:
    """Return the body, however slowly it comes: each read is timed by httpx, all of them here."""
    content = b""
    for chunk in response.iter_raw():
        content += chunk
        if len(content) > MAX_REPLY_BYTES:
            raise AuthorityFailed(f"{shown(url)}: sends more than {MAX_REPLY_BYTES:,} bytes")
        if time.monotonic() > until:
            raise _Again("the reply does not end")
    return content


def shown(url: str) -> str:
    """Return a URL as messages have it: without credentials and query."""
    parsed = httpx.URL(url)
    return str(parsed.copy_with(userinfo=b"", query=None, fragment=None))


def _words(error: httpx.TransportError) -> str:
    return "no reply in time" if isinstance(error, httpx.TimeoutException) else type(error).__name__
