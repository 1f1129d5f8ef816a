"""Verifies a timestamp, offline: that it is of this hash, and whose signature it bears.

Signature and chain are verified by OpenSSL, as part of rfc3161-client; what that leaves out is
verified here and in replies.py. Whether a certificate was revoked is not: that takes the network.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.x509.oid import ExtendedKeyUsageOID
from rfc3161_client import VerificationError, VerifierBuilder

from tracker.log.timestamps.replies import SHA256, Reply, ReplyRefused, read, refusing

_WEAK = frozenset({"md5", "sha1"})
# OpenSSL's words for a failure: of the chain first, then of what follows from it.
_REASONS = (re.compile(r'Verify error: ([^"]+)'), re.compile(r'reason: "([^"]+)"'))

# Root certificates by the SHA-256 of their DER form.
Roots = Mapping[str, x509.Certificate]


@dataclass(frozen=True)
class Verified:
    """A verified token: `sha256` existed at `generated_at`, says `authority`, vouched by a root."""

    sha256: str
    generated_at: datetime
    accuracy: timedelta | None
    authority: str
    root_sha256: str


class RootNotPinned(ReplyRefused):
    """All that can be verified without trust is sound, but no pinned root vouches for the signer.

    `authority` is the signer's name, `root` that of the root that would have to be pinned.
    """

    def __init__(self, authority: str, root: str) -> None:
        self.authority, self.root = authority, root
        super().__init__(
            f"is from {authority}, whose root ({root}) is not trusted here; if you trust it, get "
            "its certificate and run 'tracker timestamp trust FILE --name NAME'"
        )


def verify(content: bytes, sha256: str, roots: Roots, nonce: int | None = None) -> Verified:
    """Verify that a reply proves when a hash existed; return what it states.

    `roots` are the only ones trusted. With `nonce`, it has to answer the request of that nonce.
    Raises ReplyRefused with the reason in one line, RootNotPinned if trust is all that is missing.
    """
    reply = read(content)
    if reply.hash_algorithm != SHA256:
        raise ReplyRefused("is for a hash other than SHA-256")
    if reply.digest.hex() != sha256:
        raise ReplyRefused(
            f"is for another hash, {reply.digest.hex()[:12]}..., not {sha256[:12]}..."
        )
    if nonce is not None and reply.nonce != nonce:
        raise ReplyRefused("does not answer this request: its nonce is different")
    with refusing("has a certificate that cannot be read"):
        return _vouched(reply, sha256, roots)


def _vouched(reply: Reply, sha256: str, roots: Roots) -> Verified:
    _require_purpose(reply.signer)
    paths = list(_paths(reply, roots))
    if not paths:
        raise RootNotPinned(reply.authority, _name(_last(reply).issuer))
    problem = None
    for path in paths:
        problem = _problem(reply, path)
        if problem is None:
            return Verified(
                sha256, reply.generated_at, reply.accuracy, reply.authority, fingerprint(path[-1])
            )
    raise ReplyRefused(problem or "cannot be verified")


def fingerprint(certificate: x509.Certificate) -> str:
    """Return the SHA-256 of a certificate's DER form, in hexadecimal."""
    return certificate.fingerprint(hashes.SHA256()).hex()


def _require_purpose(signer: x509.Certificate) -> None:
    """Refuse a signer whose certificate is not for timestamps, and for them alone (section 2.3)."""
    try:
        usage = signer.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
    except (x509.ExtensionNotFound, ValueError):
        usage = None
    if usage is None or list(usage.value) != [ExtendedKeyUsageOID.TIME_STAMPING]:
        raise ReplyRefused(f"the certificate of {_name(signer.subject)} is not for timestamps")
    if not usage.critical:
        raise ReplyRefused(
            f"the certificate of {_name(signer.subject)} does not bind it to timestamps (extended "
            "key usage is not critical)"
        )


def _paths(reply: Reply, roots: Roots) -> Iterator[list[x509.Certificate]]:
    """Yield each chain from the signer over certificates of the reply to a pinned root."""
    # Each certificate is reached once: a reply may have many that vouch for each other.
    open_paths, reached = [[reply.signer]], {reply.signer}
    while open_paths:
        path = open_paths.pop(0)
        for root in roots.values():
            if _issued(path[-1], root):
                yield [*path, root]
        above = [one for one in reply.certificates if _issued(path[-1], one)]
        open_paths += [[*path, one] for one in above if one not in reached]
        reached.update(above)


def _last(reply: Reply) -> x509.Certificate:
    """Return the certificate of the reply that is farthest from the signer."""
    last, reached = reply.signer, {reply.signer}
    while True:
        above = [one for one in reply.certificates if one not in reached and _issued(last, one)]
        if not above:
            return last
        last = above[0]
        reached.add(last)


def _issued(certificate: x509.Certificate, by: x509.Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(by)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return True


def _problem(reply: Reply, path: list[x509.Certificate]) -> str | None:
    """Return why a chain does not vouch for the reply's signature, None if it does."""
    for certificate in path:
        name = _name(certificate.subject)
        if reply.generated_at < certificate.not_valid_before_utc:
            return f"the certificate of {name} was not valid yet when the token was made"
        if reply.generated_at > certificate.not_valid_after_utc:
            return f"the certificate of {name} had expired when the token was made"
    for certificate in path[:-1]:
        used = certificate.signature_hash_algorithm
        if used is not None and used.name in _WEAK:
            return f"the certificate of {_name(certificate.subject)} is signed over {used.name}"
    try:
        VerifierBuilder(roots=[path[-1]]).build().verify(reply.response, reply.digest)
    except VerificationError as error:
        found = [one for reason in _REASONS for one in reason.findall(str(error))]
        return f"its signature does not verify ({found[0] if found else error})"
    return None


def _name(name: x509.Name) -> str:
    """Return what a certificate calls itself, in one line."""
    found = name.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
    return " ".join(str(found[0].value).split()) if found else name.rfc4514_string()
