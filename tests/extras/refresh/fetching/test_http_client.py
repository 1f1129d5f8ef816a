"""How servers are asked: where they may lead, and how long they may let one wait."""

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tracker import http_client
from tracker.errors import RequestFailed
from tracker.request_limits import RequestLimits


@pytest.mark.parametrize(
    ("given", "target"),
    [
        ("http://a.example/x", "http://a.example/y"),
        ("http://a.example/x", "https://a.example/x"),
        ("http://a.example:8000/", "https://a.example/"),
        ("https://a.example/", "https://a.example:443/y?z=1"),
        ("https://[::1]:8443/", "https://[::1]:8443/y"),
    ],
)
def test_a_server_leads_to_other_paths_of_its_host(given: str, target: str) -> None:
    http_client.same_host(httpx.URL(given), httpx.URL(target), None)


@pytest.mark.parametrize(
    ("given", "target"),
    [
        ("https://a.example/x", "http://a.example/x"),
        ("https://a.example/", "http://a.example:443/"),
        ("http://a.example/", "http://a.example:8000/"),
        ("https://a.example/", "https://a.example:8443/"),
        ("http://a.example/", "http://b.example/"),
        ("http://a.example/", "https://a.example.b.example/"),
        ("http://a.example/", "https://a.example@b.example/"),
        ("http://a.example/", "ftp://a.example/"),
        ("http://a.example/", "file:///etc/passwd"),
    ],
)
def test_a_server_may_not_lead_elsewhere(given: str, target: str) -> None:
    with pytest.raises(RequestFailed, match=r"; give that address if you trust it$"):
        http_client.same_host(httpx.URL(given), httpx.URL(target), None)


def test_an_address_is_shown_without_its_secrets() -> None:
    assert http_client.shown("https://me:secret@a.example/x?key=1#z") == "https://a.example/x"
    assert http_client.shown("https://me:secret@a:port/") == "the address"


def test_how_long_a_server_asks_to_wait() -> None:
    assert http_client.seconds_to_wait("120") == 120
    assert http_client.seconds_to_wait("Wed, 21 Oct 2015 07:28:00 GMT") == 0
    assert http_client.seconds_to_wait("soon") is None


# Sends what a test wants to whoever connects.
Send = Callable[[ssl.SSLSocket], None]


@contextlib.contextmanager
def serving(folder: Path, send: Send) -> Iterator[tuple[str, ssl.SSLContext]]:
    """Answer each connection by TLS; yield the address, and what trusts its certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "server.pem"
    pem = serialization.Encoding.PEM
    path.write_bytes(
        certificate.public_bytes(pem)
        + key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)

    def answer() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with contextlib.suppress(OSError), context.wrap_socket(connection, True) as secure:
                secure.recv(65_536)
                send(secure)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=answer, daemon=True).start()
        yield (
            f"https://localhost:{listening.getsockname()[1]}/x",
            ssl.create_default_context(cafile=path),
        )
        listening.shutdown(socket.SHUT_RDWR)


def drips(beginning: bytes, piece: bytes) -> Send:
    def send(connection: ssl.SSLSocket) -> None:
        connection.sendall(beginning)
        for _ in range(1_000):
            time.sleep(0.02)
            connection.sendall(piece)

    return send


@pytest.mark.slow
@pytest.mark.parametrize(
    ("beginning", "piece", "line"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"X", "timed out after 0.4 seconds (tried 2 times)"),
        (
            b"HTTP/1.1 200 OK\r\n\r\n",
            b"X",
            "sends less than 1,000 bytes a second over 0.4 seconds (tried 2 times)",
        ),
        (b"HTTP/1.1 200 OK\r\n\r\n", b"X" * 200, "takes longer than 0.6 seconds"),
    ],
)
def test_what_drips_by_tls_is_left_too(
    beginning: bytes, piece: bytes, line: str, tmp_path: Path
) -> None:
    limits = RequestLimits(attempts=2, first_wait=0.01, timeout=0.4, longest_request=0.6)
    begun = time.monotonic()
    with (
        serving(tmp_path, drips(beginning, piece)) as (url, context),
        http_client.Client(
            http_client.same_host, limits, most_redirects=1, context=context
        ) as client,
        pytest.raises(RequestFailed) as raised,
    ):
        client.content(url, 1_000_000)
    assert str(raised.value) == f"{url}: {line}"
    assert time.monotonic() - begun < 3


def test_an_answer_by_tls_comes(tmp_path: Path) -> None:
    def send(connection: ssl.SSLSocket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\ncontent")

    with (
        serving(tmp_path, send) as (url, context),
        http_client.Client(
            http_client.same_host, RequestLimits(attempts=1), most_redirects=1, context=context
        ) as client,
    ):
        assert client.content(url, 1_000) == b"content"
