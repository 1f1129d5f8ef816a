"""How servers are asked: where they may lead, and how long they may let one wait."""

import httpx
import pytest

from tracker import http_client
from tracker.errors import RequestFailed


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
