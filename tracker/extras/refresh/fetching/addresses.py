"""Which addresses may be asked: public ones by https, and hosts that the configuration names."""

import ipaddress
import socket
import urllib.request
from collections.abc import Iterable

import httpx

from tracker.errors import RequestFailed
from tracker.http_client import Again, origin, shown


class Trust:
    """Judges addresses; hosts of the URLs that it is made of may be anywhere."""

    def __init__(self, urls: Iterable[str]) -> None:
        self._origins = {origin(httpx.URL(url)) for url in urls}

    def require_allowed(
        self, _given: httpx.URL, url: httpx.URL, response: httpx.Response | None
    ) -> None:
        """Raise RequestFailed for an address that no server may send us to, Again for none.

        With the response, the name may turn out to lead elsewhere than when it was looked up.
        """
        if origin(url) in self._origins:
            return
        if url.scheme != "https":
            raise RequestFailed(f"{shown(str(url))}: is not an https address")
        for address in _looked_up(url) if response is None else _peer(url, response):
            _refuse_private(url, address)


def _looked_up(url: httpx.URL) -> list[str]:
    if _is_proxied(url):
        # The proxy looks names up; only an address given as a number can be judged here.
        return [url.host]
    try:
        found = socket.getaddrinfo(url.host, url.port or 443, type=socket.SOCK_STREAM)
    except OSError as error:
        raise Again(f"{url.host} was not found") from error
    return [str(entry[4][0]) for entry in found]


def _peer(url: httpx.URL, response: httpx.Response) -> list[str]:
    stream = response.extensions.get("network_stream")
    peer = stream.get_extra_info("server_addr") if stream and not _is_proxied(url) else None
    return [str(peer[0])] if peer else []


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
        raise RequestFailed(f"{shown(str(url))}: leads to {found}, which is not a public address")
