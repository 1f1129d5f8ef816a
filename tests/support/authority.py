"""A timestamping authority on the loopback: openssl makes its replies, faults replace them.

Its certificates are made here; what openssl refuses to sign, `forged` signs as CMS.
"""

import functools
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from loopback import listening

OPENSSL = shutil.which("openssl")
NAME = "Test Timestamping Authority"
_TIMESTAMP = "1.2.840.113549.1.9.16.1.4"
_CONFIGURATION = """
[tsa]
default_tsa = here
[here]
serial = {folder}/serial
signer_cert = {folder}/signer.pem
certs = {folder}/chain.pem
signer_key = {folder}/signer.key
signer_digest = sha256
default_policy = 1.3.6.1.4.1.99999.1
digests = {digests}
accuracy = secs:1
clock_precision_digits = {digits}
ess_cert_id_alg = {named_by}
"""

Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
Years = tuple[int, int]
# What a server does with a request instead of answering it, given the handler and the request.
Fault = Callable[["Handler", bytes], None]


@dataclass
class Authority:
    """An authority in a folder: root.pem is its root, `url` where it answers while it is served.

    Faults answer the next requests, one each; then it answers as it should.
    """

    folder: Path
    url: str = ""
    faults: list[Fault] = field(default_factory=list)
    requests: list[bytes] = field(default_factory=list)

    @property
    def root(self) -> Path:
        """The root certificate."""
        return self.folder / "root.pem"

    def query(self, sha256: str, *words: str) -> bytes:
        """Return a request for a hash, as openssl makes it."""
        return _openssl("ts", "-query", "-digest", sha256, "-sha256", "-cert", *words)

    def reply(self, query: bytes) -> bytes:
        """Return what openssl replies to a request, as this authority."""
        with tempfile.TemporaryDirectory() as name:
            Path(name, "query").write_bytes(query)
            settings = str(self.folder / "openssl.cnf")
            reply = "ts -reply -queryfile query -out reply -config"
            _openssl(*reply.split(), settings, folder=name)
            return Path(name, "reply").read_bytes()

    def of(self, sha256: str) -> bytes:
        """Return a reply for a hash."""
        return self.reply(self.query(sha256))

    def forged(self, query: bytes, *words: str) -> bytes:
        """Return a reply that openssl's authority would not give, signed by `openssl cms`.

        `words` are its options; -cades names the certificate in the signature, as is due.
        """
        honest = honest_twin().reply(query)
        signer, chain = self.folder / "signer.pem", self.folder / "chain.pem"
        with tempfile.TemporaryDirectory() as name:
            Path(name, "reply").write_bytes(honest)
            for step in (
                "ts -reply -in reply -token_out -out token",
                "cms -verify -noverify -inform DER -in token -out stated",
            ):
                _openssl(*step.split(), folder=name)
            sign = (
                "cms -sign -binary -nodetach -outform DER -nosmimecap "
                f"-econtent_type {_TIMESTAMP} -in stated -out signed"
            )
            key = ("-signer", str(signer), "-inkey", str(self.folder / "signer.key"))
            has_chain = chain.read_bytes() != signer.read_bytes()
            certificates = ("-certfile", str(chain)) if has_chain else ()
            _openssl(*sign.split(), *key, *certificates, *words, folder=name)
            return granted(Path(name, "signed").read_bytes())


def granted(token: bytes) -> bytes:
    """Return a reply that grants a token."""
    status = b"\x30\x03\x02\x01\x00"
    size = len(status) + len(token)
    return b"\x30\x82" + size.to_bytes(2, "big") + status + token


@dataclass(frozen=True)
class Usage:
    """What the certificate of a signer is for."""

    purposes: Sequence[x509.ObjectIdentifier] = (ExtendedKeyUsageOID.TIME_STAMPING,)
    is_critical: bool = True


PROPER = Usage()


def make(
    folder: Path,
    *,
    usage: Usage = PROPER,
    years: Years = (2020, 2120),
    root_years: Years = (2020, 2120),
    is_chained: bool = True,
    between_is_authority: bool = True,
    named_by: str = "sha256",
    digits: int = 0,
    is_rsa: bool = False,
    name: str = NAME,
) -> Authority:
    """Make an authority: a root, an intermediate unless it is not chained, and a signer."""
    folder.mkdir(parents=True, exist_ok=True)
    root_key, key = _key(is_rsa), _key(is_rsa)
    root_name = f"{name} Root"
    root = _certificate(root_name, root_key, root_name, root_key, root_years, is_authority=True)
    chain, issuer, issuer_key = [], root_name, root_key
    if is_chained:
        between_key = _key(is_rsa)
        issuer, issuer_key = f"{name} Issuer", between_key
        between = _certificate(
            issuer,
            between_key,
            root_name,
            root_key,
            root_years,
            is_authority=between_is_authority,
        )
        chain.append(between)
    signer = _certificate(name, key, issuer, issuer_key, years, usage=usage)
    _write(folder / "root.pem", root)
    _write(folder / "signer.pem", signer)
    _write(folder / "chain.pem", *(chain or [signer]))
    form = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "signer.key").write_bytes(key.private_bytes(*form))
    (folder / "root.key").write_bytes(root_key.private_bytes(*form))
    (folder / "serial").write_text("01\n")
    settings = _CONFIGURATION.format(
        folder=folder, digests="sha256, sha512", digits=digits, named_by=named_by
    )
    (folder / "openssl.cnf").write_text(settings)
    return Authority(folder)


