"""Which addresses may be asked: public ones by https, and hosts that the configuration names."""

import ipaddress
import socket
import urllib.request
from collections.abc import Iterable

import httpx

from tracker.errors import RefusedForNow


class FetchFailed(RefusedForNow):
    """A server did not deliver, perhaps with an HTTP status; what was there before is unchanged."""

    def __init__(self, problem: str, status: int | None = None) -> None:
        super().__init__(problem)
        self.status = status


class NotFound(Exception):
    """The name of a host leads nowhere at present."""


def bare(url: str) -> str:
    """Return a URL without the name and password that it may have."""
    return str(httpx.URL(url).copy_with(userinfo=b""))


def shown(url: str) -> str:
    """Return a URL as messages have it: without credentials and query."""
    parsed = httpx.URL(url)
    return str(parsed.copy_with(userinfo=b"", query=None, fragment=None))


class Trust:
    """Judges addresses; hosts of the URLs that it is made of may be anywhere."""

    def __init__(self, urls: Iterable[str]) -> None:
        self._origins = {_origin(httpx.URL(url)) for url in urls}

    def require_allowed(self, url: httpx.URL) -> None:
        """Raise FetchFailed for an address that no server may send us to, NotFound for none."""
        if _origin(url) in self._origins:
            return
        if url.scheme != "https":
            raise FetchFailed(f"{shown(str(url))}: is not an https address")
        if _is_proxied(url):
            # The proxy looks names up; only an address given as a number can be judged here.
            addresses = [url.host]
        else:
            try:
                found = socket.getaddrinfo(url.host, url.port or 443, type=socket.SOCK_STREAM)
            except OSError as error:
                raise NotFound(f"{url.host} was not found") from error
            addresses = [str(entry[4][0]) for entry in found]
        for address in addresses:
            _refuse_private(url, address)

    def require_allowed_peer(self, url: httpx.URL, response: httpx.Response) -> None:
        """Raise FetchFailed if a name led elsewhere when the connection was made."""
        if _origin(url) in self._origins or _is_proxied(url):
            return
        stream = response.extensions.get("network_stream")
        peer = stream.get_extra_info("server_addr") if stream is not None else None
        if peer:
            _refuse_private(url, str(peer[0]))


def _origin(url: httpx.URL) -> tuple[str, str, int]:
    return url.scheme, url.host, url.port or (443 if url.scheme == "https" else 80)


def _is_proxied(url: httpx.URL) -> bool:
    proxies = urllib.request.getproxies()
    is_bypassed = bool(urllib.request.proxy_bypass(url.host))
    return (url.scheme in proxies or "all" in proxies) and not is_bypassed


def _refuse_private(url: httpx.URL, address: str) -> None:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return
    mapped = getattr(found, "ipv4_mapped", None) or found
    if not mapped.is_global or mapped.is_multicast:
        raise FetchFailed(f"{shown(str(url))}: leads to {found}, which is not a public address")
