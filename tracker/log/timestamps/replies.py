"""Reads the reply of a timestamping authority (RFC 3161): what it states, and who signed it.

Nothing here is verified; see verifying.py.
"""

import contextlib
import hashlib
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import rfc3161_client
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.utils import CryptographyDeprecationWarning
from rfc3161_client import PKIStatus, TimeStampResponse

from tracker.errors import InputRefused
from tracker.log.timestamps import der

MAX_REPLY_BYTES = 100_000

# As the request names it.
SHA256 = "2.16.840.1.101.3.4.2.1"
_GENERAL_TIME = re.compile(rb"(\d{14})(?:\.(\d{1,9}))?Z")
_PEM = re.compile(rb"\s*-----BEGIN ")
_WEB_PAGE = re.compile(rb"\s*<(?:!doctype\s+html|html|\?xml)\b", re.IGNORECASE)
# What readers of certificates raise for bytes that are none.
_UNREADABLE = (
    ValueError,
    LookupError,
    TypeError,
    UnsupportedAlgorithm,
    x509.DuplicateExtension,
    x509.InvalidVersion,
    x509.UnsupportedGeneralNameType,
)
# The attributes by which an authority names its certificate, and the hash that each takes unless
# it names one (RFC 2634, RFC 5035).
_NAMES_CERTIFICATE = {
    bytes.fromhex("2a864886f70d010910020c"): "sha1",
    bytes.fromhex("2a864886f70d010910022f"): "sha256",
}
_TIMESTAMP = bytes.fromhex("2a864886f70d0109100104")
# The hash functions that a signature may rest on, by the DER of their OBJECT IDENTIFIER.
_HASHES = {
    bytes.fromhex("608648016503040201"): "sha256",
    bytes.fromhex("608648016503040202"): "sha384",
    bytes.fromhex("608648016503040203"): "sha512",
}


class ReplyRefused(InputRefused):
    """A reply is not the timestamp that was wanted; the message is what is wrong with it."""


@dataclass(frozen=True)
class Reply:
    """A reply that grants a timestamp: what it states, and the certificates that came with it."""

    response: TimeStampResponse
    hash_algorithm: str
    digest: bytes
    nonce: int | None
    generated_at: datetime
    accuracy: timedelta | None
    signer: x509.Certificate
    certificates: tuple[x509.Certificate, ...]

    @property
    def authority(self) -> str:
        """The name of the signer: its common name, else its organisation, else all of it."""
        subject = self.signer.subject
        for kind in (x509.NameOID.COMMON_NAME, x509.NameOID.ORGANIZATION_NAME):
            found = subject.get_attributes_for_oid(kind)
            if found and str(found[0].value).strip():
                return str(found[0].value).strip()
        return subject.rfc4514_string()


def read(content: bytes) -> Reply:
    """Return what a reply states; raises ReplyRefused if it grants no timestamp."""
    if len(content) > MAX_REPLY_BYTES:
        raise ReplyRefused(f"has more than {MAX_REPLY_BYTES:,} bytes: it is not a timestamp reply")
    if _WEB_PAGE.match(content):
        raise ReplyRefused("is a web page, not a timestamp reply")
    if _PEM.match(content):
        raise ReplyRefused("is PEM text; a timestamp reply is the file that an authority sends")
    with refusing("is not a timestamp reply (RFC 3161), or is truncated"):
        return _read(content)


@contextlib.contextmanager
def refusing(problem: str) -> Iterator[None]:
    """Raise ReplyRefused with the problem where certificates cannot be read, without warnings."""
    with quietly():
        try:
            yield
        except _UNREADABLE as error:
            raise ReplyRefused(problem) from error


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Keep cryptography from warning of certificates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CryptographyDeprecationWarning)
        yield


