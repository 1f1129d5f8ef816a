"""Trusted timestamps: asked for, verified, refused for each fault, stored, verified again."""

import base64
import json
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import authority
import duckdb
import pytest
from authority import NAME, Authority, altered, endless, says, sends, silent
from click.testing import CliRunner
from support import WORLD, Tracker

from tracker import store, timestamps
from tracker.cli import main
from tracker.timestamps import asking

pytestmark = pytest.mark.skipif(authority.OPENSSL is None, reason="no openssl here")

SLATE = "5c9f4a52"
SHA256 = json.loads((WORLD / "spring_slate" / "manifest.json").read_text())["content_sha256"]
OTHER = "ab" * 32


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority.make(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def served(made: Authority) -> Iterator[Authority]:
    made.faults.clear()
    made.requests.clear()
    with authority.serving(made):
        yield made


@pytest.fixture(scope="module")
def trusting(empty_store: Path, made: Authority, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a slate, which trusts the authority."""
    path = Path(shutil.copy(empty_store, tmp_path_factory.mktemp("trusting") / "store.duckdb"))
    for words in (
        ["slate", "import", str(WORLD / "spring_slate")],
        ["timestamps", "trust", str(made.root), "--name", "test root"],
    ):
        done = CliRunner().invoke(main, ["--db", str(path), *words])
        assert done.exit_code == 0, done.output
    return path


@pytest.fixture
def world(trusting: Path, db: Path, tracker: Tracker) -> Tracker:
    shutil.copy(trusting, db)
    return tracker


def certificates(*paths: Path) -> timestamps.Roots:
    return timestamps.by_sha256(one for path in paths for one in timestamps.read_roots(path))


def n_tokens(db: Path) -> int:
    with duckdb.connect(str(db), read_only=True) as connection:
        (found,) = connection.execute("select count(*) from timestamp_token").fetchall()
    return int(found[0])


def test_a_token_proves_a_slate(world: Tracker, db: Path, served: Authority) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    done = world("slate", "prove", SLATE, "--authority", served.url)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("frozen no later than 20")
    assert done.stdout.endswith(f" UTC, by {NAME} (accurate to 1 s)\n")
    assert len(served.requests) == 1
    with store.reader(db) as connection:
        (token,) = timestamps.of_hash(connection, SHA256)
    assert (token.authority, token.url) == (NAME, served.url)
    assert before <= token.generated_at <= datetime.now(UTC)
    assert list(certificates(served.root)) == [token.root_sha256]
    verified = world("slate", "verify", "--format", "json")
    assert verified.exit_code == 0, verified.output
    (row,) = json.loads(verified.stdout)
    assert row["verdict"] == "as frozen"
    shown = token.generated_at.astimezone(UTC)
    assert row["proof"] == f"frozen no later than {shown:%Y-%m-%d %H:%M:%S} UTC, by {NAME}"


def test_without_a_token_the_date_is_claimed(world: Tracker) -> None:
    (row,) = json.loads(world("slate", "verify", "--format", "json").stdout)
    assert (row["verdict"], row["proof"]) == ("as frozen", "date claimed")


def test_openssl_verifies_what_is_stored(
    world: Tracker, db: Path, served: Authority, tmp_path: Path
) -> None:
    assert world("slate", "prove", SLATE, "--authority", served.url).exit_code == 0
    with store.reader(db) as connection:
        (token,) = timestamps.of_hash(connection, SHA256)
    (tmp_path / "token.tsr").write_bytes(base64.b64decode(token.reply))
    words = ["ts", "-verify", "-in", str(tmp_path / "token.tsr"), "-CAfile", str(served.root)]
    for digest, is_right in ((SHA256, True), (OTHER, False)):
        done = subprocess.run(
            [str(authority.OPENSSL), *words, "-digest", digest], capture_output=True, check=False
        )
        assert (done.returncode == 0) is is_right, done.stderr


def test_the_request_is_what_openssl_asks(tmp_path: Path) -> None:
    """The hash itself is stamped, with a nonce and the wish for certificates."""
    (tmp_path / "query.tsq").write_bytes(asking.query(SHA256, 0xFEDCBA9876543210))
    words = ["ts", "-query", "-in", str(tmp_path / "query.tsq"), "-text"]
    done = subprocess.run([str(authority.OPENSSL), *words], capture_output=True, check=True)
    text = done.stdout.decode()
    digits = "".join(
        line[11:58].replace(" ", "").replace("-", "")
        for line in text.splitlines()
        if line.startswith("    00")
    )
    assert digits == SHA256
    for line in ("Hash Algorithm: sha256", "Nonce: 0xFEDCBA9876543210", "required: yes"):
        assert line in text


def test_a_reply_got_by_hand(world: Tracker, made: Authority, db: Path, tmp_path: Path) -> None:
    path = tmp_path / "token.tsr"
    path.write_bytes(made.of(SHA256))
    for _ in range(2):
        done = world("slate", "prove", SLATE, "--token", path)
        assert done.exit_code == 0, done.output
        assert f"by {NAME}" in done.stdout
    assert n_tokens(db) == 1, "the same token is stored once"
    path.write_bytes(made.of(OTHER))
    done = world("slate", "prove", SLATE, "--token", path)
    assert done.exit_code == 3
    assert "error: token.tsr: is for another hash, abababababab..., not " in done.output
    assert n_tokens(db) == 1
    done = world("slate", "prove", SLATE, "--token", path, "--authority", "http://a")
    assert done.exit_code == 2


def test_the_fraction_of_a_second_is_kept_and_rounded_up_in_words(tmp_path: Path) -> None:
    precise = authority.make(tmp_path / "precise", digits=3)
    found = [
        timestamps.verify(precise.of(SHA256), SHA256, certificates(precise.root)).generated_at
        for _ in range(4)
    ]
    assert any(one.microsecond for one in found)
    assert all(one.microsecond % 1000 == 0 for one in found)


FAULTS: dict[str, tuple[authority.Fault, str]] = {
    "a web page": (sends(b"<!DOCTYPE html><html>Log in</html>"), "is a web page, not a timestamp"),
    "nothing": (sends(b""), "is no timestamp reply"),
    "noise": (sends(b"\x30\x82\x00\x05noise"), "is no timestamp reply"),
    "a cut reply": (altered(lambda reply: reply[:-40]), "or one that was cut"),
    "more behind it": (altered(lambda reply: reply + b"\0"), "is no timestamp reply"),
    "an altered signature": (
        altered(lambda reply: reply[:-3] + bytes([reply[-3] ^ 1]) + reply[-2:]),
        "its signature does not verify",
    ),
    "another reply": (
        lambda handler, _query: handler.answer(handler.authority.of(SHA256)),
        "does not answer this request: its nonce is another",
    ),
    "another hash": (
        lambda handler, _query: handler.answer(handler.authority.of(OTHER)),
        "is for another hash, abababababab..., not ",
    ),
    "a refusal": (
        lambda handler, _query: handler.answer(handler.authority.reply(b"no request")),
        "the authority refused (rejection: ",
    ),
    "a page that is not there": (says(404), ": 404 Not Found"),
    "a server in trouble": (says(500), ": 500 Internal Server Error (tried "),
    "a way to another host": (
        says(302, {"Location": "http://localhost:9/elsewhere"}),
        ": leads to http://localhost:9/elsewhere; name that one if you want to ask it",
    ),
    "a way round and round": (says(307, {"Location": "/tsr"}), ": is redirected more than 3 times"),
    "far too much": (sends(b"\x30" * 200_000), ": sends more than 100,000 bytes"),
    "a reply without end": (endless, "the reply does not end (tried "),
    "silence": (silent, "timed out (tried "),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_line_and_nothing_is_stored(
    fault: str, world: Tracker, db: Path, served: Authority
) -> None:
    broken, message = FAULTS[fault]
    served.faults += [broken] * 5
    before = db.read_bytes()
    done = world("slate", "prove", SLATE, "--authority", served.url, "--timeout", "0.4")
    assert done.exit_code == 3, done.output
    assert message in done.stderr
    assert done.stderr.startswith(f"error: {served.url}: ")
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""
    assert db.read_bytes() == before
