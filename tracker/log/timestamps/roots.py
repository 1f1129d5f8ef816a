"""The roots that are trusted for timestamps: public ones, and those that a store pins itself."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import certifi
import sqlalchemy as sa
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from sqlalchemy import Connection

from tracker import clock, schema
from tracker.errors import CheckFailed, InputRefused
from tracker.files import streams
from tracker.log.timestamps.replies import quietly
from tracker.log.timestamps.verifying import Roots, fingerprint

# Of the roots that certifi passes on from Mozilla's list, those under which public authorities
# issue timestamps: the name that is shown, and the SHA-256 of the certificate.
PUBLIC = {
    "552f7bdcf1a7af9e6ce672017f4f12abf77240c78e761ac203d1d9d20ac89988": "DigiCert Trusted Root G4",
    "e793c9b02fd8aa13e21c31228accb08119643b749c898964b1746d46c3d4cbd2": (
        "USERTrust RSA Certification Authority (Sectigo)"
    ),
    "2cabeafe37d06ca22aba7391c0033d25982952c453647349763a3ab5ad6ccf69": "GlobalSign Root CA - R6",
    "85666a562ee0be5ce925c1d8890a6f76a87ec16d4d7d5f29ea7419cf20123b69": (
        "SSL.com Root Certification Authority RSA"
    ),
}
MAX_FILE_BYTES = 1_000_000


@dataclass(frozen=True)
class Root:
    """A pinned root; `added_at` is None for a public one."""

    root_sha256: str
    name: str
    certificate: x509.Certificate
    added_at: datetime | None = None

    @property
    def pem(self) -> str:
        """The certificate as PEM text."""
        return self.certificate.public_bytes(Encoding.PEM).decode()


def pinned(connection: Connection) -> list[Root]:
    """Return the roots that are trusted in a store: public ones first, then its own.

    Raises CheckFailed if a stored certificate is not the one of its SHA-256.
    """
    table = schema.timestamp_root
    public = [Root(sha256, PUBLIC[sha256], one) for sha256, one in public_roots().items()]
    own = [
        Root(row.root_sha256, row.name, _stored(row), row.added_at)
        for row in connection.execute(
            sa.select(table).order_by(table.c.added_at, table.c.root_sha256)
        )
        if row.root_sha256 not in PUBLIC
    ]
    return [*public, *own]


def by_sha256(certificates: Iterable[x509.Certificate]) -> Roots:
    """Return certificates by their SHA-256, as a verification takes roots."""
    return {fingerprint(one): one for one in certificates}


def trust(connection: Connection, path: Path, name: str) -> list[tuple[Root, bool]]:
    """Pin the roots in a file of PEM certificates; return each, and whether it is new here.

    Raises InputRefused, and pins none, unless each is the self-signed certificate of an authority
    (a CA) that may sign others.
    """
    if not name.strip() or not name.isprintable():
        raise InputRefused("give a name for the root, in one line")
    table = schema.timestamp_root
    found = [(one, fingerprint(one)) for one in read_roots(path)]
    present = {root.root_sha256: root for root in pinned(connection)}
    added_at = clock.now(connection)
    done = []
    for certificate, sha256 in found:
        root = present.get(sha256)
        is_new = root is None
        if root is None:
            root = Root(sha256, name, certificate, added_at)
            present[sha256] = root
            connection.execute(
                table.insert(),
                {
                    "root_sha256": sha256,
                    "name": name,
                    "certificate": root.pem,
                    "added_at": added_at,
                },
            )
        done.append((root, is_new))
    return done


def read_roots(path: Path) -> list[x509.Certificate]:
    """Return the root certificates in a PEM file; raises InputRefused for one that is no root."""
    content = streams.content(path, MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise InputRefused(f"{path.name}: is too large for a file of certificates")
    try:
        with quietly():
            found = x509.load_pem_x509_certificates(content)
    except ValueError as error:
        raise InputRefused(
            f"{path.name}: has no certificates in PEM; 'openssl x509 -inform DER -in FILE' makes "
            "PEM of DER"
        ) from error
    for number, certificate in enumerate(found, start=1):
        problem = _no_root(certificate)
        if problem is not None:
            name = certificate.subject.rfc4514_string()
            raise InputRefused(f"{path.name}: certificate {number} ({name}) {problem}")
    return found


def _no_root(certificate: x509.Certificate) -> str | None:
    """Return why a certificate cannot be a root, None if it can."""
    try:
        constraints = certificate.extensions.get_extension_for_class(x509.BasicConstraints)
        is_authority = constraints.value.ca
    except (x509.ExtensionNotFound, ValueError):
        is_authority = False
    if not is_authority:
        return "is not that of a certificate authority (basic constraints: CA)"
    try:
        certificate.verify_directly_issued_by(certificate)
    except Exception:
        return f"is not a root: it is issued by {certificate.issuer.rfc4514_string()}"
    return None


def _stored(row: sa.Row[tuple[object, ...]]) -> x509.Certificate:
    try:
        certificate = x509.load_pem_x509_certificate(row.certificate.encode())
    except ValueError:
        certificate = None
    if certificate is None or fingerprint(certificate) != row.root_sha256:
        raise CheckFailed(
            f"timestamp_root: the certificate of '{row.name}' was altered: it does not have the "
            f"SHA-256 {row.root_sha256[:12]}..."
        )
    return certificate


@functools.cache
def public_roots() -> Roots:
    """Return those of PUBLIC that certifi has, by their SHA-256: trusted without a store."""
    with quietly():
        every = x509.load_pem_x509_certificates(Path(certifi.where()).read_bytes())
    found = by_sha256(every)
    return {sha256: found[sha256] for sha256 in PUBLIC if sha256 in found}