def _read(content: bytes) -> Reply:
    response = rfc3161_client.decode_timestamp_response(_in_order(content))
    status = PKIStatus(response.status)
    if status is not PKIStatus.GRANTED:
        words = " ".join(" ".join(response.status_string).split())[:200]
        raise ReplyRefused(
            f"the authority refused ({status.name.lower()}{f': {words}' if words else ''})"
        )
    stated, signed = response.tst_info, response.signed_data
    certificates = tuple(x509.load_der_x509_certificate(one) for one in sorted(signed.certificates))
    signers = signed.signer_infos
    if len(signers) != 1:
        raise ReplyRefused(f"has {len(signers)} signatures instead of one")
    (info,) = signers
    found = [
        one
        for one in certificates
        if one.issuer == info.issuer and one.serial_number == info.serial_number
    ]
    if not found:
        raise ReplyRefused("lacks the certificate of its signer; ask with certReq (openssl -cert)")
    _require_signer(content, found[0])
    return Reply(
        response,
        stated.message_imprint.hash_algorithm.dotted_string,
        stated.message_imprint.message,
        stated.nonce,
        _generated_at(content),
        _accuracy(response),
        found[0],
        certificates,
    )


def _signed_data(content: bytes) -> list[der.Item]:
    """Return the fields of the SignedData in a reply: version, digests, content, ..., signers."""
    (reply,) = der.read(content)
    token = reply.items[1]
    (signed,) = token.items[1].items
    return signed.items


def _in_order(content: bytes) -> bytes:
    """Return the reply with its certificates in the order that DER prescribes for a set.

    OpenSSL and the authorities that use it send them in another, which a strict reader refuses. The
    signature does not cover them.
    """
    (reply,) = der.read(content)
    if len(reply.items) < 2:
        return content
    status, token = reply.items
    parts = [
        der.value(item.tag, *sorted(one.encoded for one in item.items))
        if item.tag == der.CONTEXT_0
        else item.encoded
        for item in _signed_data(content)
    ]
    kind = token.items[0]
    signed = der.value(der.CONTEXT_0, der.value(der.SEQUENCE, *parts))
    return der.value(der.SEQUENCE, status.encoded, der.value(der.SEQUENCE, kind.encoded, signed))


def _generated_at(content: bytes) -> datetime:
    """Return the time of the token with its fraction of a second, cut to microseconds."""
    (octets,) = _signed_data(content)[2].items[1].items
    (stated,) = der.read(octets.content)
    found = _GENERAL_TIME.fullmatch(stated.items[4].content)
    if not found:
        raise ValueError("not DER: a time in another form")
    instant = datetime.strptime(found[1].decode(), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    fraction = (found[2] or b"").decode()
    return instant.replace(microsecond=int(fraction[:6].ljust(6, "0")))


def _accuracy(response: TimeStampResponse) -> timedelta | None:
    stated = response.tst_info.accuracy
    # The library's type has no None, its value has.
    if not stated:
        return None
    return timedelta(
        seconds=stated.seconds or 0,
        milliseconds=stated.millis or 0,
        microseconds=stated.micros or 0,
    )


def _require_signer(content: bytes, signer: x509.Certificate) -> None:
    """Refuse a weak hash, and a signature that does not name the certificate as its own.

    The library checks neither. A certificate that is not named may be put in place of another with
    the same key.
    """
    signed = _signed_data(content)
    if signed[2].items[0].content != _TIMESTAMP:
        raise ReplyRefused("its signature covers something other than a timestamp")
    (info,) = signed[-1].items
    if info.items[2].items[0].content not in _HASHES:
        raise ReplyRefused("is signed over a hash other than SHA-256, SHA-384 or SHA-512")
    encoded = signer.public_bytes(Encoding.DER)
    for attribute in info.items[3].items:
        kind, values = attribute.items
        usual = _NAMES_CERTIFICATE.get(kind.content)
        if usual is None:
            continue
        named = values.items[0].items[0].items[0].items
        is_said = named[0].tag == der.SEQUENCE
        algorithm = _HASHES.get(named[0].items[0].content, "") if is_said else usual
        digest = named[1 if is_said else 0].content
        if algorithm and hashlib.new(algorithm, encoded, usedforsecurity=False).digest() == digest:
            return
        raise ReplyRefused("its signature names a certificate other than the one it came with")
    raise ReplyRefused("its signature does not name the certificate of its signer")
