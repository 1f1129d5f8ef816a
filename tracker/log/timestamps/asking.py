"""Asks a timestamping authority when a hash existed: one request by HTTP, one bounded reply."""

import secrets
from dataclasses import dataclass, replace

from tracker.http_client import IDENTITY, Client, same_host
from tracker.log.timestamps import der
from tracker.log.timestamps.authorities import REQUEST_LIMITS, require_urls
from tracker.log.timestamps.replies import MAX_REPLY_BYTES, SHA256
from tracker.request_limits import RequestLimits

_HEADERS = {
    "Content-Type": "application/timestamp-query",
    "Accept": "application/timestamp-reply",
    **IDENTITY,
}


@dataclass(frozen=True)
class Answer:
    """What an authority sent to a request of this nonce."""

    reply: bytes
    nonce: int


def ask(url: str, sha256: str, limits: RequestLimits = REQUEST_LIMITS) -> Answer:
    """Return an authority's reply to a request for a timestamp of a hash; it is not verified yet.

    Raises RequestFailed if none comes.
    """
    require_urls([url])
    nonce = secrets.randbits(64)
    limits = replace(limits, longest_request=limits.timeout)
    with Client(same_host, limits, most_redirects=3) as client:
        reply = client.content(
            url, MAX_REPLY_BYTES, method="POST", headers=_HEADERS, body=query(sha256, nonce)
        )
    return Answer(reply, nonce)


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