def renew(authority: Authority) -> None:
    """Give an unchained signer another certificate for its key, with the same name and number."""
    key = load_pem_private_key((authority.folder / "signer.key").read_bytes(), None)
    before = x509.load_pem_x509_certificate((authority.folder / "signer.pem").read_bytes())
    assert isinstance(key, Key)
    built = (
        x509.CertificateBuilder()
        .subject_name(before.subject)
        .issuer_name(before.issuer)
        .public_key(key.public_key())
        .serial_number(before.serial_number)
        .not_valid_before(before.not_valid_before_utc)
        .not_valid_after(before.not_valid_after_utc)
    )
    for extension in before.extensions:
        built = built.add_extension(extension.value, extension.critical)
    root_key = load_pem_private_key((authority.folder / "root.key").read_bytes(), None)
    assert isinstance(root_key, Key)
    while True:
        # A signature of another length would not fit in the place of the first.
        after = built.sign(root_key, hashes.SHA256())
        if len(after.public_bytes(Encoding.DER)) == len(before.public_bytes(Encoding.DER)):
            _write(authority.folder / "signer.pem", after)
            return


def cross(authority: Authority) -> Path:
    """Have an older root issue a certificate for the root's key, which replies bring; return it."""
    root = x509.load_pem_x509_certificate(authority.root.read_bytes())
    key = load_pem_private_key((authority.folder / "root.key").read_bytes(), None)
    assert isinstance(key, Key)
    older_key, older, years = _key(False), "Older Root", (2010, 2120)
    name = str(root.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value)
    crossed = _certificate(name, key, older, older_key, years, is_authority=True)
    chain = authority.folder / "chain.pem"
    with chain.open("ab") as handle:
        handle.write(crossed.public_bytes(Encoding.PEM))
    path = authority.folder / "older.pem"
    _write(path, _certificate(older, older_key, older, older_key, years, is_authority=True))
    return path


@functools.cache
def honest_twin() -> Authority:
    """Return an authority of which openssl signs whatever is asked."""
    return make(Path(tempfile.mkdtemp(prefix="authority-")))


def _key(is_rsa: bool) -> Key:
    if is_rsa:
        return rsa.generate_private_key(65_537, 2_048)
    return ec.generate_private_key(ec.SECP256R1())


def _certificate(
    name: str,
    key: Key,
    issuer: str,
    issuer_key: Key,
    years: Years,
    *,
    is_authority: bool = False,
    usage: Usage | None = None,
) -> x509.Certificate:
    first, last = years
    built = (
        x509.CertificateBuilder()
        .subject_name(_named(name))
        .issuer_name(_named(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(first, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(last, 1, 1, tzinfo=UTC))
        .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
    )
    if usage is not None and usage.purposes:
        built = built.add_extension(x509.ExtendedKeyUsage(usage.purposes), usage.is_critical)
    return built.sign(issuer_key, hashes.SHA256())


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _write(path: Path, *certificates: x509.Certificate) -> None:
    path.write_bytes(b"".join(one.public_bytes(Encoding.PEM) for one in certificates))


def _openssl(*words: str, folder: str | None = None) -> bytes:
    done = subprocess.run([str(OPENSSL), *words], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


class Handler(BaseHTTPRequestHandler):
    """Answers one request for a timestamp."""

    authority: Authority

    def log_message(self, *_words: object) -> None:
        """Keep the test's output clean."""

    def do_POST(self) -> None:
        """Answer with a fault, or as the authority does."""
        query = self.rfile.read(int(self.headers["Content-Length"]))
        self.authority.requests.append(query)
        assert self.headers["Content-Type"] == "application/timestamp-query"
        if self.authority.faults:
            self.authority.faults.pop(0)(self, query)
        else:
            self.answer(self.authority.reply(query))

    def answer(
        self, content: bytes, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        """Answer with a body."""
        self.send_response(status)
        stated = {"Content-Type": "application/timestamp-reply"} | (headers or {})
        for name, value in ({"Content-Length": str(len(content))} | stated).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def serving(authority: Authority) -> Iterator[Authority]:
    """Let an authority answer on the loopback."""
    handler = type("AuthorityHandler", (Handler,), {"authority": authority})
    with listening(handler) as address:
        authority.url = f"{address}/tsr"
        yield authority


def sends(content: bytes) -> Fault:
    """Send these bytes, whatever was asked."""
    return lambda handler, _query: handler.answer(content)


def says(status: int, headers: dict[str, str] | None = None) -> Fault:
    """Answer with a status."""
    return lambda handler, _query: handler.answer(b"no", status, headers)


def altered(change: Callable[[bytes], bytes]) -> Fault:
    """Send a changed reply."""
    return lambda handler, query: handler.answer(change(handler.authority.reply(query)))


def endless(handler: Handler, _query: bytes) -> None:
    """Send a reply, byte by byte, that never ends."""
    handler.send_response(200)
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"\x30")
            handler.wfile.flush()
            time.sleep(0.02)
    except OSError:
        handler.close_connection = True


def silent(handler: Handler, _query: bytes) -> None:
    """Say nothing for longer than anybody waits."""
    time.sleep(1.5)
    handler.close_connection = True
